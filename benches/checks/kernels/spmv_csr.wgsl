// product = matrix * vector, where the matrix is sparse: the entries of row r are those from starts[r] up to
// starts[r + 1].
@group(0) @binding(0) var<storage> starts: array<u32>;
@group(0) @binding(1) var<storage> columns: array<u32>;
@group(0) @binding(2) var<storage> entries: array<f32>;
@group(0) @binding(3) var<storage> vector: array<f32>;
@group(0) @binding(4) var<storage, read_write> product: array<f32>;

@compute @workgroup_size(128)
fn spmv(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    if row >= arrayLength(&product) {
        return;
    }
    var sum = 0.0;
    for (var at = starts[row]; at < starts[row + 1u]; at++) {
        sum += entries[at] * vector[columns[at]];
    }
    product[row] = sum;
}
