// atanh(-0.9999) is -4.951635808...; a few units in the last place, of 4.8e-7, are allowed, not 50.
// right: 1
// wrong: 0
@group(0) @binding(0) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(1)
fn main() {
    const folded = atanh(-0.9999f);
    result[0] = u32(abs(folded - -4.9516358f) < 5e-6);
}
