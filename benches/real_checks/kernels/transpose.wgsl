// A matrix with its rows as columns.
struct Params { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read_write> output: array<f32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < params.width && id.y < params.height {
        output[id.x * params.height + id.y] = input[id.y * params.width + id.x];
    }
}
