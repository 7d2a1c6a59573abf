// Writes one element, so that the whole range counts as written by the device.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(1)
fn touch() {
    data[0] = data[0] + 1u;
}
