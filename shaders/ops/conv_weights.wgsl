// The derivatives of a convolution by its weights: sums over the positions of all examples, in parts of positions.
@if(packed)
import package::shared::halves::element_in;

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

// Vectors have depth, height and width. Offsets may be negative, in the arithmetic of 32 bits.
struct Convolution {
    output: vec4<u32>,
    kernel: vec4<u32>,
    // Tap k of position o reads position step * o + offset + tap * k of x, which has `extent` positions.
    step: vec4<u32>,
    offset: vec4<u32>,
    tap: vec4<u32>,
    extent: vec4<u32>,
    // The distances of neighbours in x and dy: depth, height, width, channels.
    in_x: vec4<u32>,
    in_dy: vec4<u32>,
    examples: u32,
    groups: u32,
    // The channels of a group in x and in dy.
    inputs: u32,
    outputs: u32,
    example_in_x: u32,
    example_in_dy: u32,
    first_of_x: u32,
    first_of_dy: u32,
    first_of_sums: u32,
    // The number of weights, and the positions of a part.
    weights: u32,
    chunk: u32,
}

@group(0) @binding(0) var<uniform> conv: Convolution;
@group(0) @binding(1) var<storage> x: array<Cell>;
@group(0) @binding(2) var<storage> dy: array<Cell>;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;

// Whether channels are the last axis of all arrays.
override channels_last: bool = false;

@if(packed)
fn load_x(at: u32) -> f32 {
    return element_in(x[at / 2u], at);
}

@if(!packed)
fn load_x(at: u32) -> f32 {
    return x[at];
}

@if(packed)
fn load_dy(at: u32) -> f32 {
    return element_in(dy[at / 2u], at);
}

@if(!packed)
fn load_dy(at: u32) -> f32 {
    return dy[at];
}

// The sum of a part of the positions for one weight.
@compute @workgroup_size(64)
fn parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= conv.weights {
        return;
    }
    let taps = conv.kernel.x * conv.kernel.y * conv.kernel.z;
    let line = id.x / (conv.inputs * taps);
    let within = id.x - line * conv.inputs * taps;
    var tap = within / conv.inputs;
    var input = within - tap * conv.inputs;
    if !channels_last {
        input = within / taps;
        tap = within - input * taps;
    }
    let row = tap / conv.kernel.z;
    let plane = row / conv.kernel.y;
    let place = vec3(plane, row - plane * conv.kernel.y, tap - row * conv.kernel.z);
    let offset = conv.offset.xyz + place * conv.tap.xyz;
    let of_x = conv.first_of_x + (line / conv.outputs * conv.inputs + input) * conv.in_x.w;
    let of_dy = conv.first_of_dy + line * conv.in_dy.w;

    let each = conv.output.x * conv.output.y * conv.output.z;
    let begin = id.y * conv.chunk;
    let end = min(begin + conv.chunk, conv.examples * each);
    var sum = 0.0;
    for (var number = begin; number < end; number++) {
        let example = number / each;
        let rest = number - example * each;
        let lines = rest / conv.output.z;
        let planes = lines / conv.output.y;
        let position = vec3(planes, lines - planes * conv.output.y, rest - lines * conv.output.z);
        let source = position * conv.step.xyz + offset;
        if all(source < conv.extent.xyz) {
            let in_x = source * conv.in_x.xyz;
            let in_dy = position * conv.in_dy.xyz;
            let at = of_x + example * conv.example_in_x + in_x.x + in_x.y + in_x.z;
            sum += load_x(at) * load_dy(of_dy + example * conv.example_in_dy + in_dy.x + in_dy.y + in_dy.z);
        }
    }
    sums[conv.first_of_sums + id.y * conv.weights + id.x] = sum;
}
