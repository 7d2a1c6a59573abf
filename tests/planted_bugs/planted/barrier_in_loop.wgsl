//! stops
//! buffer data 64 iota
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var k = 0u; k < data[i]; k++) {
        storageBarrier(); //~ divergent-barrier
    }
}
