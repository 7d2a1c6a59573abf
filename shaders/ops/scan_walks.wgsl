// Scans of lines of neighbouring elements for processors: a workgroup is one invocation, which walks along one part of
// one line, so that its code has no vectors.
//
// With several parts there are three passes: the sum of each part, the sums before each part, the results.
import package::shared::scan_heads::{is_head, segmented};
import package::shared::scan_input::at;
import package::shared::scan_monoid::{A, combined, identity, loaded, stored};
import package::shared::scan_order::{exclusive, reverse};
import package::shared::scan_sizes::sizes;
import package::shared::scan_target::y;

// The sum of each part since its last head, and whether it has a head; later the sum of all parts before each part.
@group(0) @binding(6) var<storage, read_write> part_sums: array<A>;
@group(0) @binding(7) var<storage, read_write> part_cuts: array<u32>;

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

// Sums parts of lines: group.x is the part and group.y the line.
@compute @workgroup_size(1)
fn sum_walks(@builtin(workgroup_id) group: vec3<u32>) {
    let begin = group.x * sizes.chunk;
    let end = min(begin + sizes.chunk, sizes.length);
    var sum = identity();
    var cut = false;
    for (var k = begin; k < end; k++) {
        let next = loaded(at(place(group.y, k)));
        if segmented && begins(k) {
            sum = next;
            cut = true;
        } else {
            sum = combined(sum, next);
        }
    }
    part_sums[group.x * sizes.lines + group.y] = sum;
    part_cuts[group.x * sizes.lines + group.y] = u32(cut);
}

// Scans the sums of all parts of a line.
@compute @workgroup_size(1)
fn scan_walk_sums(@builtin(workgroup_id) group: vec3<u32>) {
    var sum = identity();
    for (var part = 0u; part < sizes.tiles; part++) {
        let at = part * sizes.lines + group.x;
        let own = part_sums[at];
        part_sums[at] = sum;
        if segmented && part_cuts[at] != 0u {
            sum = own;
        } else {
            sum = combined(sum, own);
        }
    }
}

fn walked(line: u32, begin: u32, before: A) {
    let end = min(begin + sizes.chunk, sizes.length);
    var sum = before;
    for (var k = begin; k < end; k++) {
        let place = place(line, k);
        let next = loaded(at(place));
        var excluded = sum;
        if segmented && begins(k) {
            excluded = identity();
            sum = next;
        } else {
            sum = combined(sum, next);
        }
        if exclusive {
            y[sizes.first_of_y + place] = stored(excluded);
        } else {
            y[sizes.first_of_y + place] = stored(sum);
        }
    }
}

@compute @workgroup_size(1)
fn scan_walks(@builtin(workgroup_id) group: vec3<u32>) {
    walked(group.y, group.x * sizes.chunk, part_sums[group.x * sizes.lines + group.y]);
}

// Scans lines, each of which is one part.
@compute @workgroup_size(1)
fn scan_rows(@builtin(workgroup_id) group: vec3<u32>) {
    walked(group.y, 0u, identity());
}
