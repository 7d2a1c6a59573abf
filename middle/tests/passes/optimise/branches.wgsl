// Branches with known conditions, and branches without effect, are removed.
// pass: optimise

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage> in: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    // ...
}

// case: known branches are taken
var a = 3u; if a > 2u { out[0] = a; } else { out[1] = a; }
// check: out[0] = 3u;
// count 0: if
// count 0: out[1]

// case: known cases are taken
var a = 2u; switch a { case 1u, 2u: { out[0] = 1u; } default: { out[1] = 1u; } }
// check: out[0] = 1u;
// count 0: switch
// count 0: out[1]

// case: empty branches are removed
if id.x > 3u { var a = 1u; a = 2u; } out[0] = 1u;
// count 0: if

// case: values at a break within a branch arrive behind the switch
var a = 1u; switch n { case 0u: { if id.x > 3u { a = 2u; break; } } default: {} } out[0] = a;
// check: switch
// check: a = 2u;
// check: out[0] = _e

// case: and so they do where the chosen case is known
var a = 1u; switch 0u { case 0u: { if id.x > 3u { a = 2u; break; } } default: {} } out[0] = a;
// count 0: out[0] = 1u;
