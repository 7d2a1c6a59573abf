// One element for each invocation, without a bounds check: the host launches one invocation for each element.
struct Params { factor: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    y[id.x] = params.factor * x[id.x] + y[id.x] * 0.0;
}
