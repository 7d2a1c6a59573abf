// Scans of one line of vectors of four elements for processors: a workgroup is one invocation, which walks along one
// part of the line. Each vector is one access, and adds one step to the chain of sums.
//
// With several parts there are three passes: the sum of each part, the sums before each part (`scan_walk_sums` of
// `scan_walks`), the results.
import package::shared::scan_monoid::{A, T, combined, identity, loaded, stored};
import package::shared::scan_order::{exclusive, reverse};
import package::shared::scan_sizes::sizes;
import package::shared::scan_vector_input::at;
import package::shared::scan_vector_source::place;
import package::shared::scan_vector_target::y;

// The sum of each part; later the sum of all parts before each part.
@group(0) @binding(6) var<storage, read_write> part_sums: array<A>;
@group(0) @binding(7) var<storage, read_write> part_cuts: array<u32>;

// Returns the sums of the first one to four elements of a vector, in the order of the scan.
fn sums_within(i: u32) -> vec4<A> {
    let v = at(place(i));
    let all = vec4(loaded(v.x), loaded(v.y), loaded(v.z), loaded(v.w));
    let ordered = select(all, all.wzyx, reverse);
    let two = combined(ordered.x, ordered.y);
    let three = combined(two, ordered.z);
    return vec4(ordered.x, two, three, combined(three, ordered.w));
}

@compute @workgroup_size(1)
fn sum_walked_vectors(@builtin(workgroup_id) group: vec3<u32>) {
    let begin = group.x * (sizes.chunk / 4u);
    let end = min(begin + sizes.chunk / 4u, sizes.length / 4u);
    var sum = identity();
    for (var i = begin; i < end; i++) {
        sum = combined(sum, sums_within(i).w);
    }
    part_sums[group.x] = sum;
    part_cuts[group.x] = 0u;
}

fn walked(begin: u32, before: A) {
    let end = min(begin + sizes.chunk / 4u, sizes.length / 4u);
    var sum = before;
    for (var i = begin; i < end; i++) {
        let within = sums_within(i);
        let upto = vec4(
            combined(sum, within.x), combined(sum, within.y), combined(sum, within.z), combined(sum, within.w)
        );
        let shown = select(upto, vec4(sum, upto.xyz), exclusive);
        let result = vec4<T>(stored(shown.x), stored(shown.y), stored(shown.z), stored(shown.w));
        y[sizes.first_of_y + place(i)] = select(result, result.wzyx, reverse);
        sum = upto.w;
    }
}

@compute @workgroup_size(1)
fn scan_walked_vectors(@builtin(workgroup_id) group: vec3<u32>) {
    walked(group.x * (sizes.chunk / 4u), part_sums[group.x]);
}

// Scans the line as one part.
@compute @workgroup_size(1)
fn scan_row_of_vectors(@builtin(workgroup_id) group: vec3<u32>) {
    walked(0u, identity());
}
