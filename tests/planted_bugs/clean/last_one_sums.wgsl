// The last workgroup uses the results of the others; all accesses are atomic.
//! groups 4
struct State { parts: array<atomic<u32>, 4>, done: atomic<u32>, total: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> state: State;
var<workgroup> last: bool;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
    atomicAdd(&state.parts[group.x], i);
    storageBarrier();
    if i == 0u { last = atomicAdd(&state.done, 1u) == 3u; }
    if workgroupUniformLoad(&last) && i < 4u {
        atomicAdd(&state.total, atomicLoad(&state.parts[i]));
    }
}
