// Bitonic sort (Batcher, 1968) of a power of two of keys, at least 512. Exchanges over less than a
// block happen in workgroup memory.
const THREADS = 256u;
const BLOCK = 512u;

struct Params {
    // The length of sorted runs after this stage, in keys.
    stage: u32,
    // The distance between the keys of a pair.
    distance: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;

var<workgroup> block: array<u32, BLOCK>;

// The first key of a thread's pair.
fn first_of_pair(thread: u32, distance: u32) -> u32 {
    return 2u * thread - (thread & (distance - 1u));
}

fn load(start: u32, local: u32) {
    block[local] = keys[start + local];
    block[local + THREADS] = keys[start + local + THREADS];
    workgroupBarrier();
}

// The exchanges of a stage from distance `farthest` down, between keys of this block.
fn merge(start: u32, local: u32, stage: u32, farthest: u32) {
    for (var distance = farthest; distance > 0u; distance /= 2u) {
        let first = first_of_pair(local, distance);
        let low = block[first];
        let high = block[first + distance];
        if (low > high) == (((start + first) & stage) == 0u) {
            block[first] = high;
            block[first + distance] = low;
        }
        workgroupBarrier();
    }
}

fn store(start: u32, local: u32) {
    keys[start + local] = block[local];
    keys[start + local + THREADS] = block[local + THREADS];
}

@compute @workgroup_size(THREADS)
fn sort_blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let start = group.x * BLOCK;
    load(start, local);
    for (var stage = 2u; stage <= BLOCK; stage *= 2u) {
        merge(start, local, stage, stage / 2u);
    }
    store(start, local);
}

@compute @workgroup_size(THREADS)
fn merge_blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let start = group.x * BLOCK;
    load(start, local);
    merge(start, local, params.stage, BLOCK / 2u);
    store(start, local);
}

@compute @workgroup_size(THREADS)
fn exchange(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = first_of_pair(id.x, params.distance);
    let low = keys[first];
    let high = keys[first + params.distance];
    if (low > high) == ((first & params.stage) == 0u) {
        keys[first] = high;
        keys[first + params.distance] = low;
    }
}
