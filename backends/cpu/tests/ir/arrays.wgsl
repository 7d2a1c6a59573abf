// Private arrays that only constant indices access become registers.
// pass: optimise
// run: 3

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
const PAIRS = array<vec2u, 5>(vec2u(1, 2), vec2u(3, 4), vec2u(5, 6), vec2u(7, 8), vec2u(9, 10));
fn filled(n: u32) -> u32 {
    var a: array<u32, 12>; for (var k = 0u; k < 12u; k++) { a[k] = n * k; }
    var s = 0u; for (var k = 0u; k < 12u; k++) { s = s * 3u + a[11u - k]; } return s;
}
@compute @workgroup_size(20)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) li: u32) {
    let i = id.x; let n = data[i];
    // ...
}

// case: an array in a function
out[i] = filled(n);
// count 0: private

// case: the same in two calls
out[i] = filled(n) + filled(n + 1u);
// count 0: private

// case: one dynamic index keeps the array, and everything that shares its memory
var a: array<u32, 12>; a[3] = n; a[i % 12u] = 5u; out[i] = a[3] + a[4];
// check: load I32 private

// case: constants in a table are known
var s = 0u; for (var k = 0; k < 5; k++) { s += PAIRS[k].y; } out[i] = s;
// check: = I32(30)
