// Expressions with known operands are folded.
// pass: optimise

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage> in: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;
const PLACE = vec2<u32>(3u, 4u);
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    // ...
}

// case: constants fold, zero too
var x = 7u; var z = 0u; x = x / z; out[0] = x % 4u + (1u << 2u);
// check: out[0] = 7u;
// count 0: /

// case: neutral operands are removed
let x = id.x; out[(x + 0u) * 1u] = (x | 0u) ^ 0u;
// check: out[x] = x;
// count 0: +

// case: masks of some bits stay
out[0] = id.x & 6u;
// check: & 6u

// case: masks of signed integers stay
out[0] = u32(i32(id.x) & 2147483647i);
// check: & 2147483647i

// case: masks of all bits are removed
out[0] = u32(i32(id.x) & -1i) & 4294967295u;
// count 0: &

// case: amounts of shifts are taken modulo the width
var by = 33u; out[0] = id.x << by; out[1] = id.x >> (by - 1u);
// check: << 1u
// count 0: 33u
// count 0: >>

// case: constants in sums are combined
out[(id.x + 3u) + 4u] = 1u;
// check: (id.x + 7u)
// count 0: 3u

// case: floats stay
sums[0] = in[0] * 1.0 + 0.0;
// check: * 1f
// check: + 0f

// case: components of vectors are known
let v = vec4(id.x, 2u, id.y, 4u); out[v.w] = v.zyx.y;
// check: out[4] = 2u;
// count 0: vec4

// case: vectors of constant vectors are flat
var a = 1u;
for (var i = 0u; i < n; i++) { out[dot(vec3(PLACE, a), id)] = dot(vec4(vec2<u32>(), vec2(a)), id.xyzx); }
// check: vec3<u32>(3u, 4u, 1u)
// check: vec4<u32>(0u, 0u, 1u, 1u)

// case: crossed bounds of clamp, which WGSL cannot express as constants
var z = 0u; out[0] = clamp(id.x, countLeadingZeros(z), 2u); out[1] = firstLeadingBit(z) << 3u;
// check: out[0] = 2u
// check: out[1] = 4294967288u
// count 0: clamp
// count 0: <<
