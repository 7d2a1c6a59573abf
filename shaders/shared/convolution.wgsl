// A convolution: the positions of x that each result reads, and its arrays. Floats are f32, or, with `packed`, two in a
// word.
//
// Transposed convolutions read x spread out: with `spread` - 1 zeros between neighbours.
@if(packed)
import package::shared::halves::element_in;

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

// The components of each vector are depth, height and width. Negative offsets wrap around in 32 bits.
struct Convolution {
    // The sizes of y and of the kernel.
    output: vec4<u32>,
    kernel: vec4<u32>,
    // Tap k of position o reads position step * o + offset + tap * k of x, which has `extent` spread-out positions.
    step: vec4<u32>,
    offset: vec4<u32>,
    tap: vec4<u32>,
    extent: vec4<u32>,
    spread: vec4<u32>,
    // The distances of neighbours in x and y: depth, height, width, channels.
    in_x: vec4<u32>,
    in_y: vec4<u32>,
    // The distances in the weights: channels of y, channels of x, taps, groups.
    in_weights: vec4<u32>,
    examples: u32,
    groups: u32,
    // The number of channels of a group in x, and in y.
    inputs: u32,
    outputs: u32,
    example_in_x: u32,
    example_in_y: u32,
    first_of_x: u32,
    first_of_y: u32,
    first_of_weights: u32,
    first_of_bias: u32,
}

@group(0) @binding(0) var<uniform> conv: Convolution;
@group(0) @binding(1) var<storage> x: array<Cell>;
@group(0) @binding(3) var<storage> weights: array<Cell>;
@group(0) @binding(4) var<storage> bias: array<Cell>;

override has_bias: bool = false;
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

// Returns the position of y with this number.
fn position_of(number: u32) -> vec3<u32> {
    let line = number / conv.output.z;
    let plane = line / conv.output.y;
    return vec3(plane, line - plane * conv.output.y, number - line * conv.output.z);
}
