// The derivatives of a norm by scale and bias: sums down the columns of rows, in parts.
@if(packed)
import package::shared::halves::element_in;

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

struct Columns {
    // The number of rows, the elements of a row, the parts of the rows, and the rows of a part.
    count: u32,
    length: u32,
    parts: u32,
    chunk: u32,
    // The first element of each array in its binding.
    first_of_x: u32,
    first_of_dy: u32,
    first_of_means: u32,
    first_of_inverses: u32,
    first_of_scale: u32,
    first_of_bias: u32,
}

// Whether the mean is subtracted.
override centred: bool = true;

@group(0) @binding(0) var<uniform> columns: Columns;
@group(0) @binding(1) var<storage> x: array<Cell>;
@group(0) @binding(2) var<storage> dy: array<Cell>;
@group(0) @binding(3) var<storage> means: array<f32>;
@group(0) @binding(4) var<storage> inverses: array<f32>;
// The sums of each part of each column.
@group(0) @binding(5) var<storage, read_write> parts: array<vec2<f32>>;
@group(0) @binding(6) var<storage, read_write> by_scale: array<f32>;
@group(0) @binding(7) var<storage, read_write> by_bias: array<f32>;

@if(packed)
fn half_of(word: u32, at: u32) -> f32 {
    return element_in(word, at);
}

@if(packed)
fn load_x(at: u32) -> f32 {
    return half_of(x[at / 2u], at);
}

@if(packed)
fn load_dy(at: u32) -> f32 {
    return half_of(dy[at / 2u], at);
}

@if(!packed)
fn load_x(at: u32) -> f32 {
    return x[at];
}

@if(!packed)
fn load_dy(at: u32) -> f32 {
    return dy[at];
}

// An invocation for each part of each column.
@compute @workgroup_size(256)
fn sum_parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= columns.length * columns.parts {
        return;
    }
    let k = id.x % columns.length;
    let begin = min(id.x / columns.length * columns.chunk, columns.count);
    let end = min(begin + columns.chunk, columns.count);
    var sums = vec2(0.0);
    for (var row = begin; row < end; row++) {
        let at = row * columns.length + k;
        var mean = 0.0;
        if centred {
            mean = means[columns.first_of_means + row];
        }
        let derivative = load_dy(columns.first_of_dy + at);
        let normalised = (load_x(columns.first_of_x + at) - mean) * inverses[columns.first_of_inverses + row];
        sums += vec2(derivative * normalised, derivative);
    }
    parts[id.x] = sums;
}

// An invocation for each column.
@compute @workgroup_size(256)
fn join_parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= columns.length {
        return;
    }
    var sums = vec2(0.0);
    for (var part = 0u; part < columns.parts; part++) {
        sums += parts[part * columns.length + id.x];
    }
    by_scale[columns.first_of_scale + id.x] = sums.x;
    by_bias[columns.first_of_bias + id.x] = sums.y;
}
