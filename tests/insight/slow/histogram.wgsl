// Every value updates a bin in memory, and few bins get most of them: "GPU Pro Tip: Fast Histograms Using Shared Atomics
// on Maxwell" (N. Sakharnykh, NVIDIA Technical Blog, 2015).
override N: u32 = 256;
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < N * N; i += groups.x * 256) {
        atomicAdd(&y[x[i] % 4], 1u); // here
    }
}
