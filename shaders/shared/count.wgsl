// How many workgroups a count on the device takes, as an indirect grid.
struct Grid {
    // Invocations of a workgroup, and how many workgroups a dimension may have.
    size: u32,
    limit: u32,
    // No count is above this.
    most: u32,
}

@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage> count: array<u32>;
// The grid as the device runs it, then at word 64 the one that the kernel sees.
@group(0) @binding(2) var<storage, read_write> groups: array<u32>;

@compute @workgroup_size(1)
fn grid_of_count() {
    let threads = min(count[0], grid.most);
    let wanted = threads / grid.size + select(0u, 1u, threads % grid.size != 0u);
    // One layer of rows is enough: the launch has made sure.
    let rows = wanted / grid.limit + select(0u, 1u, wanted % grid.limit != 0u);
    groups[0] = min(wanted, grid.limit);
    groups[1] = rows;
    groups[2] = 1u;
    groups[64] = wanted;
    groups[65] = 1u;
    groups[66] = 1u;
    groups[67] = 0u;
}
