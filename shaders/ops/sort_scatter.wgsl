// The last step of a pass of a radix sort: moves the keys of each block to their positions, by workgroup memory alone.
import package::shared::prefix::{exclusive_prefix, sums};
import package::shared::radix::{digit_at, key_at, move_value, sizes, store_key};
import package::shared::radix_tile::{items, sort_tile, tile, tile_items};

@group(0) @binding(5) var<storage> counts: array<u32>;
@group(0) @binding(6) var<storage> totals: array<u32>;

// For each digit, the position of its next key.
var<workgroup> next: array<u32, 256>;

@compute @workgroup_size(256)
fn scatter(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let before = exclusive_prefix(local, totals[local]);
    next[local] = before + counts[local * sizes.blocks + group.x];
    workgroupBarrier();
    let begin = min(group.x * sizes.span, sizes.length);
    let end = begin + min(sizes.span, sizes.length - begin);
    for (var first = begin; first < end; first += tile) {
        let count = min(tile, end - first);
        for (var i = 0u; i < items; i++) {
            let at = i * 256u + local;
            // Items beyond the end come last.
            var digit = 255u;
            if at < count {
                digit = digit_at(first + at);
            }
            tile_items[at] = digit | (at << 8u);
        }
        workgroupBarrier();
        sort_tile(local);
        // Finds the first item of each digit in the sorted tile.
        for (var i = 0u; i < items; i++) {
            let at = i * 256u + local;
            let digit = tile_items[at] & 255u;
            if at == 0u || (tile_items[max(at, 1u) - 1u] & 255u) != digit {
                sums[digit] = at;
            }
        }
        workgroupBarrier();
        for (var i = 0u; i < items; i++) {
            let at = i * 256u + local;
            if at < count {
                let item = tile_items[at];
                let place = next[item & 255u] + at - sums[item & 255u];
                let source = first + (item >> 8u);
                if sizes.no_keys == 0u {
                    store_key(key_at(source), place);
                }
                move_value(source, place);
            }
        }
        workgroupBarrier();
        for (var i = 0u; i < items; i++) {
            let at = i * 256u + local;
            let digit = tile_items[at] & 255u;
            if at + 1u == count || (at < count && (tile_items[min(at + 1u, tile - 1u)] & 255u) != digit) {
                next[digit] += at + 1u - sums[digit];
            }
        }
        workgroupBarrier();
    }
}
