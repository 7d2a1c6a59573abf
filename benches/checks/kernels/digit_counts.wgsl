// Counts each digit of four bits in a block of 4096 keys: the first pass of a radix sort.
const THREADS = 256u;
const DIGITS = 16u;
const BLOCK = 4096u;

struct Params {
    shift: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> bins: array<atomic<u32>, DIGITS>;

@compute @workgroup_size(THREADS)
fn digit_counts(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    var own: array<u32, DIGITS>;
    for (var i = thread; i < BLOCK; i += THREADS) {
        let at = group.x * BLOCK + i;
        if at < arrayLength(&keys) {
            own[(keys[at] >> params.shift) & (DIGITS - 1u)] += 1u;
        }
    }
    for (var digit = 0u; digit < DIGITS; digit++) {
        if own[digit] != 0u {
            atomicAdd(&bins[digit], own[digit]);
        }
    }
    workgroupBarrier();
    if thread < DIGITS {
        counts[group.x * DIGITS + thread] = atomicLoad(&bins[thread]);
    }
}
