enable subgroups;

// The last step of a pass of a radix sort: moves the keys of each block to their positions, by ranks in subgroups.
import package::shared::radix::{radix, sizes};
import package::shared::radix_subgroups::{
    Lane, add_starts, exchange_keys, items, move_tile, next, rank_keys, starts, threads,
};

@group(0) @binding(5) var<storage> counts: array<u32>;
@group(0) @binding(6) var<storage> totals: array<u32>;

@compute @workgroup_size(threads)
fn scatter(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) in_subgroup: u32,
) {
    let lane = Lane(local, subgroups, subgroup, size, in_subgroup);
    for (var value = local; value < radix; value += threads) {
        starts[value] = totals[value];
    }
    workgroupBarrier();
    add_starts(lane);
    for (var value = local; value < radix; value += threads) {
        next[value] = starts[value] + counts[value * sizes.blocks + group.x];
    }
    workgroupBarrier();
    let begin = min(group.x * sizes.span, sizes.length);
    let end = begin + min(sizes.span, sizes.length - begin);
    let tile = threads * items;
    for (var first = begin; first < end; first += tile) {
        let count = min(tile, end - first);
        var low: array<u32, 14>;
        var high: array<u32, 14>;
        var places: array<u32, 14>;
        rank_keys(lane, first, count, &low, &high, &places);
        exchange_keys(lane, &low, &high, &places);
        move_tile(lane, first, count, low, high, places);
        workgroupBarrier();
        for (var value = local; value < radix; value += threads) {
            var last = tile;
            if value < radix - 1u {
                last = starts[value + 1u];
            }
            next[value] += last;
        }
        workgroupBarrier();
    }
}
