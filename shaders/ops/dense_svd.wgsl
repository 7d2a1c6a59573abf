// Singular values of matrices by rotations of their columns (one-sided Jacobi); a workgroup has a matrix.
import package::shared::jacobi_pairs::{members, pair_of};

@if(wide)
alias Number = f64;
@else
alias Number = f32;

struct Sizes {
    rows: u32,
    columns: u32,
    // The greatest cosine of two columns that counts as a right angle.
    share: f32,
    // 1 for the first sweep.
    is_first: u32,
    // The indices of the first elements in the bindings.
    first_of_u: u32,
    first_of_values: u32,
    first_of_v: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read_write> a: array<Number>;
@group(0) @binding(2) var<storage, read_write> turns: array<Number>;
// For each matrix: 1 if all columns are at right angles.
@group(0) @binding(3) var<storage, read_write> done: array<u32>;
@group(0) @binding(4) var<storage, read_write> u: array<Number>;
@group(0) @binding(5) var<storage, read_write> values: array<Number>;
@group(0) @binding(6) var<storage, read_write> v: array<Number>;
// For each matrix: 0, or 1 if columns are not at right angles after all sweeps.
@group(0) @binding(7) var<storage, read_write> failed: array<u32>;

override group: u32 = 64u;

var<workgroup> cosines: array<Number, 128>;
var<workgroup> sines: array<Number, 128>;
var<workgroup> rotated: array<u32, 256>;

// Rotates all pairs of columns once, unless all are at right angles.
@compute @workgroup_size(group)
fn sweep(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let m = sizes.rows;
    let n = sizes.columns;
    let first = id.x * m * n;
    let first_turn = id.x * n * n;
    if sizes.is_first == 1u {
        for (var at = local; at < n * n; at += group) {
            turns[first_turn + at] = select(Number(), Number(1), at / n == at % n);
        }
        if local == 0u {
            done[id.x] = 0u;
        }
    }
    workgroupBarrier();
    storageBarrier();
    let is_done = done[id.x] == 1u;
    let pairs = select(members(n) / 2u, 0u, is_done);
    var has_rotated = 0u;
    for (var round = 0u; round + 1u < members(n); round += 1u) {
        for (var number = local; number < pairs; number += group) {
            let pair = pair_of(n, round, number);
            var cosine = Number(1);
            var sine = Number();
            if pair.y < n {
                var of_p = Number();
                var of_q = Number();
                var both = Number();
                for (var row = 0u; row < m; row += 1u) {
                    let p = a[first + row * n + pair.x];
                    let q = a[first + row * n + pair.y];
                    of_p += p * p;
                    of_q += q * q;
                    both += p * q;
                }
                if !(abs(both) <= Number(sizes.share) * sqrt(of_p) * sqrt(of_q)) {
                    has_rotated = 1u;
                    let ratio = (of_q - of_p) / (Number(2) * both);
                    var tangent = Number(1) / (abs(ratio) + sqrt(Number(1) + ratio * ratio));
                    if ratio < Number() {
                        tangent = -tangent;
                    }
                    cosine = Number(1) / sqrt(Number(1) + tangent * tangent);
                    sine = tangent * cosine;
                }
            }
            cosines[number] = cosine;
            sines[number] = sine;
        }
        workgroupBarrier();
        storageBarrier();
        for (var at = local; at < pairs * m; at += group) {
            let pair = pair_of(n, round, at / m);
            if pair.y < n {
                let c = cosines[at / m];
                let s = sines[at / m];
                let p = first + at % m * n + pair.x;
                let q = first + at % m * n + pair.y;
                let of_p = a[p];
                a[p] = c * of_p - s * a[q];
                a[q] = s * of_p + c * a[q];
            }
        }
        for (var at = local; at < pairs * n; at += group) {
            let pair = pair_of(n, round, at / n);
            if pair.y < n {
                let c = cosines[at / n];
                let s = sines[at / n];
                let p = first_turn + at % n * n + pair.x;
                let q = first_turn + at % n * n + pair.y;
                let of_p = turns[p];
                turns[p] = c * of_p - s * turns[q];
                turns[q] = s * of_p + c * turns[q];
            }
        }
        workgroupBarrier();
        storageBarrier();
    }
    rotated[local] = has_rotated;
    for (var step = group / 2u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if local < step {
            rotated[local] |= rotated[local + step];
        }
    }
    if local == 0u && rotated[0] == 0u {
        done[id.x] = 1u;
    }
}

fn length_of(first: u32, column: u32) -> Number {
    var sum = Number();
    for (var row = 0u; row < sizes.rows; row += 1u) {
        let element = a[first + row * sizes.columns + column];
        sum += element * element;
    }
    return sqrt(sum);
}

// Writes the lengths of all columns.
@compute @workgroup_size(group)
fn measure(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let n = sizes.columns;
    for (var i = local; i < n; i += group) {
        values[sizes.first_of_values + id.x * n + i] = length_of(id.x * sizes.rows * n, i);
    }
    if local == 0u {
        failed[id.x] = 1u - done[id.x];
    }
}

// Writes the columns of u and v in the order of falling lengths.
@compute @workgroup_size(group)
fn arrange(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let m = sizes.rows;
    let n = sizes.columns;
    let lengths = sizes.first_of_values + id.x * n;
    for (var i = local; i < n; i += group) {
        let value = values[lengths + i];
        var rank = 0u;
        for (var j = 0u; j < n; j += 1u) {
            let other = values[lengths + j];
            if other > value || (other == value && j < i) {
                rank += 1u;
            }
        }
        var factor = Number();
        if value > Number() {
            factor = Number(1) / value;
        }
        for (var row = 0u; row < m; row += 1u) {
            u[sizes.first_of_u + id.x * m * n + row * n + rank] = a[id.x * m * n + row * n + i] * factor;
        }
        for (var row = 0u; row < n; row += 1u) {
            v[sizes.first_of_v + id.x * n * n + row * n + rank] = turns[id.x * n * n + row * n + i];
        }
    }
}

// Sorts the lengths themselves: the numbers of each matrix, by one invocation.
@compute @workgroup_size(group)
fn sort_values(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let n = sizes.columns;
    let first = sizes.first_of_values + id.x * n;
    if local > 0u {
        return;
    }
    for (var i = 1u; i < n; i += 1u) {
        let value = values[first + i];
        var place = i;
        while place > 0u && values[first + place - 1u] < value {
            values[first + place] = values[first + place - 1u];
            place -= 1u;
        }
        values[first + place] = value;
    }
}
