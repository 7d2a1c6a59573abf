// Solves the equations of a triangle of a sparse matrix, level by level: rows of a level depend on earlier levels only.
@if(wide)
alias Number = f64;
@else
alias Number = f32;

struct Solve {
    // The first position in the order of rows, or the first level, and the one after the last.
    first: u32,
    last: u32,
    // 1 for the upper triangle.
    upper: u32,
    // 1 for ones on the diagonal, in place of its entries.
    unit: u32,
    // The indices of the first elements in the bindings.
    first_of_offsets: u32,
    first_of_columns: u32,
    first_of_values: u32,
    first_of_b: u32,
    first_of_x: u32,
}

@group(0) @binding(0) var<uniform> solve: Solve;
// The rows, level by level.
@group(0) @binding(1) var<storage> order: array<u32>;
// The positions at which levels begin.
@group(0) @binding(2) var<storage> bounds: array<u32>;
@group(0) @binding(3) var<storage> offsets: array<u32>;
@group(0) @binding(4) var<storage> columns: array<u32>;
@group(0) @binding(5) var<storage> values: array<Number>;
@group(0) @binding(6) var<storage> b: array<Number>;
@group(0) @binding(7) var<storage, read_write> x: array<Number>;

// The number of invocations that compute a row together; a power of two.
override lanes: u32 = 1u;

const GROUP: u32 = 256u;

var<workgroup> sums: array<Number, GROUP>;
var<workgroup> diagonals: array<Number, GROUP>;

struct Row {
    sum: Number,
    diagonal: Number,
}

// Adds up every `lanes`-th entry of a row: those of the triangle, and those of the diagonal.
fn part_of(row: u32, lane: u32) -> Row {
    var part = Row();
    let end = offsets[solve.first_of_offsets + row + 1u];
    for (var at = offsets[solve.first_of_offsets + row] + lane; at < end; at += lanes) {
        let column = columns[solve.first_of_columns + at];
        let value = values[solve.first_of_values + at];
        if column == row {
            part.diagonal += value;
        } else if (column > row) == (solve.upper == 1u) {
            part.sum += value * x[solve.first_of_x + column];
        }
    }
    return part;
}

fn store(row: u32, all: Row) {
    let rest = b[solve.first_of_b + row] - all.sum;
    if solve.unit == 1u {
        x[solve.first_of_x + row] = rest;
    } else {
        x[solve.first_of_x + row] = rest / all.diagonal;
    }
}

// Each invocation computes a row of a level.
@compute @workgroup_size(64)
fn rows(@builtin(global_invocation_id) id: vec3<u32>) {
    let position = solve.first + id.x;
    if position < solve.last {
        let row = order[position];
        store(row, part_of(row, 0u));
    }
}

// Computes a row by `lanes` invocations; all invocations of the workgroup call this.
fn compute_row(position: u32, last: u32, local: u32) {
    let lane = local % lanes;
    let is_inside = position < last;
    var row = 0u;
    var part = Row();
    if is_inside {
        row = order[position];
        part = part_of(row, lane);
    }
    sums[local] = part.sum;
    diagonals[local] = part.diagonal;
    for (var step = lanes / 2u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if lane < step {
            sums[local] += sums[local + step];
            diagonals[local] += diagonals[local + step];
        }
    }
    if is_inside && lane == 0u {
        store(row, Row(sums[local], diagonals[local]));
    }
}

// `lanes` invocations compute a row of a level.
@compute @workgroup_size(256)
fn teams(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    compute_row(solve.first + group.x * (GROUP / lanes) + local / lanes, solve.last, local);
}

// One workgroup computes several levels of few rows.
@compute @workgroup_size(256)
fn chain(@builtin(local_invocation_index) local: u32) {
    for (var level = solve.first; level < solve.last; level += 1u) {
        let end = bounds[level + 1u];
        for (var begin = bounds[level]; begin < end; begin += GROUP / lanes) {
            compute_row(begin + local / lanes, end, local);
            workgroupBarrier();
        }
        storageBarrier();
    }
}

// One invocation computes several levels, row by row.
@compute @workgroup_size(1)
fn walk() {
    for (var position = solve.first; position < solve.last; position += 1u) {
        let row = order[position];
        store(row, part_of(row, 0u));
    }
}
