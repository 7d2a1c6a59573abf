// Each row with mean 0 and variance 1, scaled and shifted by column; one workgroup per row.
const THREADS = 128u;

struct Params {
    rows: u32,
    columns: u32,
    epsilon: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> values: array<f32>;
@group(0) @binding(2) var<storage> scale: array<f32>;
@group(0) @binding(3) var<storage> shift: array<f32>;
@group(0) @binding(4) var<storage, read_write> normal: array<f32>;

var<workgroup> sums: array<vec2<f32>, THREADS>;

@compute @workgroup_size(THREADS)
fn layernorm(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.x;
    var own = vec2<f32>();
    if row < params.rows {
        for (var column = thread; column < params.columns; column += THREADS) {
            let value = values[row * params.columns + column];
            own += vec2(value, value * value);
        }
    }
    sums[thread] = own;
    workgroupBarrier();
    for (var stride = THREADS / 2u; stride > 0u; stride /= 2u) {
        if thread < stride {
            sums[thread] += sums[thread + stride];
        }
        workgroupBarrier();
    }
    let means = sums[0] / f32(params.columns);
    let factor = inverseSqrt(means.y - means.x * means.x + params.epsilon);
    if row < params.rows {
        for (var column = thread; column < params.columns; column += THREADS) {
            let at = row * params.columns + column;
            normal[at] = (values[at] - means.x) * factor * scale[column] + shift[column];
        }
    }
}
