// Attention of 64 elements with an invocation for each query, which reads all keys and values from memory.
struct Sizes {
    queries: u32,
    keys: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> q: array<f32>;
@group(0) @binding(2) var<storage> k: array<f32>;
@group(0) @binding(3) var<storage> v: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn attention(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.queries {
        return;
    }
    let row = (id.y * sizes.queries + id.x) * 64u;
    let first = id.y * sizes.keys * 64u;
    var sums = array<f32, 64>();
    var greatest = -1e30;
    var total = 0.0;
    for (var key = 0u; key < sizes.keys; key++) {
        let at = first + key * 64u;
        var product = 0.0;
        for (var element = 0u; element < 64u; element++) {
            product += q[row + element] * k[at + element];
        }
        let score = product * 0.125;
        let now = max(greatest, score);
        let factor = exp(greatest - now);
        let weight = exp(score - now);
        greatest = now;
        total = total * factor + weight;
        for (var element = 0u; element < 64u; element++) {
            sums[element] = sums[element] * factor + weight * v[at + element];
        }
    }
    for (var element = 0u; element < 64u; element++) {
        y[row + element] = sums[element] / total;
    }
}
