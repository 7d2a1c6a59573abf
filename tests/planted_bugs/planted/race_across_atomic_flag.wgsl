// The flag is atomic, but the data is not, and relaxed atomics order nothing.
//! groups 2
struct State { ready: atomic<u32>, value: u32 }
@group(0) @binding(0) var<storage, read_write> state: State;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    if group.x == 0u {
        state.value = 42u;
        atomicStore(&state.ready, 1u);
    } else if atomicLoad(&state.ready) == 1u {
        data[0] = state.value; //~ race-across-workgroups state.value
    }
}
