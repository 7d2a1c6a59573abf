// Pooling in which an invocation computes one result or, with `packed`, the two results of a word.
import package::shared::pooling::{channels_last, pool, pooled};
@if(packed)
import package::shared::pooling::Cell;
@if(packed)
import package::shared::halves::rounded;

@if(packed)
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@else
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

fn position_of(number: u32) -> vec3<u32> {
    let line = number / pool.output.z;
    let plane = line / pool.output.y;
    return vec3(plane, line - plane * pool.output.y, number - line * pool.output.z);
}

// Element `number` of y.
fn result(number: u32) -> f32 {
    let positions = pool.output.x * pool.output.y * pool.output.z;
    if channels_last {
        let point = number / pool.channels;
        let example = point / positions;
        return pooled(example, number - point * pool.channels, position_of(point - example * positions));
    }
    let plane = number / positions;
    let example = plane / pool.channels;
    return pooled(example, plane - example * pool.channels, position_of(number - plane * positions));
}

@if(!packed)
@compute @workgroup_size(256)
fn elements(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < pool.examples * pool.example_in_y {
        y[pool.first_of_y + id.x] = result(id.x);
    }
}

@if(packed)
@compute @workgroup_size(256)
fn elements(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = pool.examples * pool.example_in_y;
    let skip = pool.first_of_y % 2u;
    if id.x * 2u >= skip + count {
        return;
    }
    var results = vec4(0.0);
    var mask = 0u;
    // Elements before the array have negative numbers, which wrap around to large ones.
    let number = id.x * 2u - skip;
    if number < count {
        results.x = result(number);
        mask = 0xffffu;
    }
    if number + 1u < count {
        results.y = result(number + 1u);
        mask |= 0xffff0000u;
    }
    let bits = rounded(results);
    let at = pool.first_of_y / 2u + id.x;
    var word = bits.x | (bits.y << 16u);
    // Elements around the array keep their bits.
    if mask != 0xffffffffu {
        word = (word & mask) | (y[at] & ~mask);
    }
    y[at] = word;
}
