// Factors matrices as l * u with exchanged rows, in place; a workgroup has a matrix.
@if(wide)
alias Number = f64;
@else
alias Number = f32;

struct Sizes {
    rows: u32,
    // The indices of the first elements in the bindings.
    first_of_a: u32,
    first_of_exchanges: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read_write> a: array<Number>;
// For each row: the row with which it was exchanged, in this order.
@group(0) @binding(2) var<storage, read_write> exchanges: array<u32>;
// For each matrix: 0, or the number of its first wrong pivot, counted from 1.
@group(0) @binding(3) var<storage, read_write> failed: array<u32>;
// For each matrix: its first wrong pivot.
@group(0) @binding(4) var<storage, read_write> pivots: array<Number>;

override group: u32 = 64u;

var<workgroup> greatest: array<Number, 256>;
var<workgroup> places: array<u32, 256>;

@compute @workgroup_size(group)
fn factor(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let n = sizes.rows;
    let first = sizes.first_of_a + id.x * n * n;
    // All invocations read the same pivots, so that they agree.
    var is_regular = true;
    if local == 0u {
        failed[id.x] = 0u;
        pivots[id.x] = Number();
    }
    for (var k = 0u; k < n; k += 1u) {
        var best = Number(-1);
        var place = k;
        for (var i = k + local; i < n; i += group) {
            let size = abs(a[first + i * n + k]);
            if size > best {
                best = size;
                place = i;
            }
        }
        greatest[local] = best;
        places[local] = place;
        for (var step = group / 2u; step > 0u; step /= 2u) {
            workgroupBarrier();
            if local < step {
                let other = greatest[local + step];
                let is_first = other == greatest[local] && places[local + step] < places[local];
                if other > greatest[local] || is_first {
                    greatest[local] = other;
                    places[local] = places[local + step];
                }
            }
        }
        workgroupBarrier();
        place = places[0];
        let pivot = a[first + place * n + k];
        let is_wrong = is_regular && !(abs(pivot) > Number() && pivot - pivot == Number());
        is_regular = is_regular && !is_wrong;
        workgroupBarrier();
        storageBarrier();
        if local == 0u {
            exchanges[sizes.first_of_exchanges + id.x * n + k] = place;
            if is_wrong {
                failed[id.x] = k + 1u;
                pivots[id.x] = pivot;
            }
        }
        if is_regular && place != k {
            for (var j = local; j < n; j += group) {
                let above = a[first + k * n + j];
                a[first + k * n + j] = a[first + place * n + j];
                a[first + place * n + j] = above;
            }
        }
        workgroupBarrier();
        storageBarrier();
        if is_regular {
            for (var i = k + 1u + local; i < n; i += group) {
                a[first + i * n + k] /= pivot;
            }
        }
        workgroupBarrier();
        storageBarrier();
        if is_regular {
            let rest = n - k - 1u;
            for (var at = local; at < rest * rest; at += group) {
                let i = k + 1u + at / rest;
                let j = k + 1u + at % rest;
                a[first + i * n + j] -= a[first + i * n + k] * a[first + k * n + j];
            }
        }
        workgroupBarrier();
        storageBarrier();
    }
}
