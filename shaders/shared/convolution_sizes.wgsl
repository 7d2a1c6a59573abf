// The sizes of a convolution.

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

override has_bias: bool = false;

// Returns the position of y with this number.
fn position_of(number: u32) -> vec3<u32> {
    let line = number / conv.output.z;
    let plane = line / conv.output.y;
    return vec3(plane, line - plane * conv.output.y, number - line * conv.output.z);
}
