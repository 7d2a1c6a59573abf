// product = a * b, row-major: 256 threads compute a tile of 128x128, each thread 8x8 elements, from strips of eight
// columns of a and eight rows of b.
const TILE = 128u;
const STRIP = 8u;
const SIDE = 16u;
const PER_THREAD = 8u;

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

var<workgroup> a_strip: array<array<f32, TILE>, STRIP>;
var<workgroup> b_strip: array<array<f32, TILE>, STRIP>;

@compute @workgroup_size(SIDE, SIDE)
fn matmul(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let first_row = group.y * TILE;
    let first_column = group.x * TILE;
    var sums: array<array<f32, PER_THREAD>, PER_THREAD>;
    for (var start = 0u; start < params.depth; start += STRIP) {
        for (var i = 0u; i < TILE * STRIP; i += SIDE * SIDE) {
            let at = thread + i;
            let row = at / STRIP;
            let k = at % STRIP;
            var value = 0.0;
            if first_row + row < params.rows && start + k < params.depth {
                value = a[(first_row + row) * params.depth + start + k];
            }
            a_strip[k][row] = value;
        }
        for (var i = 0u; i < TILE * STRIP; i += SIDE * SIDE) {
            let at = thread + i;
            let column = at % TILE;
            let k = at / TILE;
            var value = 0.0;
            if first_column + column < params.columns && start + k < params.depth {
                value = b[(start + k) * params.columns + first_column + column];
            }
            b_strip[k][column] = value;
        }
        workgroupBarrier();
        for (var k = 0u; k < STRIP; k++) {
            var left: array<f32, PER_THREAD>;
            var right: array<f32, PER_THREAD>;
            for (var i = 0u; i < PER_THREAD; i++) {
                left[i] = a_strip[k][local.y + i * SIDE];
                right[i] = b_strip[k][local.x + i * SIDE];
            }
            for (var i = 0u; i < PER_THREAD; i++) {
                for (var j = 0u; j < PER_THREAD; j++) {
                    sums[i][j] += left[i] * right[j];
                }
            }
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < PER_THREAD; i++) {
        for (var j = 0u; j < PER_THREAD; j++) {
            let row = first_row + local.y + i * SIDE;
            let column = first_column + local.x + j * SIDE;
            if row < params.rows && column < params.columns {
                product[row * params.columns + column] = sums[i][j];
            }
        }
    }
}
