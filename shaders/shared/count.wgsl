// Computes the grid of an indirect launch from a count on the device.
struct Grid {
    // The number of invocations of a workgroup, and the maximum number of workgroups in a dimension.
    size: u32,
    limit: u32,
    // The upper limit of the count.
    most: u32,
}

@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage> count: array<u32>;
// The grid that the device runs; from word 64 on, the grid that the kernel sees.
@group(0) @binding(2) var<storage, read_write> groups: array<u32>;

@compute @workgroup_size(1)
fn grid_of_count() {
    let threads = min(count[0], grid.most);
    let wanted = threads / grid.size + select(0u, 1u, threads % grid.size != 0u);
    // A grid of two dimensions is large enough: the launch has checked this.
    let rows = wanted / grid.limit + select(0u, 1u, wanted % grid.limit != 0u);
    groups[0] = min(wanted, grid.limit);
    groups[1] = rows;
    groups[2] = 1u;
    groups[64] = wanted;
    groups[65] = 1u;
    groups[66] = 1u;
    groups[67] = 0u;
}
