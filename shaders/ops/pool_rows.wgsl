// Pooling of f32: neighbouring invocations compute neighbours of a row, so that processors load and store vectors.
import package::shared::pooling::{pool, pooled};

@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn rows(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= pool.output.z {
        return;
    }
    let example = id.z / pool.channels;
    let channel = id.z - example * pool.channels;
    let plane = id.y / pool.output.y;
    let position = vec3(plane, id.y - plane * pool.output.y, id.x);
    let in_y = position * pool.in_y.xyz;
    let to = pool.first_of_y + example * pool.example_in_y + channel * pool.in_y.w + in_y.x + in_y.y + in_y.z;
    y[to] = pooled(example, channel, position);
}
