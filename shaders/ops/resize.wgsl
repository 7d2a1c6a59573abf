// Resizes an array: an invocation computes one result or, with `packed`, the two results of a word, from elements
// around a position in x.
@if(packed)
import package::shared::halves::{element_in, rounded};

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

struct Axis {
    // The number of positions in y, and the distance between neighbouring positions in x.
    size: u32,
    in_x: u32,
    // The index of a scaled axis, or 3 for an axis that keeps its size.
    slot: u32,
    spare: u32,
}

struct Scaled {
    // The number of positions in x, and the distance between neighbouring positions.
    size: u32,
    in_x: u32,
    // Position o of y is at o * step + offset of x.
    step: f32,
    offset: f32,
    // The factor of distances in x: below 1 if several elements of x become one result.
    shrink: f32,
    // The number of elements with weights on each side of a position.
    reach: i32,
    spare: vec2<u32>,
}

struct Sizes {
    count: u32,
    first_of_x: u32,
    first_of_y: u32,
    // The coefficient of cubic functions, and the value of results outside x.
    cubic: f32,
    outside: f32,
    rank: u32,
    @align(16) axes: array<Axis, 8>,
    scaled: array<Scaled, 3>,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<Cell>;
@if(packed)
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@else
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

// The mode and the rounding, each one of the constants below.
override mode: u32 = 1u;
override rounding: u32 = 0u;
// Whether each sum is divided by the sum of its weights; whether elements outside x have the weight 0; whether results
// at positions outside x are `outside`.
override normalised: bool = false;
override excludes_outside: bool = false;
override has_outside: bool = false;

const nearest = 0u;
const linear = 1u;
const cubic = 2u;

const half_down = 0u;
const half_up = 1u;
const down = 2u;
const up = 3u;

@if(packed)
fn load(at: u32) -> f32 {
    return element_in(x[at / 2u], at);
}

@if(!packed)
fn load(at: u32) -> f32 {
    return x[at];
}

// Returns the position of the element nearest to `place`, by the rule `rounding`. A place within the rounding error of
// the boundary between two elements counts as on the boundary.
fn nearest_of(place: f32) -> i32 {
    let error = (1.0 + abs(place)) * 0x1p-20;
    if rounding == half_down {
        return i32(ceil(place - 0.5 - error));
    }
    if rounding == half_up {
        return i32(floor(place + 0.5 + error));
    }
    if rounding == down {
        return i32(floor(place + error));
    }
    return i32(ceil(place - error));
}

fn weight_at(distance: f32) -> f32 {
    let t = abs(distance);
    if mode == linear {
        return max(0.0, 1.0 - t);
    }
    let a = sizes.cubic;
    if t <= 1.0 {
        return ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0;
    }
    return select(0.0, ((a * t - 5.0 * a) * t + 8.0 * a) * t - 4.0 * a, t < 2.0);
}

// The `count` positions, from `first` on, that a result reads along an axis; `place` is the exact position of the
// result.
struct Reads {
    first: i32,
    count: i32,
    place: f32,
    is_outside: bool,
}

fn reads_of(slot: u32, number: u32) -> Reads {
    let axis = sizes.scaled[slot];
    let place = f32(number) * axis.step + axis.offset;
    let is_outside = place < 0.0 || place > f32(axis.size - 1u);
    if mode == nearest {
        return Reads(nearest_of(place), 1, place, is_outside);
    }
    return Reads(i32(floor(place)) - axis.reach + 1, 2 * axis.reach, place, is_outside);
}

struct Read {
    at: u32,
    weight: f32,
}

fn read_of(slot: u32, reads: Reads, number: i32) -> Read {
    let axis = sizes.scaled[slot];
    let position = reads.first + number;
    let inside = clamp(position, 0, i32(axis.size) - 1);
    var weight = 1.0;
    if mode != nearest {
        weight = weight_at((f32(position) - reads.place) * axis.shrink);
        if excludes_outside && inside != position {
            weight = 0.0;
        }
    }
    return Read(u32(inside) * axis.in_x, weight);
}

// Returns a weighted element. An element of weight 0 has no influence, even if it is infinite.
fn weighted(weight: f32, at: u32) -> f32 {
    if weight == 0.0 {
        return 0.0;
    }
    return weight * load(at);
}

// Returns element `number` of y.
fn result(number: u32) -> f32 {
    var rest = number;
    var at = sizes.first_of_x;
    var scaled = vec3(0u);
    // The last axis is first.
    for (var k = 0u; k < sizes.rank; k++) {
        let axis = sizes.axes[k];
        let next = rest / axis.size;
        let position = rest - next * axis.size;
        rest = next;
        if axis.slot == 0u {
            scaled.x = position;
        } else if axis.slot == 1u {
            scaled.y = position;
        } else if axis.slot == 2u {
            scaled.z = position;
        } else {
            at += position * axis.in_x;
        }
    }
    let first = reads_of(0u, scaled.x);
    let second = reads_of(1u, scaled.y);
    let third = reads_of(2u, scaled.z);
    if has_outside && (first.is_outside || second.is_outside || third.is_outside) {
        return sizes.outside;
    }
    var sum = 0.0;
    var weights = 0.0;
    for (var i = 0; i < first.count; i++) {
        let a = read_of(0u, first, i);
        for (var j = 0; j < second.count; j++) {
            let b = read_of(1u, second, j);
            for (var k = 0; k < third.count; k++) {
                let c = read_of(2u, third, k);
                let weight = a.weight * b.weight * c.weight;
                sum += weighted(weight, at + a.at + b.at + c.at);
                weights += weight;
            }
        }
    }
    return select(sum, sum / weights, normalised);
}

@if(!packed)
@compute @workgroup_size(256)
fn resize(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.count {
        y[sizes.first_of_y + id.x] = result(id.x);
    }
}

@if(packed)
@compute @workgroup_size(256)
fn resize(@builtin(global_invocation_id) id: vec3<u32>) {
    let skip = sizes.first_of_y % 2u;
    if id.x * 2u >= skip + sizes.count {
        return;
    }
    var results = vec4(0.0);
    var mask = 0u;
    // Elements before the array have negative numbers, which wrap around to large ones.
    let number = id.x * 2u - skip;
    if number < sizes.count {
        results.x = result(number);
        mask = 0xffffu;
    }
    if number + 1u < sizes.count {
        results.y = result(number + 1u);
        mask |= 0xffff0000u;
    }
    let bits = rounded(results);
    let at = sizes.first_of_y / 2u + id.x;
    var word = bits.x | (bits.y << 16u);
    // Elements around the array keep their bits.
    if mask != 0xffffffffu {
        word = (word & mask) | (y[at] & ~mask);
    }
    y[at] = word;
}
