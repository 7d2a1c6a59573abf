// c = a b for square matrices, one element per invocation.
@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> side: u32;

@compute @workgroup_size(16, 16)
fn product(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= side || id.y >= side {
        return;
    }
    var sum = 0.0;
    for (var k = 0u; k < side; k++) {
        sum += a[id.y * side + k] * b[k * side + id.x];
    }
    c[id.y * side + id.x] = sum;
}
