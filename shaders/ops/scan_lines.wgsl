// Scans along an axis without workgroup memory: an invocation scans one part of one line.
//
// Line l consists of elements l / inner * length * inner + l % inner + k * inner, for k below length. With several parts
// there are three passes: the sum of each part, the sums before each part, the results.
import package::shared::scan_heads::{is_head, segmented};
import package::shared::scan_input::at;
import package::shared::scan_monoid::{A, combined, identity, loaded, stored};
import package::shared::scan_order::{exclusive, reverse};
import package::shared::scan_sizes::sizes;
import package::shared::scan_target::y;

// The sum of each part since its last head, and whether it has a head; later the sum of all parts before each part.
@group(0) @binding(6) var<storage, read_write> part_sums: array<A>;
@group(0) @binding(7) var<storage, read_write> part_cuts: array<u32>;

// The part of a line that an invocation scans.
struct Walk {
    origin: u32,
    begin: u32,
    end: u32,
}

fn walk_of(job: u32) -> Walk {
    let line = job % sizes.lines;
    let part = job / sizes.lines;
    let begin = min(part * sizes.chunk, sizes.length);
    let origin = line / sizes.inner * sizes.inner * sizes.length + line % sizes.inner;
    return Walk(origin, begin, min(begin + sizes.chunk, sizes.length));
}

// Returns the index of the k-th element of a line in the order of the scan.
fn place(origin: u32, k: u32) -> u32 {
    return origin + select(k, sizes.length - 1u - k, reverse) * sizes.inner;
}

// Whether a segment begins at the k-th element of a line. Only a single line has segments.
fn begins(k: u32) -> bool {
    if !reverse {
        return is_head(k);
    }
    return k != 0u && is_head(sizes.length - k);
}

@compute @workgroup_size(256)
fn sum_parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.lines * sizes.tiles {
        return;
    }
    let walk = walk_of(id.x);
    var sum = identity();
    var cut = false;
    for (var k = walk.begin; k < walk.end; k++) {
        let next = loaded(at(place(walk.origin, k)));
        if segmented && begins(k) {
            sum = next;
            cut = true;
        } else {
            sum = combined(sum, next);
        }
    }
    part_sums[id.x] = sum;
    part_cuts[id.x] = u32(cut);
}

// Scans the sums of all parts of a line, in one invocation for each line.
@compute @workgroup_size(256)
fn scan_sums(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.lines {
        return;
    }
    var sum = identity();
    for (var part = 0u; part < sizes.tiles; part++) {
        let own = part_sums[part * sizes.lines + id.x];
        part_sums[part * sizes.lines + id.x] = sum;
        if segmented && part_cuts[part * sizes.lines + id.x] != 0u {
            sum = own;
        } else {
            sum = combined(sum, own);
        }
    }
}

fn walked(job: u32, before: A) {
    let walk = walk_of(job);
    var sum = before;
    for (var k = walk.begin; k < walk.end; k++) {
        let place = place(walk.origin, k);
        let next = loaded(at(place));
        let cut = segmented && begins(k);
        if cut {
            sum = identity();
        }
        let excluded = sum;
        if cut {
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

@compute @workgroup_size(256)
fn scan_parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.lines * sizes.tiles {
        walked(id.x, part_sums[id.x]);
    }
}

// Scans lines, each of which is one part.
@compute @workgroup_size(256)
fn scan_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.lines {
        walked(id.x, identity());
    }
}
