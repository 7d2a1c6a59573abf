// Loops of constant length are unrolled.
// pass: optimise
// run: 3
// count 0: loop

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
fn early(n: u32) -> u32 {
    for (var k = 0u; k < 5u; k++) { if (data[k] == n) { return k * 10u; } }
    return 99u;
}
@compute @workgroup_size(20)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) li: u32) {
    let i = id.x; let n = data[i];
    // ...
}

// case: up by one
var s = n; for (var k = 0u; k < 5u; k++) { s = s * 3u + data[k]; } out[i] = s;

// case: down by two
var s = n; for (var k = 9; k >= 0; k -= 2) { s = s * 3u + u32(k); } out[i] = s;

// case: down to one
var s = n; for (var k = 5u; k > 0u; k--) { s = s * 3u + k; } out[i] = s;

// case: doubled
var s = n; for (var k = 1u; k <= 64u; k *= 2u) { s = s * 3u + k; } out[i] = s;

// case: divided
var s = n; for (var k = 100u; k > 0u; k /= 3u) { s = s * 3u + k; } out[i] = s;

// case: shifted to the left
var s = n; for (var k = 1u; k != 0u; k <<= 5u) { s = s * 3u + k; } out[i] = s;

// case: shifted to the right
var s = n; for (var k = -64; k < -1; k >>= 1u) { s = s * 3u + u32(k); } out[i] = s;

// case: from a large number on, until it wraps
var s = n; for (var k = 4294967290u; k > 5u; k++) { s = s * 3u + k; } out[i] = s;

// case: a counter with a sign
var s = n; for (var k = -3; k < 3; k++) { s += u32(k * k) / u32(abs(k) + 1); } out[i] = s;

// case: no iteration
var s = n; for (var k = 7u; k < 5u; k++) { s = 0u; } out[i] = s;

// case: one iteration
var s = n; for (var k = 4u; k < 5u; k++) { s += k; } out[i] = s;

// case: a while
var s = n; var k = 0u; while (k < 6u) { s = s * 3u + k; k += 1u; } out[i] = s + k;

// case: a while that tests a constant first
var s = n; var k = 0u; while (6u > k) { k += 2u; s = s * 3u + k; } out[i] = s + k;

// case: a loop with a break
var s = n; var k = 0u; loop { if (k == 6u) { break; } s = s * 3u + k; k++; } out[i] = s;

// case: a break at the end
var s = n; var k = 0u; loop { s = s * 3u + k; continuing { k++; break if k == 6u; } } out[i] = s;

// case: a break in the middle
var s = n; var k = 0u; loop { s = s * 3u + k; if (k >= 6u) { break; } continuing { k++; } } out[i] = s;

// case: two counters
var s = n; var a = 0u; var b = 9u; loop { if (a > b) { break; } s = s * 3u + a * b; a += 2u; b--; }
out[i] = s;

// case: a loop that ends at once
var s = n; loop { s += 3u; break; } out[i] = s;

// case: a break by data
var s = n; for (var k = 0u; k < 6u; k++) { if (data[k] == n) { break; } s = s * 3u + k; } out[i] = s;

// case: a continue by data
var s = n; for (var k = 0u; k < 6u; k++) { if (data[k] > n) { continue; } s = s * 3u + k; } out[i] = s;

// case: both by data
var s = n; for (var k = 0u; k < 6u; k++) { let d = data[k + i % 3u]; if (d > n) { continue; }
if (d == 3u) { break; } s = s * 3u + d; } out[i] = s;

// case: both by the counter
var s = n; for (var k = 0u; k < 6u; k++) { if (k == 2u) { continue; } if (k == 5u) { break; }
s = s * 3u + k; } out[i] = s;

// case: a return by data
out[i] = 5u; for (var k = 0u; k < 6u; k++) { if (data[k] == n) { out[i] = k; return; } } out[i] = 77u;

// case: a return from a function
out[i] = early(n) + early(n + 1u);

// case: a function in a loop
var s = 0u; for (var k = 0u; k < 3u; k++) { s = s * 5u + early(n + k); } out[i] = s;
