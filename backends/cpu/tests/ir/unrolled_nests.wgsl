// Switches, nests and arrays in loops of constant length are unrolled.
// pass: optimise
// run: 3
// count 0: loop

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 32>;
const PAIRS = array<vec2u, 5>(vec2u(1, 2), vec2u(3, 4), vec2u(5, 6), vec2u(7, 8), vec2u(9, 10));
fn filled(n: u32) -> u32 {
    var a: array<u32, 12>; for (var k = 0u; k < 12u; k++) { a[k] = n * k; }
    var s = 0u; for (var k = 0u; k < 12u; k++) { s = s * 3u + a[11u - k]; } return s;
}
fn weighed(n: f32) -> f32 {
    var a: array<f32, 12>; for (var k = 0; k < 12; k++) { a[k] = n + f32(k) * 0.1; }
    var s = 0.0; for (var k = 0; k < 12; k++) { s = s * 0.7 + a[k]; } return s;
}
@compute @workgroup_size(20)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) li: u32) {
    let i = id.x; let n = data[i];
    // ...
}

// case: a switch by the counter
var s = n;
for (var k = 0u; k < 6u; k++) { switch k { case 1u, 3u: { s *= 7u; } case 4u: { continue; } default: { s += k; } }
s++; } out[i] = s;

// case: a switch by data
var s = n;
for (var k = 0u; k < 6u; k++) { switch data[k] { case 1u, 3u: { s *= 7u; } case 4u: { continue; } case 7u: { break; } default: { if (k == n) { break; } s += k; } }
s++; } out[i] = s;

// case: two nested loops
var s = n; for (var a = 0u; a < 4u; a++) { for (var b = 0u; b < 4u; b++) { s = s * 3u + a * b; } } out[i] = s;

// case: two nested loops of signed integers
var s = n;
for (var a = -1; a <= 1; a++) { for (var b = -1; b <= 1; b++) { s = s * 3u + data[u32(clamp(i32(i) + a * 4 + b, 0, 59))]; }
} out[i] = s;

// case: an inner loop from the outer counter
var s = n; for (var a = 0u; a < 4u; a++) { for (var b = a; b < 4u; b++) { s = s * 3u + a * b; } } out[i] = s;

// case: three nested loops with breaks and a continue
var s = n;
for (var a = 0u; a < 3u; a++) { for (var b = 0u; b < 3u; b++) { if (b > n % 3u) { break; } for (var c = 0u; c < 3u; c++) { if (data[c] == n + a) { continue; } s = s * 3u + c; } }
if (s % 5u == 1u) { break; } } out[i] = s;

// case: an array
out[i] = filled(n);

// case: arrays of integers and of floats
out[i] = bitcast<u32>(weighed(f32(n))) ^ filled(n);

// case: a table
var s = n; for (var k = 0; k < 5; k++) { let p = PAIRS[k]; s = s * p.x + p.y; } out[i] = s;

// case: an array of vectors
var a: array<vec4f, 3>; for (var k = 0; k < 3; k++) { a[k] = vec4f(f32(k), f32(n), 2.5, f32(i)); }
var s = vec4f(); for (var k = 0; k < 3; k++) { s = s * 1.5 + a[k]; } out[i] = bitcast<u32>(dot(s, a[1]));

// case: an array beyond its end
var a = array<u32, 3>(n, i, 7u); var s = 0u; for (var k = 0; k < 6; k++) { s = s * 3u + a[k]; a[k] = s; }
out[i] = s + a[2];

// case: workgroup memory
tile[li] = n; workgroupBarrier(); var s = 0u;
for (var k = 0u; k < 4u; k++) { s = s * 3u + tile[li / 4u + k] + tile[k]; } out[i] = s;

// case: a variable that a branch changes
var s = n; var t = 1u; for (var k = 0u; k < 4u; k++) { if (n > k) { t = k; } s = s * 3u + t; } out[i] = s * t;

// case: variables that change places
var s = n; var t = s; for (var k = 0u; k < 4u; k++) { let old = s; s = t; t = old + k; }
out[i] = s * 100u + t;
