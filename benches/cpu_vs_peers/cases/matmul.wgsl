// product = a * b, row-major: a workgroup computes a tile of the product from strips of tiles that it loads together.
const TILE = 16u;

struct Params {
    // Rows of a and the product.
    rows: u32,
    // Columns of b and the product.
    columns: u32,
    // Columns of a, rows of b.
    depth: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> a: array<f32>;
@group(0) @binding(2) var<storage> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> product: array<f32>;

var<workgroup> a_tile: array<array<f32, TILE>, TILE>;
var<workgroup> b_tile: array<array<f32, TILE>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn matmul(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let row = id.y;
    let column = id.x;
    var sum = 0.0;
    for (var start = 0u; start < params.depth; start += TILE) {
        let a_column = start + local.x;
        let b_row = start + local.y;
        var a_value = 0.0;
        if row < params.rows && a_column < params.depth {
            a_value = a[row * params.depth + a_column];
        }
        var b_value = 0.0;
        if b_row < params.depth && column < params.columns {
            b_value = b[b_row * params.columns + column];
        }
        a_tile[local.y][local.x] = a_value;
        b_tile[local.y][local.x] = b_value;
        workgroupBarrier();
        for (var k = 0u; k < TILE; k++) {
            sum += a_tile[local.y][k] * b_tile[k][local.x];
        }
        workgroupBarrier();
    }
    if row < params.rows && column < params.columns {
        product[row * params.columns + column] = sum;
    }
}
