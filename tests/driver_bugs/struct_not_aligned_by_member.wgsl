// The alignment of a struct is the largest of its members: `inner` is at 32, and `outer` is 64 bytes long.
// right: 7 0 0 0 0 0 0 0 9
// wrong: 7 9 0 0 0 0 0 0 0
struct Inner {
    @align(32) value: u32,
}
struct Outer {
    first: u32,
    inner: Inner,
}
@group(0) @binding(0) var<storage, read_write> result: Outer;

@compute @workgroup_size(1)
fn main() {
    result.first = 7u;
    result.inner.value = 9u;
}
