// The arrays of a convolution, and the positions of x that each result reads. Floats are f32, or, with `packed`, two in a
// word.
//
// Transposed convolutions read x spread out: with `spread` - 1 zeros between neighbours.
import package::shared::convolution_sizes::{conv, has_bias};
@if(packed)
import package::shared::halves::element_in;

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

@group(0) @binding(1) var<storage> x: array<Cell>;
@group(0) @binding(3) var<storage> weights: array<Cell>;
@group(0) @binding(4) var<storage> bias: array<Cell>;

// Whether channels are the last axis of x and y.
override channels_last: bool = false;
// Whether an axis of x is spread out.
override is_spread: bool = false;

@if(packed)
fn load_x(at: u32) -> f32 {
    return element_in(x[at / 2u], at);
}

@if(!packed)
fn load_x(at: u32) -> f32 {
    return x[at];
}

@if(packed)
fn load_weight(at: u32) -> f32 {
    return element_in(weights[at / 2u], at);
}

@if(!packed)
fn load_weight(at: u32) -> f32 {
    return weights[at];
}

// Returns the bias of a channel of y, with which the sum begins.
@if(packed)
fn bias_of(channel: u32) -> f32 {
    if !has_bias {
        return 0.0;
    }
    let at = conv.first_of_bias + channel;
    return element_in(bias[at / 2u], at);
}

@if(!packed)
fn bias_of(channel: u32) -> f32 {
    if !has_bias {
        return 0.0;
    }
    return bias[conv.first_of_bias + channel];
}

// Whether x, when spread out, has an element at a position.
fn is_element(position: vec3<u32>) -> bool {
    let inside = all(position < conv.extent.xyz);
    if is_spread {
        return inside && all(position % conv.spread.xyz == vec3(0u));
    }
    return inside;
}

// Returns the distance in x of a position of the spread-out axes from the first position.
fn distance_of(position: vec3<u32>) -> u32 {
    var place = position;
    if is_spread {
        place = position / conv.spread.xyz;
    }
    return place.x * conv.in_x.x + place.y * conv.in_x.y + place.z * conv.in_x.z;
}
