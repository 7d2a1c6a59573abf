// Sums 2048 values per workgroup; a second launch adds the sums.
const THREADS = 256u;
const PER_THREAD = 8u;

@group(0) @binding(0) var<storage> values: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

var<workgroup> partial: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn reduce(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let length = arrayLength(&values);
    var sum = 0.0;
    for (var i = 0u; i < PER_THREAD; i++) {
        let index = (group.x * PER_THREAD + i) * THREADS + local;
        if index < length {
            sum += values[index];
        }
    }
    partial[local] = sum;
    workgroupBarrier();
    for (var stride = THREADS / 2u; stride > 0u; stride /= 2u) {
        if local < stride {
            partial[local] += partial[local + stride];
        }
        workgroupBarrier();
    }
    if local == 0u {
        sums[group.x] = partial[0];
    }
}
