// y = (x - mean) * inverse * scale + bias of each channel, for arrays of shape [examples, channels, elements of a
// channel]. With `backward`, the derivatives by x from those by y, where mean and variance are those of x.
@if(packed)
import package::shared::halves::{element_in, rounded};

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

struct Norm {
    // The number of elements, of channels, and of the elements of a channel.
    count: u32,
    channels: u32,
    inner: u32,
    first_of_x: u32,
    first_of_dy: u32,
    first_of_y: u32,
    first_of_scale: u32,
    first_of_bias: u32,
    first_of_means: u32,
    first_of_inverses: u32,
    first_of_by_scale: u32,
    first_of_by_bias: u32,
    epsilon: f32,
    // 1 divided by the number of elements of a channel in all examples.
    share: f32,
}

override has_scale: bool = false;
override has_bias: bool = false;
// Whether `inverses` has variances, without the epsilon.
override from_variances: bool = false;

@group(0) @binding(0) var<uniform> norm: Norm;
@group(0) @binding(1) var<storage> x: array<Cell>;
@group(0) @binding(2) var<storage> scale: array<Cell>;
@group(0) @binding(3) var<storage> means: array<f32>;
@group(0) @binding(4) var<storage> inverses: array<f32>;
@group(0) @binding(5) var<storage, read_write> y: array<Cell>;
@if(backward)
@group(0) @binding(6) var<storage> dy: array<Cell>;
@if(backward)
@group(0) @binding(7) var<storage> by_scale: array<f32>;
@if(backward)
@group(0) @binding(8) var<storage> by_bias: array<f32>;
@if(!backward)
@group(0) @binding(6) var<storage> bias: array<Cell>;

@if(packed)
fn load_x(at: u32) -> f32 {
    return element_in(x[at / 2u], at);
}

@if(packed)
fn load_scale(at: u32) -> f32 {
    return element_in(scale[at / 2u], at);
}

@if(packed && backward)
fn load_dy(at: u32) -> f32 {
    return element_in(dy[at / 2u], at);
}

@if(packed && !backward)
fn load_bias(at: u32) -> f32 {
    return element_in(bias[at / 2u], at);
}

@if(!packed)
fn load_x(at: u32) -> f32 {
    return x[at];
}

@if(!packed)
fn load_scale(at: u32) -> f32 {
    return scale[at];
}

@if(!packed && backward)
fn load_dy(at: u32) -> f32 {
    return dy[at];
}

@if(!packed && !backward)
fn load_bias(at: u32) -> f32 {
    return bias[at];
}

fn inverse_of(channel: u32) -> f32 {
    let given = inverses[norm.first_of_inverses + channel];
    if from_variances {
        return 1.0 / sqrt(given + norm.epsilon);
    }
    return given;
}

// Returns the normalised element, and its factor.
fn normalised(number: u32, channel: u32) -> vec2<f32> {
    let inverse = inverse_of(channel);
    let value = (load_x(norm.first_of_x + number) - means[norm.first_of_means + channel]) * inverse;
    if has_scale {
        return vec2(value, load_scale(norm.first_of_scale + channel));
    }
    return vec2(value, 1.0);
}

@if(!backward)
fn result(number: u32) -> f32 {
    let channel = number / norm.inner % norm.channels;
    let value = normalised(number, channel);
    if has_bias {
        return value.x * value.y + load_bias(norm.first_of_bias + channel);
    }
    return value.x * value.y;
}

@if(backward)
fn result(number: u32) -> f32 {
    let channel = number / norm.inner % norm.channels;
    let value = normalised(number, channel);
    let of_mean = by_bias[norm.first_of_by_bias + channel] * norm.share;
    let of_variance = by_scale[norm.first_of_by_scale + channel] * norm.share;
    let derivative = load_dy(norm.first_of_dy + number) - of_mean - value.x * of_variance;
    return derivative * value.y * inverse_of(channel);
}

@if(!packed)
@compute @workgroup_size(256)
fn normalise(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < norm.count {
        y[norm.first_of_y + id.x] = result(id.x);
    }
}

// Each invocation writes a word of y.
@if(packed)
@compute @workgroup_size(256)
fn normalise(@builtin(global_invocation_id) id: vec3<u32>) {
    let skip = norm.first_of_y % 2u;
    if id.x * 2u >= skip + norm.count {
        return;
    }
    var results = vec4(0.0);
    var mask = 0u;
    // The numbers of elements before the first element wrap around.
    let number = id.x * 2u - skip;
    if number < norm.count {
        results.x = result(number);
        mask = 0xffffu;
    }
    if number + 1u < norm.count {
        results.y = result(number + 1u);
        mask |= 0xffff0000u;
    }
    let bits = rounded(results);
    let at = norm.first_of_y / 2u + id.x;
    var word = bits.x | (bits.y << 16u);
    // Elements around the array keep their bits.
    if mask != 0xffffffffu {
        word = (word & mask) | (y[at] & ~mask);
    }
    y[at] = word;
}
