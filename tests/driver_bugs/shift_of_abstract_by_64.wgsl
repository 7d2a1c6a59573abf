// An abstract -1 shifted right stays -1 for every amount.
// right: 0xffffffff
// wrong: 0
@group(0) @binding(0) var<storage, read_write> result: array<i32>;

@compute @workgroup_size(1)
fn main() {
    const shifted = -1 >> 64u;
    result[0] = shifted;
}
