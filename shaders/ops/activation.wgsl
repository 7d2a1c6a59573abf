// y = f(x), or y = f'(x) dy, for an activation function f.
import package::shared::activations::{
    elu, elu_derivative, gelu, gelu_derivative, gelu_tanh, gelu_tanh_derivative, hardswish, hardswish_derivative,
    leaky_relu, leaky_relu_derivative, mish, mish_derivative, relu, relu_derivative, sigmoid, sigmoid_derivative, silu,
    silu_derivative, softplus, softplus_derivative, tanh_by_exp, tanh_derivative,
};
@if(packed)
import package::shared::halves::{element_in, rounded};

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

struct Sizes {
    count: u32,
    first_of_x: u32,
    first_of_dy: u32,
    first_of_y: u32,
    // The slope of leaky_relu, or alpha of elu.
    parameter: f32,
}

// The number of the function, in the order of `value_of`.
override function: u32 = 0u;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<Cell>;
@group(0) @binding(2) var<storage, read_write> y: array<Cell>;
@group(0) @binding(3) var<storage> dy: array<Cell>;

@if(packed)
fn load_x(at: u32) -> f32 {
    return element_in(x[at / 2u], at);
}

@if(packed)
fn load_dy(at: u32) -> f32 {
    return element_in(dy[at / 2u], at);
}

@if(!packed)
fn load_x(at: u32) -> f32 {
    return x[at];
}

@if(!packed)
fn load_dy(at: u32) -> f32 {
    return dy[at];
}

fn value_of(x: f32) -> f32 {
    switch function {
        case 0u: { return relu(x); }
        case 1u: { return gelu(x); }
        case 2u: { return gelu_tanh(x); }
        case 3u: { return silu(x); }
        case 4u: { return sigmoid(x); }
        case 5u: { return tanh_by_exp(x); }
        case 6u: { return softplus(x); }
        case 7u: { return elu(x, sizes.parameter); }
        case 8u: { return leaky_relu(x, sizes.parameter); }
        case 9u: { return hardswish(x); }
        default: { return mish(x); }
    }
}

fn derivative_at(x: f32) -> f32 {
    switch function {
        case 0u: { return relu_derivative(x); }
        case 1u: { return gelu_derivative(x); }
        case 2u: { return gelu_tanh_derivative(x); }
        case 3u: { return silu_derivative(x); }
        case 4u: { return sigmoid_derivative(x); }
        case 5u: { return tanh_derivative(x); }
        case 6u: { return softplus_derivative(x); }
        case 7u: { return elu_derivative(x, sizes.parameter); }
        case 8u: { return leaky_relu_derivative(x, sizes.parameter); }
        case 9u: { return hardswish_derivative(x); }
        default: { return mish_derivative(x); }
    }
}

@if(backward)
fn result(number: u32) -> f32 {
    return derivative_at(load_x(sizes.first_of_x + number)) * load_dy(sizes.first_of_dy + number);
}

@if(!backward)
fn result(number: u32) -> f32 {
    return value_of(load_x(sizes.first_of_x + number));
}

@if(!packed)
@compute @workgroup_size(256)
fn activate(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.count {
        y[sizes.first_of_y + id.x] = result(id.x);
    }
}

// Each invocation writes a word of y.
@if(packed)
@compute @workgroup_size(256)
fn activate(@builtin(global_invocation_id) id: vec3<u32>) {
    let skip = sizes.first_of_y % 2u;
    if id.x * 2u >= skip + sizes.count {
        return;
    }
    var results = vec4(0.0);
    var mask = 0u;
    // The numbers of elements before the first element wrap around.
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
