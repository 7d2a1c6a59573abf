// A product of two matrices in rows, one element for each invocation.
struct Params { rows: u32, columns: u32, inner: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.y;
    let column = id.x;
    if row >= params.rows || column >= params.columns { return; }
    var sum = 0.0;
    for (var k = 0u; k < params.inner; k++) {
        sum += a[row * params.inner + k] * b[k * params.columns + column];
    }
    c[row * params.columns + column] = sum;
}
