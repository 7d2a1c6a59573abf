// Factors matrices as q * r by reflections (Householder); a workgroup has a matrix.
@if(wide)
alias Number = f64;
@else
alias Number = f32;

struct Sizes {
    rows: u32,
    columns: u32,
    // The indices of the first elements in the bindings.
    first_of_q: u32,
    first_of_r: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
// The matrices; afterwards the reflections below the diagonal, without their ones.
@group(0) @binding(1) var<storage, read_write> a: array<Number>;
@group(0) @binding(2) var<storage, read_write> factors: array<Number>;
@group(0) @binding(3) var<storage, read_write> q: array<Number>;
@group(0) @binding(4) var<storage, read_write> r: array<Number>;

override group: u32 = 64u;

var<workgroup> parts: array<Number, 256>;

// Returns the sum, or the greatest of all parts, to all invocations.
fn gathered(part: Number, local: u32, greatest: bool) -> Number {
    parts[local] = part;
    for (var step = group / 2u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if local < step {
            if greatest {
                parts[local] = max(parts[local], parts[local + step]);
            } else {
                parts[local] += parts[local + step];
            }
        }
    }
    workgroupBarrier();
    let all = parts[0];
    workgroupBarrier();
    return all;
}

@compute @workgroup_size(group)
fn factor(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let m = sizes.rows;
    let n = sizes.columns;
    let first = id.x * m * n;
    for (var k = 0u; k < n; k += 1u) {
        var most = Number();
        for (var i = k + local; i < m; i += group) {
            most = max(most, abs(a[first + i * n + k]));
        }
        let scale = gathered(most, local, true);
        var sum = Number();
        if scale > Number() {
            for (var i = k + local; i < m; i += group) {
                let element = a[first + i * n + k] / scale;
                sum += element * element;
            }
        }
        let length = scale * sqrt(gathered(sum, local, false));
        let head = a[first + k * n + k];
        var turned = length;
        if head > Number() {
            turned = -length;
        }
        workgroupBarrier();
        storageBarrier();
        let is_turned = length > Number();
        if is_turned {
            for (var i = k + 1u + local; i < m; i += group) {
                a[first + i * n + k] /= head - turned;
            }
        }
        var share = Number();
        if is_turned {
            share = (turned - head) / turned;
        }
        if local == 0u {
            a[first + k * n + k] = turned;
            factors[id.x * n + k] = share;
        }
        workgroupBarrier();
        storageBarrier();
        for (var j = k + 1u + local; j < n; j += group) {
            var product = a[first + k * n + j];
            for (var i = k + 1u; i < m; i += 1u) {
                product += a[first + i * n + k] * a[first + i * n + j];
            }
            product *= share;
            a[first + k * n + j] -= product;
            for (var i = k + 1u; i < m; i += 1u) {
                a[first + i * n + j] -= a[first + i * n + k] * product;
            }
        }
        workgroupBarrier();
        storageBarrier();
    }
    for (var at = local; at < n * n; at += group) {
        r[sizes.first_of_r + id.x * n * n + at] = select(Number(), a[first + at], at / n <= at % n);
    }
    // An invocation computes a column of q alone.
    for (var j = local; j < n; j += group) {
        let column = sizes.first_of_q + first + j;
        for (var i = 0u; i < m; i += 1u) {
            q[column + i * n] = select(Number(), Number(1), i == j);
        }
        for (var left = j + 1u; left > 0u; left -= 1u) {
            let k = left - 1u;
            var product = q[column + k * n];
            for (var i = k + 1u; i < m; i += 1u) {
                product += a[first + i * n + k] * q[column + i * n];
            }
            product *= factors[id.x * n + k];
            q[column + k * n] -= product;
            for (var i = k + 1u; i < m; i += 1u) {
                q[column + i * n] -= a[first + i * n + k] * product;
            }
        }
    }
}
