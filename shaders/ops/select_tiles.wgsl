// The last pass of a selection by tiles; the passes before it are `sum_tiles` and `scan_sums` of `scan_tiles`.
import package::shared::scan_sizes::sizes;
import package::shared::scan_tile::{load_tile, share_sums, sum_before, sum_of_tile};
import package::shared::select_tile::{own_bits, put_tile};

// The number of elements that are kept before each tile.
@group(0) @binding(6) var<storage> tile_sums: array<u32>;

@compute @workgroup_size(256)
fn select_tiles(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let tile = group.x;
    load_tile(tile, local);
    let bits = own_bits(local);
    share_sums(local, countOneBits(bits));
    put_tile(tile, local, bits, tile_sums[tile], sum_before(local).sum, sum_of_tile().sum);
}

// Selects from the only tile, which has no elements before it.
@compute @workgroup_size(256)
fn select_tile(@builtin(local_invocation_index) local: u32) {
    load_tile(0u, local);
    let bits = own_bits(local);
    share_sums(local, countOneBits(bits));
    put_tile(0u, local, bits, 0u, sum_before(local).sum, sum_of_tile().sum);
}
