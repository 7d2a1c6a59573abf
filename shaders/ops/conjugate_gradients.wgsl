// A step of conjugate gradients on the residual, with the sums r . r and r . r / d, and the test that follows.
@if(wide)
alias Number = f64;
@else
alias Number = f32;

struct Step {
    // The number of rows, and of partial sums of each kind.
    rows: u32,
    parts: u32,
    // The greatest number of iterations.
    most: u32,
    // Whether residuals are divided by the diagonal.
    jacobi: u32,
    // The position of r . z, with the preconditioned residual z, in the sums.
    place: u32,
    // Positions in the sums.
    pq: u32,
    rr: u32,
    rz: u32,
    // Positions in the state.
    old_rz: u32,
    alpha: u32,
    beta: u32,
    scale: u32,
    goal: u32,
    // Positions in the flags.
    status: u32,
    iterations: u32,
    reason: u32,
    // Values of the status.
    running: u32,
    converged: u32,
    exhausted: u32,
    broken: u32,
}

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage> q: array<Number>;
@group(0) @binding(2) var<storage> d: array<Number>;
@group(0) @binding(3) var<storage, read_write> r: array<Number>;
@group(0) @binding(4) var<storage, read_write> partials: array<Number>;
@group(0) @binding(5) var<storage, read_write> sums: array<Number>;
@group(0) @binding(6) var<storage, read_write> state: array<Number>;
@group(0) @binding(7) var<storage, read_write> flags: array<u32>;

const GROUP: u32 = 256u;

var<workgroup> squares: array<Number, GROUP>;
var<workgroup> weighted: array<Number, GROUP>;

// Both sums over some rows.
struct Sums {
    rr: Number,
    rz: Number,
}

fn is_active() -> bool {
    return flags[step.status] == step.running && sums[step.pq] > Number();
}

// Returns the squares of a new residual.
fn squares_of(row: u32, residual: Number) -> Sums {
    let square = residual * residual;
    if step.jacobi == 0u {
        return Sums(square, Number());
    }
    return Sums(square, square / d[row]);
}

// Takes the step in every `stride`-th row from `first` on.
fn advance(first: u32, stride: u32) -> Sums {
    var sum = Sums();
    if !is_active() {
        return sum;
    }
    let alpha = state[step.old_rz] / sums[step.pq];
    var row = first;
    // Four rows at a time, whose elements are read together.
    for (; row + 3u * stride < step.rows; row += 4u * stride) {
        let a = r[row] - alpha * q[row];
        let b = r[row + stride] - alpha * q[row + stride];
        let c = r[row + 2u * stride] - alpha * q[row + 2u * stride];
        let e = r[row + 3u * stride] - alpha * q[row + 3u * stride];
        r[row] = a;
        r[row + stride] = b;
        r[row + 2u * stride] = c;
        r[row + 3u * stride] = e;
        let first_two = added(squares_of(row, a), squares_of(row + stride, b));
        let last_two = added(squares_of(row + 2u * stride, c), squares_of(row + 3u * stride, e));
        sum = added(sum, added(first_two, last_two));
    }
    for (; row < step.rows; row += stride) {
        let residual = r[row] - alpha * q[row];
        r[row] = residual;
        sum = added(sum, squares_of(row, residual));
    }
    return sum;
}

fn added(a: Sums, b: Sums) -> Sums {
    return Sums(a.rr + b.rr, a.rz + b.rz);
}

// Adds up the sums of all invocations of a workgroup; the first one receives the result.
fn of_group(local: u32, sum: Sums) -> Sums {
    squares[local] = sum.rr;
    weighted[local] = sum.rz;
    for (var distance = GROUP / 2u; distance > 0u; distance /= 2u) {
        workgroupBarrier();
        if local < distance {
            squares[local] += squares[local + distance];
            weighted[local] += weighted[local + distance];
        }
    }
    return Sums(squares[local], weighted[local]);
}

fn store(part: u32, sum: Sums) {
    partials[part] = sum.rr;
    partials[step.parts + part] = sum.rz;
}

// Each workgroup computes a part of the rows.
@compute @workgroup_size(256)
fn advance_groups(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if group.x >= step.parts {
        return;
    }
    let sum = of_group(local, advance(group.x * GROUP + local, step.parts * GROUP));
    if local == 0u {
        store(group.x, sum);
    }
}

// Each invocation computes a part of the rows.
@compute @workgroup_size(8)
fn advance_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < step.parts {
        store(id.x, advance(id.x, step.parts));
    }
}

// Returns the sum of every `stride`-th part from `first` on.
fn sum_of_parts(first: u32, stride: u32) -> Sums {
    var sum = Sums();
    for (var part = first; part < step.parts; part += stride) {
        sum = added(sum, Sums(partials[part], partials[step.parts + part]));
    }
    return sum;
}

// Counts an iteration, and tests whether it was the last one. An iteration after the last one changes nothing.
fn test(sum: Sums) {
    state[step.alpha] = Number();
    if flags[step.status] != step.running {
        return;
    }
    flags[step.iterations] += 1u;
    let product = sums[step.pq];
    if !(product > Number()) {
        flags[step.status] = step.broken;
        flags[step.reason] = step.pq;
        return;
    }
    sums[step.rr] = sum.rr;
    if step.jacobi != 0u {
        sums[step.rz] = sum.rz;
    }
    let new_rz = sums[step.place];
    state[step.alpha] = state[step.old_rz] / product * state[step.scale];
    state[step.beta] = new_rz / state[step.old_rz];
    state[step.old_rz] = new_rz;
    if sum.rr <= state[step.goal] {
        flags[step.status] = step.converged;
    } else if flags[step.iterations] >= step.most {
        flags[step.status] = step.exhausted;
    }
}

@compute @workgroup_size(256)
fn test_group(@builtin(local_invocation_index) local: u32) {
    let sum = of_group(local, sum_of_parts(local, GROUP));
    if local == 0u {
        test(sum);
    }
}

@compute @workgroup_size(1)
fn test_line() {
    test(sum_of_parts(0u, 1u));
}
