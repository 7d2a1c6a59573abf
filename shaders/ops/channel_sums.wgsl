// Sums over the elements of each channel, for arrays of shape [examples, channels, elements of a channel]: with
// `statistics` the mean and the variance, otherwise the derivatives of a norm by scale and bias.
@if(packed)
import package::shared::halves::element_in;

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

struct Channels {
    // The sizes of the three axes.
    examples: u32,
    channels: u32,
    inner: u32,
    // The parts of the last axis; all parts of a channel; and the sizes of a part.
    parts_of_inner: u32,
    parts: u32,
    chunk_of_examples: u32,
    chunk_of_inner: u32,
    // The rows of an example that have statistics of their own, none if all examples share them; the channels of a row.
    rows_of_example: u32,
    channels_of_row: u32,
    first_of_x: u32,
    first_of_dy: u32,
    first_of_means: u32,
    first_of_inverses: u32,
    first_of_scale: u32,
    first_of_bias: u32,
    first_of_running_means: u32,
    first_of_running_variances: u32,
    epsilon: f32,
    // The share of new statistics in running ones, and the factor of the variance there.
    momentum: f32,
    correction: f32,
}

// Whether running statistics are renewed.
override has_running: bool = false;

@group(0) @binding(0) var<uniform> channels: Channels;
@group(0) @binding(1) var<storage> x: array<Cell>;
// Two sums for each part of each channel: with `statistics` the mean, and the sum of squared distances from it.
@group(0) @binding(2) var<storage, read_write> parts: array<vec2<f32>>;
@if(statistics)
@group(0) @binding(3) var<storage, read_write> means: array<f32>;
@if(statistics)
@group(0) @binding(4) var<storage, read_write> inverses: array<f32>;
@if(statistics)
@group(0) @binding(5) var<storage, read_write> running_means: array<f32>;
@if(statistics)
@group(0) @binding(6) var<storage, read_write> running_variances: array<f32>;
@if(!statistics)
@group(0) @binding(3) var<storage> means: array<f32>;
@if(!statistics)
@group(0) @binding(4) var<storage> inverses: array<f32>;
@if(!statistics)
@group(0) @binding(5) var<storage> dy: array<Cell>;
@if(!statistics)
@group(0) @binding(6) var<storage, read_write> by_scale: array<f32>;
@if(!statistics)
@group(0) @binding(7) var<storage, read_write> by_bias: array<f32>;

const size = 64u;

@if(packed)
fn load_x(at: u32) -> f32 {
    return element_in(x[at / 2u], at);
}

@if(!packed)
fn load_x(at: u32) -> f32 {
    return x[at];
}

@if(packed && !statistics)
fn load_dy(at: u32) -> f32 {
    return element_in(dy[at / 2u], at);
}

@if(!packed && !statistics)
fn load_dy(at: u32) -> f32 {
    return dy[at];
}

// The sums of some elements. With `statistics`: the sums of distances from `shift`, and of their squares; so that a large
// mean costs no digits, the shift is one of the elements.
struct Sums {
    first: f32,
    second: f32,
    shift: f32,
    count: f32,
}

// Adds the elements `from`, `from + step`, .. below `end` of a channel's line in one example.
@if(statistics)
fn added(sums: Sums, example: u32, channel: u32, start: u32, end: u32, step: u32) -> Sums {
    var all = sums;
    let line = channels.first_of_x + (example * channels.channels + channel) * channels.inner;
    for (var i = start; i < end; i += step) {
        let value = load_x(line + i);
        if all.count == 0.0 {
            all.shift = value;
        }
        let distance = value - all.shift;
        all.first += distance;
        all.second += distance * distance;
        all.count += 1.0;
    }
    return all;
}

@if(!statistics)
fn added(sums: Sums, example: u32, channel: u32, start: u32, end: u32, step: u32) -> Sums {
    var all = sums;
    let row = example * channels.rows_of_example + channel / channels.channels_of_row;
    let mean = means[channels.first_of_means + row];
    let inverse = inverses[channels.first_of_inverses + row];
    let line = (example * channels.channels + channel) * channels.inner;
    for (var i = start; i < end; i += step) {
        let derivative = load_dy(channels.first_of_dy + line + i);
        all.first += derivative * (load_x(channels.first_of_x + line + i) - mean) * inverse;
        all.second += derivative;
    }
    return all;
}

