// Factors a sparse matrix without new entries, level by level: rows of a level depend on earlier levels only.
@if(wide)
alias Number = f64;
@else
alias Number = f32;

struct Factor {
    // The first position in the order of rows, or the first level, and the one after the last.
    first: u32,
    last: u32,
}

@group(0) @binding(0) var<uniform> factor: Factor;
// The rows, level by level.
@group(0) @binding(1) var<storage> order: array<u32>;
// The positions at which levels begin.
@group(0) @binding(2) var<storage> bounds: array<u32>;
@group(0) @binding(3) var<storage> offsets: array<u32>;
// The column indices, which rise in each row.
@group(0) @binding(4) var<storage> columns: array<u32>;
// The position of the entry of the diagonal in each row.
@group(0) @binding(5) var<storage> pivots: array<u32>;
@group(0) @binding(6) var<storage, read_write> values: array<Number>;
// The first row whose pivot is 0 or not finite.
@group(0) @binding(7) var<storage, read_write> wrong: array<atomic<u32>>;

const GROUP: u32 = 256u;

fn factor_row(row: u32) {
    let end = offsets[row + 1u];
    for (var at = offsets[row]; at < pivots[row]; at += 1u) {
        let above = columns[at];
        let share = values[at] / values[pivots[above]];
        values[at] = share;
        // Both rows are sorted, so one pass finds the columns that both have.
        var place = at + 1u;
        let last = offsets[above + 1u];
        for (var from_above = pivots[above] + 1u; from_above < last; from_above += 1u) {
            let column = columns[from_above];
            while place < end && columns[place] < column {
                place += 1u;
            }
            if place < end && columns[place] == column {
                values[place] -= share * values[from_above];
            }
        }
    }
    let pivot = values[pivots[row]];
    if !(abs(pivot) > Number() && pivot - pivot == Number()) {
        atomicMin(&wrong[0], row);
    }
}

// Each invocation computes a row of a level.
@compute @workgroup_size(64)
fn rows(@builtin(global_invocation_id) id: vec3<u32>) {
    let position = factor.first + id.x;
    if position < factor.last {
        factor_row(order[position]);
    }
}

// One workgroup computes several levels of few rows.
@compute @workgroup_size(256)
fn chain(@builtin(local_invocation_index) local: u32) {
    for (var level = factor.first; level < factor.last; level += 1u) {
        let end = bounds[level + 1u];
        for (var position = bounds[level] + local; position < end; position += GROUP) {
            factor_row(order[position]);
        }
        storageBarrier();
    }
}

// One invocation computes several levels, row by row.
@compute @workgroup_size(1)
fn walk() {
    for (var position = factor.first; position < factor.last; position += 1u) {
        factor_row(order[position]);
    }
}
