// Adds up parts: y[i] = x[i] + x[i + count] + .., in this order.
struct Sizes {
    count: u32,
    parts: u32,
    first_of_y: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn sum_parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    var sum = 0.0;
    for (var part = 0u; part < sizes.parts; part++) {
        sum += x[part * sizes.count + id.x];
    }
    y[sizes.first_of_y + id.x] = sum;
}
