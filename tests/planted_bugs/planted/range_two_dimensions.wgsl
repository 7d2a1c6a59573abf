// In range of the whole array, but not of the row.
var<private> grid: array<array<u32, 8>, 8>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var y = 0u; y < 8u; y++) {
        for (var x = 0u; x < 8u; x++) { grid[y][x] = x; }
    }
    data[i] = grid[0][i + 1u]; //~ out-of-range grid
}
