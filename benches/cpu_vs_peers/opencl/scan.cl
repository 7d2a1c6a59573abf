// Inclusive prefix sums: 1024 values per workgroup, four per thread (Hillis and Steele, 1986, over the threads' sums);
// then the same over the blocks' sums, which are added at the end.
#define THREADS 256

__kernel void scan_blocks(
    __global const uint4 *restrict values,
    __global uint4 *restrict prefixes,
    __global uint *restrict block_sums
) {
    __local uint running[THREADS];
    int id = get_global_id(0);
    int local_id = get_local_id(0);
    uint4 own = values[id];
    own.y += own.x;
    own.z += own.y;
    own.w += own.z;
    uint sum = own.w;
    running[local_id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = 1; distance < THREADS; distance *= 2) {
        if (local_id >= distance) {
            sum += running[local_id - distance];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        running[local_id] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    prefixes[id] = own + (sum - own.w);
    if (local_id == THREADS - 1) {
        block_sums[get_group_id(0)] = sum;
    }
}

__kernel void add_block_sums(__global const uint *restrict block_prefixes, __global uint4 *restrict prefixes) {
    int group = get_group_id(0);
    if (group > 0) {
        prefixes[get_global_id(0)] += block_prefixes[group - 1];
    }
}
