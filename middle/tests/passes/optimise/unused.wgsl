// The pass that removes unused code, without other passes.
// pass: unused

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    // ...
}

// case: values that nothing uses, and what they are computed from
let never = id.x + id.z; let more = never * 3u; let kept = id.x * 7u; out[0] = kept;
// check: (id.x * 7u)
// count 0: never
// count 0: more

// case: a store that another follows before any load
var a = id.x; a = id.y; out[0] = a;
// count 1: a =
// check: a = id.y;

// case: a branch around dead stores
var a = 1u; if id.x > 3u { a = 2u; } out[0] = 1u;
// count 0: if
// count 0: var

// case: an atomic whose result is not used stays
let old = atomicAdd(&count, id.x);
// check: unchanged
// check: atomicAdd((&count), id.x)
