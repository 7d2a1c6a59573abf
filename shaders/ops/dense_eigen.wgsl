// Eigenvalues and eigenvectors of symmetric matrices by rotations (Jacobi); a workgroup has a matrix.
import package::shared::jacobi_pairs::{members, pair_of};

@if(wide)
alias Number = f64;
@else
alias Number = f32;

struct Sizes {
    rows: u32,
    // The greatest ratio of the squares beside the diagonal to all squares that counts as diagonal.
    share: f32,
    // 1 for the first sweep.
    is_first: u32,
    // The indices of the first elements in the bindings.
    first_of_values: u32,
    first_of_vectors: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read_write> a: array<Number>;
@group(0) @binding(2) var<storage, read_write> v: array<Number>;
// For each matrix: 1 if it is diagonal.
@group(0) @binding(3) var<storage, read_write> done: array<u32>;
@group(0) @binding(4) var<storage, read_write> values: array<Number>;
@group(0) @binding(5) var<storage, read_write> vectors: array<Number>;
// For each matrix: 0, or 1 if it is not diagonal after all sweeps.
@group(0) @binding(6) var<storage, read_write> failed: array<u32>;

override group: u32 = 64u;

var<workgroup> cosines: array<Number, 128>;
var<workgroup> sines: array<Number, 128>;
var<workgroup> sums: array<vec2<Number>, 256>;

// Returns the sum of the squares beside the diagonal and of all squares, to the first invocation.
fn squares(first: u32, local: u32) -> vec2<Number> {
    let n = sizes.rows;
    var sum = vec2<Number>();
    for (var at = local; at < n * n; at += group) {
        let square = a[first + at] * a[first + at];
        sum.y += square;
        if at / n != at % n {
            sum.x += square;
        }
    }
    sums[local] = sum;
    for (var step = group / 2u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if local < step {
            sums[local] += sums[local + step];
        }
    }
    return sums[local];
}

// Rotates all pairs once, unless the matrix is diagonal.
@compute @workgroup_size(group)
fn sweep(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let n = sizes.rows;
    let first = id.x * n * n;
    if sizes.is_first == 1u {
        for (var at = local; at < n * n; at += group) {
            v[first + at] = select(Number(), Number(1), at / n == at % n);
        }
        if local == 0u {
            done[id.x] = 0u;
        }
    }
    workgroupBarrier();
    storageBarrier();
    let is_done = done[id.x] == 1u;
    let pairs = select(members(n) / 2u, 0u, is_done);
    for (var round = 0u; round + 1u < members(n); round += 1u) {
        for (var number = local; number < pairs; number += group) {
            let pair = pair_of(n, round, number);
            var cosine = Number(1);
            var sine = Number();
            if pair.y < n {
                let beside = a[first + pair.x * n + pair.y];
                if beside != Number() {
                    let twice = Number(2) * beside;
                    let ratio = (a[first + pair.y * n + pair.y] - a[first + pair.x * n + pair.x]) / twice;
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
        for (var at = local; at < pairs * n; at += group) {
            let pair = pair_of(n, round, at / n);
            if pair.y < n {
                let c = cosines[at / n];
                let s = sines[at / n];
                let p = first + pair.x * n + at % n;
                let q = first + pair.y * n + at % n;
                let of_p = a[p];
                a[p] = c * of_p - s * a[q];
                a[q] = s * of_p + c * a[q];
            }
        }
        workgroupBarrier();
        storageBarrier();
        for (var at = local; at < pairs * n; at += group) {
            let pair = pair_of(n, round, at / n);
            if pair.y < n {
                let c = cosines[at / n];
                let s = sines[at / n];
                let p = first + at % n * n + pair.x;
                let q = first + at % n * n + pair.y;
                let of_p = a[p];
                a[p] = c * of_p - s * a[q];
                a[q] = s * of_p + c * a[q];
                let of_v = v[p];
                v[p] = c * of_v - s * v[q];
                v[q] = s * of_v + c * v[q];
            }
        }
        workgroupBarrier();
        storageBarrier();
    }
    let sum = squares(first, local);
    if local == 0u && !is_done && sum.x <= Number(sizes.share) * sum.y {
        done[id.x] = 1u;
    }
}

// Sorts the eigenvalues, and their vectors with them.
@compute @workgroup_size(group)
fn finish(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let n = sizes.rows;
    let first = id.x * n * n;
    for (var i = local; i < n; i += group) {
        let value = a[first + i * n + i];
        var rank = 0u;
        for (var j = 0u; j < n; j += 1u) {
            let other = a[first + j * n + j];
            if other < value || (other == value && j < i) {
                rank += 1u;
            }
        }
        values[sizes.first_of_values + id.x * n + rank] = value;
        for (var row = 0u; row < n; row += 1u) {
            vectors[sizes.first_of_vectors + first + row * n + rank] = v[first + row * n + i];
        }
    }
    if local == 0u {
        failed[id.x] = 1u - done[id.x];
    }
}
