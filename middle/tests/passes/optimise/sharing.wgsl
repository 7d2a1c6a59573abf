// Common expressions are shared, and invariant expressions move out of loops.
// pass: optimise

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage> in: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    // ...
}

// case: common expressions are shared
out[0] = id.x * id.y + 1u; out[1] = id.x * id.y + 2u;
// check: let $product = (id.x * id.y);
// next: out[0] = ($product + 1u);
// next: out[1] = ($product + 2u);

// case: loads are shared
sums[1] = in[id.x] + in[id.x];
// check: let $loaded = in[id.x];
// next: sums[1] = ($loaded + $loaded);

// case: invariant expressions move out of loops
for (var i = 0u; i < n; i++) { out[i] = i ^ ((id.x * id.y) + (id.x * id.y)); }
// check: let $product = (id.x * id.y);
// check: loop {
// check: ($product + $product)
// count 1: id.x

// case: divisions by what may be zero do not move
for (var i = 0u; i < n; i++) { if id.y > 0u { out[i] = (id.x / id.y) * (id.x / id.y) + (id.x % 5u) * (id.x % 5u); } }
// not: /
// check: let $rest = (id.x % 5u);
// next: loop {
// not: /
// check: if (id.y > 0u) {
// next: let $quotient = (id.x / id.y);
// next: out[$_] = (($quotient * $quotient) + ($rest * $rest));
