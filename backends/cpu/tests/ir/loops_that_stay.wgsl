// Loops that cannot be unrolled stay.
// pass: optimise
// run: 3

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 32>;
@compute @workgroup_size(20)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) li: u32) {
    let i = id.x; let n = data[i];
    // ...
}

// case: an unknown end
var s = n; for (var k = 0u; k < n; k++) { s = s * 3u + k; } out[i] = s;
// count 1: loop

// case: too many iterations
var s = n; for (var k = 0u; k < 65u; k++) { s = s * 3u + k; } out[i] = s;
// count 1: loop

// case: an unknown start
var s = 0u; for (var k = n; k < 20u; k++) { s = s * 3u + k; } out[i] = s;
// count 1: loop

// case: an unknown step
var s = 0u; for (var k = 0u; k < 20u; k += n + 1u) { s = s * 3u + k; } out[i] = s;
// count 1: loop

// case: a counter that data changes
var s = 0u; for (var k = 0u; k < 20u; k++) { s = s * 3u + k; if (s % 7u == n) { k += 2u; } } out[i] = s;
// count 1: loop

// case: a while that data changes
var s = n; var k = 0u; while (k < 20u) { if (data[k] > n) { k += 2u; continue; } s = s * 3u + k; k++; }
out[i] = s;
// count 1: loop

// case: barriers
var s = n; for (var k = 0u; k < 4u; k++) { tile[li] = s; workgroupBarrier();
s = s * 3u + tile[(li + k) % 20u]; workgroupBarrier(); } out[i] = s;
// count 1: loop

// case: a float
var s = n; var f = 0.0; while (f < 1.0) { s = s * 3u; f += 0.25; } out[i] = s;
// count 1: loop

// case: an outer loop of unknown length, with another
var s = n; for (var a = 0u; a < n; a++) { for (var b = 0u; b < 4u; b++) { s = s * 3u + a * b; } } out[i] = s;
// count 1: loop

// case: an inner loop of unknown length
var s = n; for (var a = 0u; a < 3u; a++) { for (var b = 0u; b < n; b++) { s = s * 3u + a * b; } } out[i] = s;
// count 3: loop

// case: long nested loops
var s = n;
for (var a = 0u; a < 40u; a++) { for (var b = 0u; b < 40u; b++) { if (data[b] == s) { s = s * 3u + a * b + data[a]; } s ^= data[b + 1u] + data[a + b % 3u]; }
} out[i] = s;
// count 2: loop

// case: an array and a loop of unknown length
var a: array<u32, 12>; for (var k = 0u; k < 12u; k++) { a[k] = n * k; } var s = 0u;
for (var k = 0u; k < n; k++) { s = s * 3u + a[k]; } out[i] = s;
// count 1: loop
