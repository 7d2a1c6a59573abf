// product = matrix * vector, with four columns at a time: a workgroup computes one element.
const THREADS = 64u;

struct Params {
    rows: u32,
    // Columns of the matrix, divided by four.
    quads: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> matrix: array<vec4<f32>>;
@group(0) @binding(2) var<storage> vector: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> product: array<f32>;

var<workgroup> partial: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn matvec(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.x;
    var sum = vec4<f32>();
    if row < params.rows {
        for (var quad = thread; quad < params.quads; quad += THREADS) {
            sum += matrix[row * params.quads + quad] * vector[quad];
        }
    }
    partial[thread] = sum.x + sum.y + sum.z + sum.w;
    workgroupBarrier();
    for (var stride = THREADS / 2u; stride > 0u; stride /= 2u) {
        if thread < stride {
            partial[thread] += partial[thread + stride];
        }
        workgroupBarrier();
    }
    if thread == 0u && row < params.rows {
        product[row] = partial[0];
    }
}
