// Factors symmetric, positive definite matrices as l * transpose(l), in place; a workgroup has a matrix.
@if(wide)
alias Number = f64;
@else
alias Number = f32;

struct Sizes {
    rows: u32,
    // The indices of the first elements in the bindings.
    first_of_a: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read_write> a: array<Number>;
// For each matrix: 0, or the number of its first wrong pivot, counted from 1.
@group(0) @binding(2) var<storage, read_write> failed: array<u32>;
// For each matrix: its first wrong pivot.
@group(0) @binding(3) var<storage, read_write> pivots: array<Number>;

override group: u32 = 64u;

@compute @workgroup_size(group)
fn factor(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let n = sizes.rows;
    let first = sizes.first_of_a + id.x * n * n;
    // All invocations read the same pivots, so that they agree.
    var is_definite = true;
    if local == 0u {
        failed[id.x] = 0u;
        pivots[id.x] = Number();
    }
    for (var k = 0u; k < n; k += 1u) {
        let pivot = a[first + k * n + k];
        let is_wrong = is_definite && !(pivot > Number() && pivot - pivot == Number());
        is_definite = is_definite && !is_wrong;
        workgroupBarrier();
        storageBarrier();
        if is_wrong && local == 0u {
            failed[id.x] = k + 1u;
            pivots[id.x] = pivot;
        }
        if is_definite {
            let root = sqrt(pivot);
            for (var i = k + 1u + local; i < n; i += group) {
                a[first + i * n + k] /= root;
            }
            if local == 0u {
                a[first + k * n + k] = root;
            }
        }
        workgroupBarrier();
        storageBarrier();
        if is_definite {
            let rest = n - k - 1u;
            for (var at = local; at < rest * rest; at += group) {
                let i = k + 1u + at / rest;
                let j = k + 1u + at % rest;
                if j <= i {
                    a[first + i * n + j] -= a[first + i * n + k] * a[first + j * n + k];
                }
            }
        }
        workgroupBarrier();
        storageBarrier();
    }
    for (var at = local; at < n * n; at += group) {
        if at % n > at / n {
            a[first + at] = Number();
        }
    }
}
