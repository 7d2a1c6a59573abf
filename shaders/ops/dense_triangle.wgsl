// Solves the equations of triangles of matrices, in place; a workgroup has a matrix.
@if(wide)
alias Number = f64;
@else
alias Number = f32;

struct Sizes {
    rows: u32,
    // The number of columns of the right sides.
    columns: u32,
    // 1 for the upper triangle of the matrix as it is stored.
    upper: u32,
    // 1 for ones on the diagonal.
    unit: u32,
    // 1 for the transposed triangle.
    transposed: u32,
    // 1 if rows of the right sides are exchanged first.
    exchanged: u32,
    // The indices of the first elements in the bindings.
    first_of_a: u32,
    first_of_x: u32,
    first_of_exchanges: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> a: array<Number>;
@group(0) @binding(2) var<storage, read_write> x: array<Number>;
@group(0) @binding(3) var<storage> exchanges: array<u32>;

override group: u32 = 64u;

@compute @workgroup_size(group)
fn solve(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let n = sizes.rows;
    let columns = sizes.columns;
    let first = sizes.first_of_a + id.x * n * n;
    let first_of_x = sizes.first_of_x + id.x * n * columns;
    if sizes.exchanged == 1u {
        // An invocation exchanges the elements of a column alone, one after the other.
        for (var j = local; j < columns; j += group) {
            for (var k = 0u; k < n; k += 1u) {
                let other = exchanges[sizes.first_of_exchanges + id.x * n + k];
                let above = x[first_of_x + k * columns + j];
                x[first_of_x + k * columns + j] = x[first_of_x + other * columns + j];
                x[first_of_x + other * columns + j] = above;
            }
        }
    }
    workgroupBarrier();
    storageBarrier();
    let is_upwards = (sizes.upper == 1u) != (sizes.transposed == 1u);
    for (var turn = 0u; turn < n; turn += 1u) {
        let k = select(turn, n - 1u - turn, is_upwards);
        if sizes.unit == 0u {
            for (var j = local; j < columns; j += group) {
                x[first_of_x + k * columns + j] /= a[first + k * n + k];
            }
        }
        workgroupBarrier();
        storageBarrier();
        let rest = n - 1u - turn;
        for (var at = local; at < rest * columns; at += group) {
            let row = at / columns;
            let i = select(k + 1u + row, row, is_upwards);
            let j = at % columns;
            let place = select(i * n + k, k * n + i, sizes.transposed == 1u);
            x[first_of_x + i * columns + j] -= a[first + place] * x[first_of_x + k * columns + j];
        }
        workgroupBarrier();
        storageBarrier();
    }
}
