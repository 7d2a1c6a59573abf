// The softmax of each row, one workgroup per row.
const THREADS = 128u;

struct Params {
    rows: u32,
    columns: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> scores: array<f32>;
@group(0) @binding(2) var<storage, read_write> shares: array<f32>;

var<workgroup> partial: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn softmax(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = group.x * params.columns;
    var largest = -1e30;
    for (var column = thread; column < params.columns; column += THREADS) {
        largest = max(largest, scores[first + column]);
    }
    partial[thread] = largest;
    workgroupBarrier();
    for (var stride = THREADS / 2u; stride > 0u; stride /= 2u) {
        if thread < stride {
            partial[thread] = max(partial[thread], partial[thread + stride]);
        }
        workgroupBarrier();
    }
    largest = partial[0];
    workgroupBarrier();
    var sum = 0.0;
    for (var column = thread; column < params.columns; column += THREADS) {
        sum += exp(scores[first + column] - largest);
    }
    partial[thread] = sum;
    workgroupBarrier();
    for (var stride = THREADS / 2u; stride > 0u; stride /= 2u) {
        if thread < stride {
            partial[thread] += partial[thread + stride];
        }
        workgroupBarrier();
    }
    sum = partial[0];
    for (var column = thread; column < params.columns; column += THREADS) {
        shares[first + column] = exp(scores[first + column] - largest) / sum;
    }
}
