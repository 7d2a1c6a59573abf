enable subgroups;

// A scan of vectors of four elements, which stay in registers: in one pass, or in three with `scan_sums` of
// `scan_tiles`.
import package::shared::scan_look_back::{announce, next_tile, sum_before_tile};
import package::shared::scan_monoid::{A, T, combined, stored};
import package::shared::scan_order::{exclusive, reverse};
import package::shared::scan_sizes::sizes;
import package::shared::scan_vector_source::place;
import package::shared::scan_vector_target::y;
import package::shared::scan_vector_tile::{
    Lane, before, load_tile, own, sum_before, sum_of_tile, values, vectors, width,
};

// The sum of each tile, and whether a segment begins in it; later the sum of all tiles before each tile.
@group(0) @binding(6) var<storage, read_write> tile_sums: array<A>;
@group(0) @binding(7) var<storage, read_write> tile_cuts: array<u32>;

@compute @workgroup_size(256)
fn scan_chained_vectors(
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    own = Lane(local, subgroup, size, lane);
    let tile = next_tile(local);
    if tile >= sizes.tiles {
        return;
    }
    load_tile(tile);
    let sum = sum_of_tile();
    announce(tile, sum, local);
    let within = sum_before();
    let carry = sum_before_tile(tile, sum, local);
    store(tile, combined(carry, within));
}

@compute @workgroup_size(256)
fn sum_vectors(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    own = Lane(local, subgroup, size, lane);
    load_tile(group.x);
    if local == 0u && group.x < sizes.tiles {
        tile_sums[group.x] = sum_of_tile().sum;
        tile_cuts[group.x] = 0u;
    }
}

@compute @workgroup_size(256)
fn scan_vectors(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    own = Lane(local, subgroup, size, lane);
    load_tile(group.x);
    store(group.x, combined(tile_sums[min(group.x, sizes.tiles - 1u)], sum_before()));
}

// Writes the results of the tile; `carry` is the sum of all elements before the elements of the subgroup.
fn store(tile: u32, carry: A) {
    let first = (tile * width + own.subgroup * own.size) * vectors + own.lane;
    for (var k = 0u; k < vectors; k++) {
        let i = first + k * own.size;
        let sum = combined(carry, before[k]);
        let upto = values[k];
        let all = vec4(combined(sum, upto.x), combined(sum, upto.y), combined(sum, upto.z), combined(sum, upto.w));
        let shown = select(all, vec4(sum, all.xyz), exclusive);
        let result = vec4<T>(stored(shown.x), stored(shown.y), stored(shown.z), stored(shown.w));
        if i < sizes.length / 4u {
            y[sizes.first_of_y + place(i)] = select(result, result.wzyx, reverse);
        }
    }
}
