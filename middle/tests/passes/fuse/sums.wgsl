// Products become fused with sums.
// pass: fuse

@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<vec3<f32>>;
@group(0) @binding(2) var<storage, read_write> n: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    let a = x[0]; let b = x[1]; let c = x[2];
    let v = y[0]; let w = y[1];
    // ...
}

// case: a product on the left
x[i] = a * b + c;
// check: = fma(
// not: +

// case: a product on the right
x[i] = a + b * c;
// check: = fma(

// case: a product that is subtracted
x[i] = a - b * c;
// check: = fma(-(b), c, a)

// case: a product from which is subtracted stays
x[i] = a * b - c;
// not: fma

// case: two products stay
x[i] = a * b + b * c;
// not: fma

// case: a product that is used twice stays
let p = a * b; x[i] = p + c; x[i + 1u] = p;
// not: fma

// case: a sum that is stored to its operand stays
var sum = 0f; for (var k = 0u; k < 3u; k++) { sum += x[k] * a; } x[i] = sum;
// not: fma

// case: a vector that is stored to its operand
var sum = vec3(0f); for (var k = 0u; k < 3u; k++) { sum += y[k] * v; } y[i] = sum;
// check: fma(

// case: a sum of a variable that is stored elsewhere
var sum = x[9]; x[i] = a * b + sum;
// check: = fma(

// case: elements of one array
var sums = array<f32, 3>(); sums[i] = sums[i] + a * b; x[i] = sums[1];
// not: fma

// case: vectors
y[i] = v * w + v;
// check: = fma(

// case: a vector and a scalar
y[i] = v * a + w; y[i + 1u] = w + a * v;
// check: = fma(
// check: vec3(
// check: = fma(
// count 2: fma

// case: a vector and a scalar that are subtracted stay
y[i] = w - a * v;
// not: fma

// case: integers stay
n[i] = n[0] * n[1] + n[2];
// not: fma

// case: a polynomial
x[i] = ((a * b + 2f) * b + 3f) * b + 4f;
// count 3: fma(
