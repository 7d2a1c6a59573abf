// Moves the values that are not 0 to the front of their block of 256, and counts them.
const THREADS = 256u;

@group(0) @binding(0) var<storage> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> kept: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> running: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn compact(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    var value = 0u;
    if id.x < arrayLength(&values) {
        value = values[id.x];
    }
    running[thread] = select(0u, 1u, value != 0u);
    workgroupBarrier();
    for (var distance = 1u; distance < THREADS; distance <<= 1u) {
        var before = 0u;
        if thread >= distance {
            before = running[thread - distance];
        }
        workgroupBarrier();
        running[thread] += before;
        workgroupBarrier();
    }
    if value != 0u {
        kept[group.x * THREADS + running[thread] - 1u] = value;
    }
    if thread == THREADS - 1u {
        counts[group.x] = running[thread];
    }
}
