// z = a x + y, one or four elements per invocation.
@group(0) @binding(0) var<storage> x: array<f32>;
@group(0) @binding(1) var<storage> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> z: array<f32>;
@group(0) @binding(0) var<storage> x4: array<vec4<f32>>;
@group(0) @binding(1) var<storage> y4: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> z4: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> a: f32;

@compute @workgroup_size(256)
fn one(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&z) { z[id.x] = a * x[id.x] + y[id.x]; }
}

@compute @workgroup_size(256)
fn vectors(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&z4) { z4[id.x] = a * x4[id.x] + y4[id.x]; }
}
