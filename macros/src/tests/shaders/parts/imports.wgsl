import package::shared::scale::{T, scale};
@group(0) @binding(0) var<storage, read_write> data: array<T>;
@compute @workgroup_size(1) fn main() { data[0] = scale(data[0]); }
