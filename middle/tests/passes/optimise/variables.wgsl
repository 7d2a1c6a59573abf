// Contents of variables replace loads, and dead stores are removed.
// pass: optimise

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage> in: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;
fn change(a: ptr<function, u32>) { *a = 2u; }
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    // ...
}

// case: variables forward
var a = id.x; a = a * 2u; a = a + 1u; out[a] = a;
// check: let $a =
// check: + 1u);
// next: out[$a] = $a;
// count 0: var a

// case: variables do not forward past a branch that stores
var a = 1u; if id.x > 5u { a = id.y; } out[0] = a;
// check: let $a = a;
// next: out[0] = $a;

// case: variables forward past a branch that returns
var a = 1u; if id.x > 5u { a = 2u; return; } out[0] = a;
// check: out[0] = 1u
// count 0: var a

// case: variables do not forward past a call that may store
var a = 1u; change(&a); out[0] = a;
// check: change((&a));
// next: let $a = a;
// next: out[0] = $a;

// case: variables do not forward into a loop that stores
var a = 1u; for (var i = 0u; i < n; i++) { out[i] = a; a = i; }
// check: loop {
// check: let $a = a;
// check: out[$_] = $a;

// case: continuing blocks load variables again
var i = 0u; loop { if i >= n { break; } out[i] = 1u; continuing { i += 1u; } }
// check: continuing {
// next: let $i = i;
// next: i = ($i + 1u);

// case: dead stores are removed
var a = id.x; out[0] = a; a = 7u; a = id.y; out[1] = a; a = 9u;
// check: out[0] = id.x;
// next: out[1] = id.y;
// count 0: var
