// Inclusive prefix sums of blocks of 2048, eight per thread (Hillis and Steele, 1986, over the threads' sums).
const THREADS = 256u;
const PER_THREAD = 8u;

@group(0) @binding(0) var<storage> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> prefixes: array<u32>;

var<workgroup> running: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn scan_blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = (group.x * THREADS + thread) * PER_THREAD;
    var own: array<u32, PER_THREAD>;
    var sum = 0u;
    for (var i = 0u; i < PER_THREAD; i++) {
        if first + i < arrayLength(&values) {
            sum += values[first + i];
        }
        own[i] = sum;
    }
    running[thread] = sum;
    workgroupBarrier();
    for (var distance = 1u; distance < THREADS; distance *= 2u) {
        var before = 0u;
        if thread >= distance {
            before = running[thread - distance];
        }
        workgroupBarrier();
        running[thread] += before;
        workgroupBarrier();
    }
    let before = running[thread] - sum;
    for (var i = 0u; i < PER_THREAD; i++) {
        if first + i < arrayLength(&prefixes) {
            prefixes[first + i] = before + own[i];
        }
    }
}
