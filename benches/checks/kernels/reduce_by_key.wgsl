// Sums of runs of equal keys: the thread at the start of a run walks through it.
@group(0) @binding(0) var<storage> keys: array<u32>;
@group(0) @binding(1) var<storage> values: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(256)
fn reduce_by_key(@builtin(global_invocation_id) id: vec3<u32>) {
    let length = arrayLength(&keys);
    if id.x >= length {
        return;
    }
    let key = keys[id.x];
    var sum = 0u;
    if id.x == 0u || keys[id.x - 1u] != key {
        for (var at = id.x; at < length && keys[at] == key; at++) {
            sum += values[at];
        }
    }
    sums[id.x] = sum;
}
