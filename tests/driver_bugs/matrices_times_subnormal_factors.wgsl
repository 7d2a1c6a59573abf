// The products of a zero in a matrix and subnormal factors: zero. Each product is the factor instead.
// right: 32*0
// wrong: differs
const m = mat2x2(-3.4028234663852886e+38f, 0.0f, 0.0f, 0.0f);
const matrices = array(
    m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m,
    m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m
);
const a = -1.1754942106924411e-38f;
const b = 1.401298464324817e-45f;
const factors = array(
    a, -b, b, -a, a, -b, b, -a, a, -b, b, -a, a, -b, b, -a,
    a, -b, b, -a, a, -b, b, -a, a, -b, b, -a, a, -b, b, -a
);
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
var<workgroup> products: array<mat2x2<f32>, 32>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 32u; i++) {
        products[i] = matrices[i] * factors[i];
    }
    workgroupBarrier();
    for (var i = 0u; i < 32u; i++) {
        result[i] = bitcast<u32>(products[i][0][1]) & 0x7fffffffu;
    }
}
