// Counts words by their upper eight bits: first per workgroup, then globally.
#define BINS 256
#define PER_THREAD 16

__kernel void run(__global const uint *restrict values, __global uint *restrict bins) {
    __local uint counts[BINS];
    int local_id = get_local_id(0);
    counts[local_id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < PER_THREAD; i++) {
        uint value = values[(get_group_id(0) * PER_THREAD + i) * BINS + local_id];
        atomic_inc(&counts[value >> 24]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[local_id], counts[local_id]);
}
