//! stops
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var n = 0u; n < 3u; n++) {
        loop { //~ step-limit
            if data[i] > 5u { break; }
        }
    }
}