// Returns the two results of some elements, and their number.
@if(statistics)
fn finished(sums: Sums) -> vec3<f32> {
    let distance = sums.first / max(sums.count, 1.0);
    let squares = sums.second - sums.first * distance;
    // Rounding may make the sum of squares negative; `max` could drop a NaN.
    return vec3(sums.shift + distance, select(squares, 0.0, squares < 0.0), sums.count);
}

@if(!statistics)
fn finished(sums: Sums) -> vec3<f32> {
    return vec3(sums.first, sums.second, 0.0);
}

// Joins the results of two sets of elements. Means and squares by Chan, Golub and LeVeque, 'Updating formulae and a
// pairwise algorithm for computing sample variances', 1979.
@if(statistics)
fn joined(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    if b.z == 0.0 {
        return a;
    }
    // The square of a large distance from the mean of no elements would overflow.
    if a.z == 0.0 {
        return b;
    }
    let count = a.z + b.z;
    let share = b.z / count;
    let distance = b.x - a.x;
    return vec3(a.x + distance * share, a.y + b.y + distance * distance * a.z * share, count);
}

@if(!statistics)
fn joined(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    return a + b;
}

// The examples and the elements of a part, each from and to.
fn range_of(part: u32) -> vec4<u32> {
    let example = part / channels.parts_of_inner * channels.chunk_of_examples;
    let i = part % channels.parts_of_inner * channels.chunk_of_inner;
    let ends = min(vec2(example, i) + vec2(channels.chunk_of_examples, channels.chunk_of_inner),
        vec2(channels.examples, channels.inner));
    return vec4(min(vec2(example, i), ends), ends).xzyw;
}

var<workgroup> shared_sums: array<vec3<f32>, 64>;

// A workgroup for each part of each channel.
@compute @workgroup_size(64)
fn parts_of_channels(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let channel = group.x % channels.channels;
    let range = range_of(group.x / channels.channels);
    var sums = Sums();
    for (var example = range.x; example < range.y; example++) {
        sums = added(sums, example, channel, range.z + index, range.w, size);
    }
    shared_sums[index] = finished(sums);
    for (var half = size / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if index < half {
            shared_sums[index] = joined(shared_sums[index], shared_sums[index + half]);
        }
    }
    if index == 0u {
        parts[group.x] = shared_sums[0].xy;
    }
}

// An invocation for each part of each channel.
@compute @workgroup_size(64)
fn parts_of_columns(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= channels.channels * channels.parts {
        return;
    }
    let range = range_of(id.x / channels.channels);
    var sums = Sums();
    for (var example = range.x; example < range.y; example++) {
        sums = added(sums, example, id.x % channels.channels, range.z, range.w, 1u);
    }
    parts[id.x] = finished(sums).xy;
}

// Joins the parts of a channel.
fn joined_parts(channel: u32) -> vec3<f32> {
    var all = vec3(0.0);
    for (var part = 0u; part < channels.parts; part++) {
        let range = range_of(part);
        let count = f32((range.y - range.x) * (range.w - range.z));
        all = joined(all, vec3(parts[part * channels.channels + channel], count));
    }
    return all;
}

// An invocation for each channel.
@if(statistics)
@compute @workgroup_size(64)
fn join_parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= channels.channels {
        return;
    }
    let all = joined_parts(id.x);
    let variance = all.y / all.z;
    means[channels.first_of_means + id.x] = all.x;
    inverses[channels.first_of_inverses + id.x] = 1.0 / sqrt(variance + channels.epsilon);
    if has_running {
        let mean_at = channels.first_of_running_means + id.x;
        let variance_at = channels.first_of_running_variances + id.x;
        let kept = 1.0 - channels.momentum;
        running_means[mean_at] = running_means[mean_at] * kept + all.x * channels.momentum;
        running_variances[variance_at] =
            running_variances[variance_at] * kept + variance * channels.correction * channels.momentum;
    }
}

@if(!statistics)
@compute @workgroup_size(64)
fn join_parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= channels.channels {
        return;
    }
    let all = joined_parts(id.x);
    by_scale[channels.first_of_scale + id.x] = all.x;
    by_bias[channels.first_of_bias + id.x] = all.y;
}
