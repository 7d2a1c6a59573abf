@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>>;
//! buffer data 64 iota
//! buffer bins 32
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    atomicAdd(&bins[data[i]], 1u); //~ out-of-range bins
}
