// Three ways to compute y = 2 tanh(x) + 1; the grid of each covers `y` once.

@group(0) @binding(0) var<storage> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(0) var<storage> x4: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y4: array<vec4<f32>>;

@compute @workgroup_size(256)
fn one(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&y) { y[id.x] = tanh(x[id.x]) * 2.0 + 1.0; }
}

@compute @workgroup_size(256)
fn vectors(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&y4) { y4[id.x] = tanh(x4[id.x]) * 2.0 + 1.0; }
}

// All loads before the first store, because the compiler cannot assume that `x4` and `y4` are different buffers.
@compute @workgroup_size(256)
fn sixteen(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let n = arrayLength(&y4);
    let i = group.x * 1024u + local;
    if i + 768u < n {
        let a = x4[i];
        let b = x4[i + 256u];
        let c = x4[i + 512u];
        let d = x4[i + 768u];
        y4[i] = tanh(a) * 2.0 + 1.0;
        y4[i + 256u] = tanh(b) * 2.0 + 1.0;
        y4[i + 512u] = tanh(c) * 2.0 + 1.0;
        y4[i + 768u] = tanh(d) * 2.0 + 1.0;
    } else {
        for (var k = i; k < n; k += 256u) { y4[k] = tanh(x4[k]) * 2.0 + 1.0; }
    }
}
