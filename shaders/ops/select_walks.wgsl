// Selections for processors, in three passes; the second is `scan_walk_sums` of `scan_walks`.
//
// The number of kept elements is a sum of flags, which vectors add. The results are written by workgroups of one
// invocation, whose code has no vectors: each walks along one part. No branch depends on the elements, as a processor
// would predict it wrongly: the index of each element is stored, and the next index replaces it unless the element is
// kept.
enable subgroups;

import package::shared::scan_sizes::sizes;
import package::shared::select_kept::{is_kept, put, put_rest, puts_rest};

// The number of elements that are kept in each part; later the number before each part.
@group(0) @binding(6) var<storage, read_write> part_sums: array<u32>;
@group(0) @binding(7) var<storage, read_write> part_cuts: array<u32>;
@group(0) @binding(8) var<storage, read_write> count: array<u32>;

// The number of elements after which results are written.
const block = 256u;

// The indices of the elements of a block that are kept, and of the others.
var<workgroup> kept: array<u32, block>;
var<workgroup> rest: array<u32, block>;

@compute @workgroup_size(8)
fn count_walks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let begin = group.x * sizes.chunk;
    let end = min(begin + sizes.chunk, sizes.length);
    var sum = 0u;
    for (var i = begin + lane; i < end; i += 8u) {
        sum += u32(is_kept(i));
    }
    let all = subgroupAdd(sum);
    if lane == 0u {
        part_sums[group.x] = all;
        part_cuts[group.x] = 0u;
    }
}

fn put_part(part: u32, before: u32) {
    let begin = min(part * sizes.chunk, sizes.length);
    let end = min(begin + sizes.chunk, sizes.length);
    var to = before;
    for (var first = begin; first < end; first += block) {
        let last = min(first + block, end);
        var filled = 0u;
        for (var i = first; i < last; i++) {
            // The masks change nothing, but show that the indices are in range.
            kept[filled & (block - 1u)] = i;
            if puts_rest {
                rest[(i - first - filled) & (block - 1u)] = i;
            }
            filled += u32(is_kept(i));
        }
        for (var k = 0u; k < filled; k++) {
            put(to + k, kept[k & (block - 1u)]);
        }
        if puts_rest {
            for (var k = 0u; k < last - first - filled; k++) {
                put_rest(first - to + k, rest[k & (block - 1u)]);
            }
        }
        to += filled;
    }
    if part == sizes.tiles - 1u {
        count[0] = to;
    }
}

@compute @workgroup_size(1)
fn select_walks(@builtin(workgroup_id) group: vec3<u32>) {
    if group.x < sizes.tiles {
        put_part(group.x, part_sums[group.x]);
    }
}

// Selects from all elements as one part.
@compute @workgroup_size(1)
fn select_walk() {
    put_part(0u, 0u);
}
