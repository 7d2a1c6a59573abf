// Products of two dense matrices at the places of a sparse matrix: values = alpha * (x * transpose(y)) + beta * old.
@if(wide)
alias Number = f64;
@else
alias Number = f32;

struct Product {
    alpha: Number,
    beta: Number,
    rows: u32,
    entries: u32,
    // The number of columns of x and y.
    depth: u32,
    // Whether the old values are used.
    accumulate: u32,
    // The indices of the first elements in the bindings.
    first_of_offsets: u32,
    first_of_columns: u32,
    first_of_old: u32,
    first_of_x: u32,
    first_of_y: u32,
    first_of_values: u32,
}

@group(0) @binding(0) var<uniform> product: Product;
@group(0) @binding(1) var<storage> offsets: array<u32>;
@group(0) @binding(2) var<storage> columns: array<u32>;
@group(0) @binding(3) var<storage> old: array<Number>;
@group(0) @binding(4) var<storage> x: array<Number>;
@group(0) @binding(5) var<storage> y: array<Number>;
@group(0) @binding(6) var<storage, read_write> values: array<Number>;

// The number of invocations that compute an entry together; a power of two.
override lanes: u32 = 1u;

const GROUP: u32 = 256u;

var<workgroup> partial: array<Number, GROUP>;

// Returns the last row that begins at an entry or before.
fn row_of(entry: u32) -> u32 {
    var row = 0u;
    var after = product.rows;
    while after - row > 1u {
        let middle = row + (after - row) / 2u;
        if offsets[product.first_of_offsets + middle] <= entry {
            row = middle;
        } else {
            after = middle;
        }
    }
    return row;
}

// Returns the sum of every `step`-th product from `begin` on.
fn sum_of(entry: u32, begin: u32, step: u32) -> Number {
    let row_of_x = product.first_of_x + row_of(entry) * product.depth;
    let row_of_y = product.first_of_y + columns[product.first_of_columns + entry] * product.depth;
    var sum = Number();
    for (var at = begin; at < product.depth; at += step) {
        sum += x[row_of_x + at] * y[row_of_y + at];
    }
    return sum;
}

fn store(entry: u32, sum: Number) {
    var result = product.alpha * sum;
    if product.accumulate != 0u {
        result += product.beta * old[product.first_of_old + entry];
    }
    values[product.first_of_values + entry] = result;
}

// Each invocation computes an entry.
@compute @workgroup_size(64)
fn lines(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < product.entries {
        store(id.x, sum_of(id.x, 0u, 1u));
    }
}

// `lanes` invocations compute an entry, and read neighbouring elements.
@compute @workgroup_size(256)
fn teams(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let entry = group.x * (GROUP / lanes) + local / lanes;
    let lane = local % lanes;
    let is_inside = entry < product.entries;
    var sum = Number();
    if is_inside {
        sum = sum_of(entry, lane, lanes);
    }
    partial[local] = sum;
    for (var step = lanes / 2u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if lane < step {
            partial[local] += partial[local + step];
        }
    }
    if is_inside && lane == 0u {
        store(entry, partial[local]);
    }
}
