// Two passes of a selection for processors; the pass between them is `scan_walk_sums` of `scan_walks`.
//
// Elements are counted side by side. They are moved by a workgroup of one invocation, so that its code has no vectors,
// and without a branch on the condition: each element is written to the place of the next kept one, and stays there
// only if it is kept. The walk ends with the last kept element of its part, so that nothing is written beyond it. Loops
// count places in bindings, so that no access needs a check.
import package::shared::scan_sizes::sizes;
import package::shared::select_kept::{first_place, is_kept_at, last_place, move_to, moves_one, room_in_y};
import package::shared::select_moved::moved;

// The number of elements that are kept before each part, and within it.
@group(0) @binding(6) var<storage, read_write> part_sums: array<u32>;
@group(0) @binding(7) var<storage, read_write> part_counts: array<u32>;
@group(0) @binding(8) var<storage, read_write> count: array<u32>;

var<workgroup> kept: atomic<u32>;

@compute @workgroup_size(64)
fn count_walks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let begin = group.x * sizes.chunk;
    let end = last_place(min(begin + sizes.chunk, sizes.length));
    var own = 0u;
    for (var at = first_place() + begin + local; at < end; at += 64u) {
        own += u32(is_kept_at(at));
    }
    atomicAdd(&kept, own);
    workgroupBarrier();
    if local == 0u {
        let all = atomicLoad(&kept);
        part_sums[group.x] = all;
        part_counts[group.x] = all;
    }
}

@compute @workgroup_size(1)
fn select_walks(@builtin(workgroup_id) group: vec3<u32>) {
    let begin = group.x * sizes.chunk;
    let end = min(begin + sizes.chunk, sizes.length);
    let before = part_sums[group.x];
    let after = before + part_counts[group.x];
    if moves_one {
        let last = room_in_y(after);
        let stop = last_place(end);
        var to = sizes.first_of_y + before;
        for (var at = first_place() + begin; at < stop; at++) {
            if to >= last {
                break;
            }
            move_to(to, at);
            to += u32(is_kept_at(at));
        }
    } else {
        _ = moved(begin, end, before);
    }
    if group.x == sizes.tiles - 1u {
        count[0] = after;
    }
}

// Selects from all elements as one part, which is not counted before.
@compute @workgroup_size(1)
fn select_row() {
    count[0] = moved(0u, sizes.length, 0u);
}
