// The product of a sparse matrix in compressed rows and a vector.
struct Params { rows: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> values: array<f32>;
@group(0) @binding(4) var<storage, read> x: array<f32>;
@group(0) @binding(5) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.rows { return; }
    var sum = 0.0;
    let end = starts[id.x + 1u];
    for (var k = starts[id.x]; k < end; k++) {
        sum += values[k] * x[columns[k]];
    }
    y[id.x] = sum;
}
