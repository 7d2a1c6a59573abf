override N: u32 = 256;
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<atomic<u32>>;
var<workgroup> bins: array<atomic<u32>, 128>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
    // Each lane has bins of its own, so that no two lanes of a warp use one word.
    for (var i = id.x; i < N * N; i += groups.x * 256) {
        atomicAdd(&bins[x[i] % 4 * 32 + t % 32], 1u);
    }
    workgroupBarrier();
    if t < 4 {
        var sum = 0u;
        for (var k = 0u; k < 32; k++) {
            sum += atomicLoad(&bins[t * 32 + (k + t) % 32]);
        }
        atomicAdd(&y[t], sum);
    }
}
