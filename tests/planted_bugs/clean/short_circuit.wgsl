@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    if i > 0u && source[i - 1u] == 0u { data[i] = 1u; }
    data[i] += select(0u, 1u, i == 63u || source[i + 1u] == 0u);
}
