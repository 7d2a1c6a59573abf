// Sorts blocks of 512 keys in workgroup memory (Batcher, 1968).
const THREADS = 256u;
const BLOCK = 512u;

@group(0) @binding(0) var<storage> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> ordered: array<u32>;

var<workgroup> block: array<u32, BLOCK>;

@compute @workgroup_size(THREADS)
fn sort_blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let start = group.x * BLOCK;
    for (var i = thread; i < BLOCK; i += THREADS) {
        // Padded with the largest key.
        block[i] = 0xffffffffu;
        if start + i < arrayLength(&keys) {
            block[i] = keys[start + i];
        }
    }
    workgroupBarrier();
    for (var stage = 2u; stage <= BLOCK; stage *= 2u) {
        for (var distance = stage / 2u; distance > 0u; distance /= 2u) {
            let first = 2u * thread - (thread & (distance - 1u));
            let low = block[first];
            let high = block[first + distance];
            if (low > high) == ((first & stage) == 0u) {
                block[first] = high;
                block[first + distance] = low;
            }
            workgroupBarrier();
        }
    }
    for (var i = thread; i < BLOCK; i += THREADS) {
        if start + i < arrayLength(&ordered) {
            ordered[start + i] = block[i];
        }
    }
}
