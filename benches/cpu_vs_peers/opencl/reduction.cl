// Sums 2048 values per workgroup; a second launch adds the sums.
#define THREADS 256
#define PER_THREAD 8

__kernel void reduce(__global const float *restrict values, __global float *restrict sums) {
    __local float partial[THREADS];
    int group = get_group_id(0);
    int local_id = get_local_id(0);
    float sum = 0.0f;
    for (int i = 0; i < PER_THREAD; i++) {
        sum += values[(group * PER_THREAD + i) * THREADS + local_id];
    }
    partial[local_id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (local_id < stride) {
            partial[local_id] += partial[local_id + stride];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (local_id == 0) {
        sums[group] = partial[0];
    }
}
