// Softmax and norms with an invocation for each row.
struct Sizes {
    rows: u32,
    length: u32,
}

override centred: bool = true;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn softmax(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.rows {
        return;
    }
    let first = id.x * sizes.length;
    var greatest = x[first];
    for (var k = 0u; k < sizes.length; k++) {
        greatest = max(greatest, x[first + k]);
    }
    var sum = 0.0;
    for (var k = 0u; k < sizes.length; k++) {
        sum += exp(x[first + k] - greatest);
    }
    for (var k = 0u; k < sizes.length; k++) {
        y[first + k] = exp(x[first + k] - greatest) / sum;
    }
}

@compute @workgroup_size(256)
fn norm(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.rows {
        return;
    }
    let first = id.x * sizes.length;
    var mean = 0.0;
    if centred {
        for (var k = 0u; k < sizes.length; k++) {
            mean += x[first + k];
        }
        mean /= f32(sizes.length);
    }
    var squares = 0.0;
    for (var k = 0u; k < sizes.length; k++) {
        let distance = x[first + k] - mean;
        squares += distance * distance;
    }
    let inverse = inverseSqrt(squares / f32(sizes.length) + 1e-5);
    for (var k = 0u; k < sizes.length; k++) {
        y[first + k] = (x[first + k] - mean) * inverse;
    }
}
