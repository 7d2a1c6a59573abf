// Loops of constant length are unrolled where that is worthwhile.
// pass: optimise

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage> in: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;
fn in_range(i: u32) -> u32 { return min(i, 3u); }
const TABLE = array<array<u32, 2>, 2>(array<u32, 2>(5u, 6u), array<u32, 2>(7u, 8u));
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    // ...
}

// case: counted loops unroll
for (var i = 0u; i < 4u; i++) { out[i * 2u] = i; }
// check: out[0] = 0u;
// check: out[6] = 3u;
// count 0: loop

// case: loops that count down and test at the end unroll
var i = 3; loop { out[i] = 1u; continuing { i--; break if i < 0; } }
// check: out[3i] = 1u;
// check: out[0i] = 1u;
// count 0: loop

// case: loops of unknown length do not unroll
for (var i = 0u; i < n; i++) { out[i] = i; }
// check: loop

// case: loops with a break in an unknown branch do not unroll
for (var i = 0u; i < 4u; i++) { if in[i] > 0.0 { break; } out[i] = i; }
// check: loop

// case: loops with many iterations do not unroll
for (var i = 0u; i < 65u; i++) { out[i] = i; }
// check: loop

// case: loops with a return unroll
for (var i = 0u; i < 4u; i++) { if in[i] > 0.0 { return; } out[i] = i; }
// check: out[3] = 3u;
// check: return
// count 0: loop

// case: long loops with a barrier do not unroll
for (var i = 0u; i < 16u; i++) { out[i] = id.x * i + id.y; out[i + 20u] = id.x / (i + 2u); workgroupBarrier(); out[i + 50u] = out[i] * id.y; }
// check: loop

// case: loops whose iterations are all the same do not unroll
var a = id.x; for (var i = 0u; i < 60u; i++) { a = a * 5u + id.y; a = a ^ (a >> 3u); } out[0] = a;
// check: loop

// case: elements of tables are known
for (var i = 0u; i < 2u; i++) { for (var j = 0u; j < 2u; j++) { out[i * 2u + j] = TABLE[i][j]; } }
// check: out[0] = 5u;
// check: out[3] = 8u;
// count 0: TABLE
// count 0: loop

// case: loops with a constant index out of range do not unroll
var a: array<u32, 3>; for (var i = 0u; i < 4u; i++) { a[i] = in_range(i); } out[0] = a[1];
// check: array<u32, 3>
// check: loop

// case: loops with a continue unroll
for (var i = 0u; i < 4u; i++) { if in[i] > 0.0 { out[5] = 1u; continue; } out[i] = i; }
// check: } else {
// next: out[0] = 0u;
// check: } else {
// check: } else {
// check: } else {
// next: out[3] = 3u;
// count 0: loop
// count 0: continue
