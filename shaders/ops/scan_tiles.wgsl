// A scan in three passes: the sum of each tile, the sums before each tile, the results.
import package::shared::scan_heads::segmented;
import package::shared::scan_monoid::{A, identity, items};
import package::shared::scan_part::{Part, joined};
import package::shared::scan_results::{place_results, store_tile};
import package::shared::scan_sizes::sizes;
import package::shared::scan_tile::{
    head_bits, load_tile, own_heads, own_sum, share_sums, sum_before, sum_of_tile,
};

// The sum of each tile since its last head, and whether it has a head; later the sum of all tiles before each tile.
@group(0) @binding(6) var<storage, read_write> tile_sums: array<A>;
@group(0) @binding(7) var<storage, read_write> tile_cuts: array<u32>;

@compute @workgroup_size(256)
fn sum_tiles(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    load_tile(group.x, local);
    share_sums(local, own_sum(local, own_heads(local)));
    if local == 0u && group.x < sizes.tiles {
        let sum = sum_of_tile();
        tile_sums[group.x] = sum.sum;
        tile_cuts[group.x] = u32(sum.cut);
    }
}

// Scans the sums of all tiles in one workgroup; an invocation scans `items` tiles at a time.
@compute @workgroup_size(256)
fn scan_sums(@builtin(local_invocation_index) local: u32) {
    var carry = Part(identity(), false);
    for (var begin = 0u; begin < sizes.tiles; begin += 256u * items) {
        let first = begin + local * items;
        let end = min(first + items, sizes.tiles);
        var own = Part(identity(), false);
        for (var k = first; k < end; k++) {
            own = joined(own, Part(tile_sums[k], tile_cuts[k] != 0u));
        }
        if segmented {
            atomicStore(&head_bits[local], u32(own.cut));
        }
        share_sums(local, own.sum);
        var sum = joined(carry, sum_before(local));
        carry = joined(carry, sum_of_tile());
        for (var k = first; k < end; k++) {
            let next = Part(tile_sums[k], tile_cuts[k] != 0u);
            tile_sums[k] = sum.sum;
            sum = joined(sum, next);
        }
        workgroupBarrier();
    }
}

@compute @workgroup_size(256)
fn scan_tiles(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let tile = group.x;
    load_tile(tile, local);
    let heads = own_heads(local);
    share_sums(local, own_sum(local, heads));
    place_results(local, tile_sums[min(tile, sizes.tiles - 1u)], sum_before(local), heads);
    store_tile(tile, local);
}

// Scans the only tile, which has no sums before it.
@compute @workgroup_size(256)
fn scan_tile(@builtin(local_invocation_index) local: u32) {
    load_tile(0u, local);
    let heads = own_heads(local);
    share_sums(local, own_sum(local, heads));
    place_results(local, identity(), sum_before(local), heads);
    store_tile(0u, local);
}
