// One member of each struct of an array is read and written: "array of structures" in "How to Access Global Memory
// Efficiently in CUDA C/C++ Kernels" (M. Harris, NVIDIA Technical Blog, 2013), and many questions in forums.
override N: u32 = 256;
// Each particle has sixteen numbers, of which this kernel needs the first.
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let step = x[0];
    for (var i = id.x; i < N * N / 16; i += groups.x * 256) {
        y[i * 16] += step; // here
    }
}
