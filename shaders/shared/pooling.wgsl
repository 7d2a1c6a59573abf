// Combines the elements of a window to one result: the greatest element, the mean, or a norm. Floats are f32, or, with
// `packed`, two in a word.
@if(packed)
import package::shared::halves::element_in;

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

// The components of each vector are depth, height and width.
struct Pooling {
    input: vec4<u32>,
    output: vec4<u32>,
    kernel: vec4<u32>,
    stride: vec4<u32>,
    dilation: vec4<u32>,
    before: vec4<u32>,
    // The sizes of the input with its padding.
    padded: vec4<u32>,
    // The distances between neighbours along depth, height, width and channels, in x and in y.
    in_x: vec4<u32>,
    in_y: vec4<u32>,
    // The number of examples, and of channels.
    examples: u32,
    channels: u32,
    example_in_x: u32,
    example_in_y: u32,
    first_of_x: u32,
    first_of_y: u32,
    first_of_indices: u32,
    // The exponent of a norm.
    power: f32,
    // The bits of infinity: compilers assume that constants are finite.
    infinity: u32,
}

@group(0) @binding(0) var<uniform> pool: Pooling;
@group(0) @binding(1) var<storage> x: array<Cell>;
@group(0) @binding(3) var<storage, read_write> indices: array<u32>;

// One of the constants below.
override kind: u32 = 0u;
// Whether indices of the greatest elements are written.
override has_indices: bool = false;
// Whether padding counts as elements of a mean.
override counts_padding: bool = false;
// Whether windows divide the input among the results, in place of a kernel with strides.
override adaptive: bool = false;
// Whether channels are the last axis of x and y.
override channels_last: bool = false;

const greatest = 0u;
const mean = 1u;
const norm = 2u;

@if(packed)
fn load(at: u32) -> f32 {
    return element_in(x[at / 2u], at);
}

@if(!packed)
fn load(at: u32) -> f32 {
    return x[at];
}

fn is_nan(value: f32) -> bool {
    return (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u;
}

// The first position of a window, and the numbers of its positions.
struct Window {
    begin: vec3<u32>,
    count: vec3<u32>,
}

fn window_of(position: vec3<u32>) -> Window {
    if adaptive {
        let begin = position * pool.input.xyz / pool.output.xyz;
        let end = ((position + vec3(1u)) * pool.input.xyz + pool.output.xyz - vec3(1u)) / pool.output.xyz;
        return Window(begin, end - begin);
    }
    // Positions before the first position of x wrap around in 32 bits.
    return Window(position * pool.stride.xyz - pool.before.xyz, pool.kernel.xyz);
}

// The elements of a window that were read: the greatest element with its index, a sum, and the number of elements.
struct Found {
    best: f32,
    at: u32,
    sum: f32,
    count: u32,
}

// Returns `found` with element `at` added.
fn with_element(found: Found, at: u32) -> Found {
    let value = load(pool.first_of_x + at);
    var next = found;
    next.count++;
    if kind == greatest {
        // The first of equal elements is taken, and a NaN in preference to all numbers.
        let wins = value > found.best || found.at == 0xffffffffu || is_nan(value);
        if wins && !is_nan(found.best) {
            next.best = value;
            next.at = at;
        }
        return next;
    }
    if kind == mean {
        next.sum += value;
    } else if pool.power == 1.0 {
        next.sum += abs(value);
    } else if pool.power == 2.0 {
        next.sum += value * value;
    } else {
        next.sum += pow(abs(value), pool.power);
    }
    return next;
}

// Returns `found` with a position of a window added, which may be outside x.
fn with_position(found: Found, first: u32, position: vec3<u32>) -> Found {
    if all(position < pool.input.xyz) {
        return with_element(
            found,
            first + position.x * pool.in_x.x + position.y * pool.in_x.y + position.z * pool.in_x.z,
        );
    }
    var next = found;
    if counts_padding {
        next.count += select(0u, 1u, all(position + pool.before.xyz < pool.padded.xyz));
    }
    return next;
}

// Returns the result of a channel at a position; also writes the index of the greatest element.
fn pooled(example: u32, channel: u32, position: vec3<u32>) -> f32 {
    let window = window_of(position);
    let first = example * pool.example_in_x + channel * pool.in_x.w;
    // The greatest element of an empty window is negative infinity.
    var found = Found(bitcast<f32>(pool.infinity | 0x80000000u), 0xffffffffu, 0.0, 0u);
    for (var depth = 0u; depth < window.count.x; depth++) {
        for (var row = 0u; row < window.count.y; row++) {
            for (var column = 0u; column < window.count.z; column++) {
                let place = window.begin + vec3(depth, row, column) * pool.dilation.xyz;
                found = with_position(found, first, place);
            }
        }
    }
    if kind == greatest {
        if has_indices {
            let along = position * pool.in_y.xyz;
            let to = example * pool.example_in_y + channel * pool.in_y.w + along.x + along.y + along.z;
            indices[pool.first_of_indices + to] = found.at;
        }
        return found.best;
    }
    if kind == mean {
        return found.sum / f32(found.count);
    }
    if pool.power == 1.0 {
        return found.sum;
    }
    if pool.power == 2.0 {
        return sqrt(found.sum);
    }
    // `pow` of 0 may compute the logarithm of 0, which is not defined.
    return select(0.0, pow(found.sum, 1.0 / pool.power), found.sum != 0.0);
}
