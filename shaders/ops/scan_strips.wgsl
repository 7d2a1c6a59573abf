// Scans of lines of neighbouring elements without workgroup memory: a subgroup of eight invocations scans one part of
// one line, eight elements at a time.
//
// With several parts there are three passes: the sum of each part, the sums before each part (a pass of `scan_lines`),
// the results. Loops have the same length for all subgroups, and lanes beyond the end take part with neutral elements,
// as subgroup operations have to be in uniform control flow.
enable subgroups;

import package::shared::scan_heads::{is_head, segmented};
import package::shared::scan_input::at;
import package::shared::scan_monoid::{A, combined, identity, loaded, stored};
import package::shared::scan_order::{exclusive, reverse};
import package::shared::scan_sizes::sizes;
import package::shared::scan_target::y;

// The sum of each part since its last head, and whether it has a head; later the sum of all parts before each part.
@group(0) @binding(6) var<storage, read_write> part_sums: array<A>;
@group(0) @binding(7) var<storage, read_write> part_cuts: array<u32>;

const lanes = 8u;

// A sum since the last head, and whether there is a head.
struct Sum {
    value: A,
    cut: bool,
}

// Returns the index of the k-th element of a line in the order of the scan.
fn place(line: u32, k: u32) -> u32 {
    return line * sizes.length + select(k, sizes.length - 1u - k, reverse);
}

// Whether a segment begins at the k-th element of a line. Only a single line has segments.
fn begins(k: u32) -> bool {
    if !reverse {
        return is_head(k);
    }
    return k != 0u && is_head(sizes.length - k);
}

fn joined(a: Sum, b: Sum) -> Sum {
    if segmented && b.cut {
        return b;
    }
    return Sum(combined(a.value, b.value), a.cut || b.cut);
}

// Returns the k-th element of a line as a sum, or a neutral sum beyond the end.
fn single(line: u32, k: u32, end: u32) -> Sum {
    var sum = Sum(identity(), false);
    if k < end {
        sum = Sum(loaded(at(place(line, k))), segmented && begins(k));
    }
    return sum;
}

// Returns the sum of the lane `by` lanes below; `by` is a constant.
fn of_lane_below(sum: Sum, by: u32) -> Sum {
    var cut = false;
    if segmented {
        cut = subgroupShuffleUp(u32(sum.cut), by) != 0u;
    }
    return Sum(subgroupShuffleUp(sum.value, by), cut);
}

fn of_lane_above(sum: Sum, by: u32) -> Sum {
    var cut = false;
    if segmented {
        cut = subgroupShuffleDown(u32(sum.cut), by) != 0u;
    }
    return Sum(subgroupShuffleDown(sum.value, by), cut);
}

fn with_lane_below(sum: Sum, by: u32, lane: u32) -> Sum {
    let below = of_lane_below(sum, by);
    var result = sum;
    if lane >= by {
        result = joined(below, sum);
    }
    return result;
}

// Returns, in each lane, the sum of all lanes up to this lane.
fn up_to(sum: Sum, lane: u32) -> Sum {
    return with_lane_below(with_lane_below(with_lane_below(sum, 1u, lane), 2u, lane), 4u, lane);
}

// Returns the sum of all lanes in lane 0; the sums in other lanes have no meaning.
fn of_all_lanes(sum: Sum) -> Sum {
    var all = joined(sum, of_lane_above(sum, 1u));
    all = joined(all, of_lane_above(all, 2u));
    return joined(all, of_lane_above(all, 4u));
}

fn of_last_lane(sum: Sum) -> Sum {
    var cut = false;
    if segmented {
        cut = subgroupShuffle(u32(sum.cut), lanes - 1u) != 0u;
    }
    return Sum(subgroupShuffle(sum.value, lanes - 1u), cut);
}

// Sums parts of lines: group.x is the part and group.y the line.
@compute @workgroup_size(8)
fn sum_strips(@builtin(workgroup_id) group: vec3<u32>, @builtin(subgroup_invocation_id) lane: u32) {
    let begin = group.x * sizes.chunk;
    let end = min(begin + sizes.chunk, sizes.length);
    var sum = Sum(identity(), false);
    for (var step = 0u; step < sizes.chunk / lanes; step++) {
        sum = joined(sum, of_all_lanes(single(group.y, begin + step * lanes + lane, end)));
    }
    if lane == 0u {
        part_sums[group.x * sizes.lines + group.y] = sum.value;
        part_cuts[group.x * sizes.lines + group.y] = u32(sum.cut);
    }
}

fn walked(line: u32, begin: u32, lane: u32, sum_before: A) {
    let end = min(begin + sizes.chunk, sizes.length);
    var before = sum_before;
    for (var step = 0u; step < sizes.chunk / lanes; step++) {
        let k = begin + step * lanes + lane;
        let own = single(line, k, end);
        let results = joined(Sum(before, false), up_to(own, lane));
        var result = results.value;
        if exclusive {
            result = of_lane_below(results, 1u).value;
            if lane == 0u {
                result = before;
            }
            if own.cut {
                result = identity();
            }
        }
        if k < end {
            y[sizes.first_of_y + place(line, k)] = stored(result);
        }
        before = of_last_lane(results).value;
    }
}

@compute @workgroup_size(8)
fn scan_strips(@builtin(workgroup_id) group: vec3<u32>, @builtin(subgroup_invocation_id) lane: u32) {
    walked(group.y, group.x * sizes.chunk, lane, part_sums[group.x * sizes.lines + group.y]);
}

// Scans lines, each of which is one part.
@compute @workgroup_size(8)
fn scan_rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(subgroup_invocation_id) lane: u32) {
    walked(group.y, 0u, lane, identity());
}
