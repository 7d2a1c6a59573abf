// Neighbours iterate as often as their own point needs: "Reduce divergent warps" in forums; here the escape times of
// points in random order.
override N: u32 = 256;
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;

fn turns(seed: u32) -> u32 {
    return 16 + (seed * 2654435761u) % 1024;
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < N * N / 16; i += groups.x * 256) {
        var h = x[i];
        let most = turns(i);
        for (var k = 0u; k < most; k++) { // here
            h = (h ^ (h >> 7)) * 2654435761u + k;
        }
        y[i] = h;
    }
}
