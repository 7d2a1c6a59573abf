// A stable merge sort by a comparison: sorts short runs, and merges pairs of neighbouring runs by merge paths.
import package::shared::sort_by_order::{T, before, tile};

struct Sizes {
    length: u32,
    // The index of each array's first element in its binding.
    first_of_x: u32,
    first_of_y: u32,
    // The length of a run, and the number of elements that an invocation merges: a divisor of this length.
    run: u32,
    span: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<T>;
@group(0) @binding(2) var<storage, read_write> y: array<T>;

// For processors: each invocation inserts the elements of a run one by one.
@compute @workgroup_size(64)
fn sort_runs(@builtin(global_invocation_id) id: vec3<u32>) {
    let begin = id.x * sizes.run;
    if begin >= sizes.length {
        return;
    }
    let end = begin + min(sizes.run, sizes.length - begin);
    for (var next = begin; next < end; next++) {
        let element = x[sizes.first_of_x + next];
        var at = next;
        for (; at > begin; at--) {
            let other = y[sizes.first_of_y + at - 1u];
            if !before(element, other) {
                break;
            }
            y[sizes.first_of_y + at] = other;
        }
        y[sizes.first_of_y + at] = element;
    }
}

var<workgroup> elements: array<T, tile>;
// The positions of the tile's elements in sorted order; positions beyond the last element come last.
var<workgroup> places: array<u32, tile>;

@compute @workgroup_size(256)
fn sort_tiles(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let begin = min(group.x * tile, sizes.length);
    let count = min(tile, sizes.length - begin);
    for (var at = local; at < tile; at += 256u) {
        places[at] = at;
        if at < count {
            elements[at] = x[sizes.first_of_x + begin + at];
        }
    }
    workgroupBarrier();
    for (var width = 2u; width <= tile; width *= 2u) {
        for (var distance = width / 2u; distance > 0u; distance /= 2u) {
            for (var pair = local; pair < tile / 2u; pair += 256u) {
                let low = (pair / distance) * distance * 2u + pair % distance;
                exchange(low, low + distance, (low & width) == 0u, count);
            }
            workgroupBarrier();
        }
    }
    for (var at = local; at < count; at += 256u) {
        y[sizes.first_of_y + begin + at] = elements[min(places[at], tile - 1u)];
    }
}

// Sorts two positions, ascending if `upwards`, else descending. Equal elements are ordered by their positions.
fn exchange(low: u32, high: u32, upwards: bool, count: u32) {
    let a = places[low];
    let b = places[high];
    var falls = b < a;
    if a < count && b < count {
        if before(elements[b], elements[a]) {
            falls = true;
        } else if before(elements[a], elements[b]) {
            falls = false;
        }
    }
    if falls == upwards {
        places[low] = b;
        places[high] = a;
    }
}

// An invocation merges a part of two runs.
@compute @workgroup_size(256)
fn merge_runs(@builtin(global_invocation_id) id: vec3<u32>) {
    let begin = id.x * sizes.span;
    if begin >= sizes.length {
        return;
    }
    // A pair consists of two runs, of which the second may be shorter or missing.
    let first = begin - begin % (2u * sizes.run);
    let length_of_a = min(sizes.run, sizes.length - first);
    let length_of_b = min(sizes.run, sizes.length - first - length_of_a);
    let a = sizes.first_of_x + first;
    let b = a + length_of_a;
    let done = begin - first;
    var low = done - min(done, length_of_b);
    var high = min(done, length_of_a);
    // A range of 32-bit positions is halved at most 32 times.
    for (var step = 0u; step < 33u && low < high; step++) {
        let middle = low + (high - low) / 2u;
        if before(x[b + done - 1u - middle], x[a + middle]) {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    var i = low;
    var j = done - low;
    let count = min(sizes.span, sizes.length - begin);
    for (var out = 0u; out < count; out++) {
        var from_a = j >= length_of_b;
        if !from_a && i < length_of_a {
            from_a = !before(x[b + j], x[a + i]);
        }
        if from_a {
            y[sizes.first_of_y + begin + out] = x[a + i];
            i++;
        } else {
            y[sizes.first_of_y + begin + out] = x[b + j];
            j++;
        }
    }
}
