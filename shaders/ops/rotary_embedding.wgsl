// Rotary embeddings: pairs of elements, rotated by the angle of their position (Su et al., 'RoFormer', 2021).
@if(packed)
import package::shared::halves::{element_in, rounded};

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

struct Rotary {
    // The number of elements, and of elements of a head; pairs are among the first `rotated` elements of a head.
    count: u32,
    size: u32,
    rotated: u32,
    // The sizes of the two axes before the elements of a head, and the number of positions.
    outer: u32,
    inner: u32,
    positions: u32,
    first_of_x: u32,
    first_of_y: u32,
    first_of_cosines: u32,
    first_of_sines: u32,
}

@group(0) @binding(0) var<uniform> rotary: Rotary;
@group(0) @binding(1) var<storage> x: array<Cell>;
@group(0) @binding(2) var<storage, read_write> y: array<Cell>;
@group(0) @binding(3) var<storage> cosines: array<f32>;
@group(0) @binding(4) var<storage> sines: array<f32>;

// Whether pairs are neighbours; otherwise, each half of a head has one element of a pair.
override interleaved: bool = false;
// Whether positions are the outer axis; otherwise they are the inner axis.
override positions_first: bool = false;
// Whether each batch has separate tables.
override per_batch: bool = false;
// Whether pairs are rotated by the negative angles.
override inverse: bool = false;

@if(packed)
fn load(at: u32) -> f32 {
    return element_in(x[at / 2u], at);
}

@if(!packed)
fn load(at: u32) -> f32 {
    return x[at];
}

// Returns the index of the first element in the tables for a line of elements.
fn angles_of(line: u32) -> u32 {
    let block = line / rotary.inner;
    let batch = block / rotary.outer;
    var position = line - block * rotary.inner;
    if positions_first {
        position = block - batch * rotary.outer;
    }
    if per_batch {
        position += batch * rotary.positions;
    }
    return position * (rotary.rotated / 2u);
}

fn result(number: u32) -> f32 {
    let line = number / rotary.size;
    let column = number - line * rotary.size;
    let here = load(rotary.first_of_x + number);
    if column >= rotary.rotated {
        return here;
    }
    let half = rotary.rotated / 2u;
    var pair = column;
    var other = number + half;
    var is_first = column < half;
    if interleaved {
        pair = column / 2u;
        is_first = column % 2u == 0u;
        other = number + 1u;
    }
    if !is_first {
        if interleaved {
            other = number - 1u;
        } else {
            pair = column - half;
            other = number - half;
        }
    }
    let angle = angles_of(line) + pair;
    let sine = sines[rotary.first_of_sines + angle];
    // The sine is negated for the first element of a pair or, with `inverse`, for the second element.
    let signed = select(sine, -sine, is_first != inverse);
    return here * cosines[rotary.first_of_cosines + angle] + load(rotary.first_of_x + other) * signed;
}

@if(!packed)
@compute @workgroup_size(256)
fn rotate(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rotary.count {
        y[rotary.first_of_y + id.x] = result(id.x);
    }
}

// Each invocation writes a word of y.
@if(packed)
@compute @workgroup_size(256)
fn rotate(@builtin(global_invocation_id) id: vec3<u32>) {
    let skip = rotary.first_of_y % 2u;
    if id.x * 2u >= skip + rotary.count {
        return;
    }
    var results = vec4(0.0);
    var mask = 0u;
    // Elements before the array have negative numbers, which wrap around to large ones.
    let number = id.x * 2u - skip;
    if number < rotary.count {
        results.x = result(number);
        mask = 0xffffu;
    }
    if number + 1u < rotary.count {
        results.y = result(number + 1u);
        mask |= 0xffff0000u;
    }
    let bits = rounded(results);
    let at = rotary.first_of_y / 2u + id.x;
    var word = bits.x | (bits.y << 16u);
    // Elements around the array keep their bits.
    if mask != 0xffffffffu {
        word = (word & mask) | (y[at] & ~mask);
    }
    y[at] = word;
}
