// A transposition that writes columns: the first kernel of "An Efficient Matrix Transpose in CUDA C/C++" (M. Harris,
// NVIDIA Technical Blog, 2013).
override N: u32 = 256;
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    y[id.x * N + id.y] = x[id.y * N + id.x]; // here
}
