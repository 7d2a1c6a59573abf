// Rows of signed bytes, four per word, times a vector of such bytes, with a scale for each row.
struct Params {
    rows: u32,
    // The number of words per row.
    words: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> matrix: array<u32>;
@group(0) @binding(2) var<storage> vector: array<u32>;
@group(0) @binding(3) var<storage> scales: array<f32>;
@group(0) @binding(4) var<storage, read_write> product: array<f32>;

@compute @workgroup_size(64)
fn int8_dot(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.rows {
        return;
    }
    var sum = 0;
    for (var word = 0u; word < params.words; word++) {
        let left = matrix[id.x * params.words + word];
        let right = vector[word];
        for (var byte = 0u; byte < 4u; byte++) {
            sum += extractBits(bitcast<i32>(left), 8u * byte, 8u) * extractBits(bitcast<i32>(right), 8u * byte, 8u);
        }
    }
    product[id.x] = f32(sum) * scales[id.x];
}
