// Counts words by their upper eight bits: first per workgroup, then globally.
const BINS = 256u;
const PER_THREAD = 16u;

@group(0) @binding(0) var<storage> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, BINS>;

var<workgroup> counts: array<atomic<u32>, BINS>;

@compute @workgroup_size(BINS)
fn histogram(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let length = arrayLength(&values);
    for (var i = 0u; i < PER_THREAD; i++) {
        let index = (group.x * PER_THREAD + i) * BINS + local;
        if index < length {
            atomicAdd(&counts[values[index] >> 24u], 1u);
        }
    }
    workgroupBarrier();
    atomicAdd(&bins[local], atomicLoad(&counts[local]));
}
