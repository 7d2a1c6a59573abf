// Bitonic sort (Batcher, 1968) of a power of two of keys, at least 512. Exchanges over less than a block happen in
// workgroup memory. A stage is the length of sorted runs after it, in keys.
#define THREADS 256
#define BLOCK 512

// The first key of a thread's pair.
uint first_of_pair(uint thread, uint distance) {
    return 2 * thread - (thread & (distance - 1));
}

void load(__global const uint *keys, __local uint *block, uint start, uint local_id) {
    block[local_id] = keys[start + local_id];
    block[local_id + THREADS] = keys[start + local_id + THREADS];
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The exchanges of a stage from distance `farthest` down, between keys of this block.
void merge(__local uint *block, uint start, uint local_id, uint stage, uint farthest) {
    for (uint distance = farthest; distance > 0; distance /= 2) {
        uint first = first_of_pair(local_id, distance);
        uint low = block[first];
        uint high = block[first + distance];
        if ((low > high) == (((start + first) & stage) == 0)) {
            block[first] = high;
            block[first + distance] = low;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

void store(__global uint *keys, __local const uint *block, uint start, uint local_id) {
    keys[start + local_id] = block[local_id];
    keys[start + local_id + THREADS] = block[local_id + THREADS];
}

__kernel void sort_blocks(__global uint *restrict keys) {
    __local uint block[BLOCK];
    uint start = get_group_id(0) * BLOCK;
    uint local_id = get_local_id(0);
    load(keys, block, start, local_id);
    for (uint stage = 2; stage <= BLOCK; stage *= 2) {
        merge(block, start, local_id, stage, stage / 2);
    }
    store(keys, block, start, local_id);
}

__kernel void merge_blocks(__global uint *restrict keys, uint stage) {
    __local uint block[BLOCK];
    uint start = get_group_id(0) * BLOCK;
    uint local_id = get_local_id(0);
    load(keys, block, start, local_id);
    merge(block, start, local_id, stage, BLOCK / 2);
    store(keys, block, start, local_id);
}

__kernel void exchange(__global uint *restrict keys, uint stage, uint distance) {
    uint first = first_of_pair(get_global_id(0), distance);
    uint low = keys[first];
    uint high = keys[first + distance];
    if ((low > high) == ((first & stage) == 0)) {
        keys[first] = high;
        keys[first + distance] = low;
    }
}
