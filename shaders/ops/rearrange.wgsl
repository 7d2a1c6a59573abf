// Writes each element of a box of y, from a position in x that is computed axis by axis.
import package::shared::elements::{Cell, cell_of, load, store};
@if(packed)
import package::shared::elements::{bits, merge};

struct Axis {
    // The number of positions, and the distance between neighbouring positions in y.
    size: u32,
    in_y: u32,
    // Position o is read from position start + step * o of x, which has `extent` positions at a distance of `in_x`.
    start: i32,
    step: i32,
    extent: i32,
    in_x: u32,
    // One of the constants below.
    mode: u32,
    spare: u32,
}

struct Walk {
    count: u32,
    first_of_x: u32,
    first_of_y: u32,
    // The number of cells after which the fill value repeats.
    period: u32,
    // All axes, the last axis first.
    axes: array<Axis, 8>,
}

const plain = 0u;
const constant = 1u;
const edge = 2u;
const reflect = 3u;
const symmetric = 4u;
const wrap = 5u;

override rank: u32 = 1u;
// Whether any axis has another mode than plain.
override mapped: bool = true;
// For packed elements: whether y is contiguous in the order in which the kernel iterates.
@if(packed)
override dense: bool = true;

@group(0) @binding(0) var<uniform> walk: Walk;
// The fill value, with one cell in each vector.
@group(0) @binding(3) var<uniform> fill: array<vec4<u32>, 16>;

struct Place {
    in_x: u32,
    in_y: u32,
    inside: bool,
}

// Returns the position in an axis for a position outside, if the axis continues periodically and may be reflected.
// `extent` is the length of a period; if the axis is reflected, the second half of a period runs backwards.
fn folded(place: i32, extent: i32, mode: u32) -> i32 {
    var s = place % extent;
    s += select(0, extent, s < 0);
    if mode == reflect {
        return min(s, extent - s);
    }
    if mode == symmetric {
        return min(s, extent - 1 - s);
    }
    return s;
}

fn place(number: u32) -> Place {
    var rest = number;
    var found = Place(0u, 0u, true);
    for (var at = 0u; at < rank; at++) {
        let axis = walk.axes[at];
        var o = rest;
        if at + 1u < rank {
            rest = rest / axis.size;
            o -= rest * axis.size;
        }
        found.in_y += o * axis.in_y;
        var source = o;
        if mapped && axis.mode != plain {
            var s = axis.start + axis.step * i32(o);
            if axis.mode == constant {
                found.inside = found.inside && s >= 0 && s < axis.extent;
            } else if axis.mode == edge {
                s = clamp(s, 0, axis.extent - 1);
            } else {
                s = folded(s, axis.extent, axis.mode);
            }
            source = u32(s);
        }
        found.in_x += source * axis.in_x;
    }
    return found;
}

fn cell_at(found: Place) -> Cell {
    if mapped && !found.inside {
        return cell_of(fill[found.in_y % walk.period]);
    }
    return load(walk.first_of_x + found.in_x);
}

@if(!packed)
@compute @workgroup_size(256)
fn rearrange(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < walk.count {
        let found = place(id.x);
        store(walk.first_of_y + found.in_y, cell_at(found));
    }
}

@if(packed)
@compute @workgroup_size(256)
fn rearrange(@builtin(global_invocation_id) id: vec3<u32>) {
    if !dense {
        if id.x < walk.count {
            let found = place(id.x);
            store(walk.first_of_y + found.in_y, cell_at(found));
        }
        return;
    }
    // The invocation writes a word of y.
    let each = 32u / bits;
    let skip = walk.first_of_y % each;
    if id.x * each >= skip + walk.count {
        return;
    }
    var word = 0u;
    var mask = 0u;
    for (var k = 0u; k < each; k++) {
        // Elements before the array have negative numbers, which wrap around to large ones.
        let number = id.x * each + k - skip;
        if number < walk.count {
            word |= cell_at(place(number)) << (k * bits);
            mask |= (0xffffffffu >> (32u - bits)) << (k * bits);
        }
    }
    merge(walk.first_of_y / each + id.x, word, mask);
}
