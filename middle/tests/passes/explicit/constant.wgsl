// Constant indices in range have no check.
// pass: explicit
// check: unchanged

@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> wide: Tail;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
@group(0) @binding(3) var<uniform> table: array<vec4<f32>, 4>;
var<workgroup> shared_data: array<u32, 16>;
struct Tail { head: u32, rows: array<array<u32, 4>> }
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x; let n = id.y; let s = bitcast<i32>(id.z);
    // ...
}

// case: element 0 of a buffer
data[0] = 1u;

// case: the last element of workgroup memory
data[0] = shared_data[15];

// case: the last of the atomics
atomicStore(&counts[7], 1u);

// case: the first row of a runtime-sized array
wide.rows[0][3] = wide.head;

// case: a named constant
const LAST = 3; data[0] = u32(table[LAST].w);

// case: components of a value
let v = vec4(i); data[0] = v[2] + v.w;

// case: accesses in branches
if i < 4 { data[0] = i; } else { shared_data[0] = n; workgroupBarrier(); }
