//! groups 2
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main() {
    result[3] = 7u; //~ race-across-workgroups result
}
