// Arrays and structs become one variable for each element, if they can.
// pass: optimise

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage> in: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;
struct Pair { a: u32, b: array<u32, 2> }
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    // ...
}

// case: arrays become variables
var a: array<f32, 4>; for (var i = 0u; i < 4u; i++) { a[i] = in[i + id.x]; }
for (var i = 0u; i < n; i++) { a[0] += a[3]; } sums[0] = a[0];
// check: var a_0_: f32
// count 0: array<f32, 4>
// count 0: a_1_

// case: structs become variables
var p = Pair(id.x, array<u32, 2>(1u, 2u)); for (var i = 0u; i < n; i++) { p.a += p.b[1]; } out[0] = p.a;
// check: var p_a
// check: + 2u
// count 0: Pair(

// case: arrays with computed indices stay
var a: array<u32, 4>; a[id.x & 3u] = 1u; out[0] = a[0];
// check: array<u32, 4>
