// An immediate that is a scalar; it is set to 3.
// needs: immediates
// right: 4
// wrong: refused: push-constant
var<immediate> now: u32;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(1)
fn main() {
    result[0] = now + 1u;
}
