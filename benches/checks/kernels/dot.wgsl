// The dot product of two vectors: a partial sum per workgroup.
const THREADS = 256u;
const PER_THREAD = 16u;

@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> parts: array<f32>;

var<workgroup> partial: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn dot_parts(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    var sum = 0.0;
    for (var i = 0u; i < PER_THREAD; i++) {
        let index = (group.x * PER_THREAD + i) * THREADS + thread;
        if index < arrayLength(&a) && index < arrayLength(&b) {
            sum += a[index] * b[index];
        }
    }
    partial[thread] = sum;
    workgroupBarrier();
    for (var stride = THREADS / 2u; stride > 0u; stride /= 2u) {
        if thread < stride {
            partial[thread] += partial[thread + stride];
        }
        workgroupBarrier();
    }
    if thread == 0u {
        parts[group.x] = partial[0];
    }
}
