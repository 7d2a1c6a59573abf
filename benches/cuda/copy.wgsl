// Three ways to copy 32-bit numbers; the grid of each covers `y` once.

@group(0) @binding(0) var<storage> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(0) var<storage> x4: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y4: array<vec4<f32>>;

@compute @workgroup_size(256)
fn one(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&y) { y[id.x] = x[id.x]; }
}

@compute @workgroup_size(256)
fn vectors(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&y4) { y4[id.x] = x4[id.x]; }
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
        y4[i] = a;
        y4[i + 256u] = b;
        y4[i + 512u] = c;
        y4[i + 768u] = d;
    } else {
        for (var k = i; k < n; k += 256u) { y4[k] = x4[k]; }
    }
}
