//! Sums of vectors.

struct Params {
    /// The factor.
    a: f32,
    shift: vec3<f32>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> x: array<f32>;
/// The sum.
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

override block: u32 = 64;

/// y = a * x + y
@compute @workgroup_size(block)
fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&y) {
        y[id.x] += params.a * x[id.x] + params.shift.x;
    }
}
