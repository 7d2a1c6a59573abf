//! buffer data 64 iota
var<workgroup> keys: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    keys[i] = data[i];
    keys[i + 32u] = data[i + 32u];
    workgroupBarrier();
    for (var size = 2u; size <= 64u; size *= 2u) {
        for (var stride = size / 2u; stride > 0u; stride /= 2u) {
            let low = 2u * i - (i & (stride - 1u));
            let high = low + stride;
            let rising = (low & size) == 0u;
            if (keys[low] > keys[high]) == rising {
                let held = keys[low];
                keys[low] = keys[high];
                keys[high] = held;
            }
            workgroupBarrier();
        }
    }
    data[i] = keys[i];
    data[i + 32u] = keys[i + 32u];
}
