// Every kind of access without a proof gets a check.
// pass: explicit

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

// case: a read of a storage buffer
data[0] = data[i];
// check: arrayLength((&data)) - 1u)
// check: = data[min(i, last_index)];

// case: an index of signed integers
data[0] = shared_data[s];
// check: shared_data[min(bitcast<u32>(s), 15u)]

// case: a constant index of a runtime-sized array
data[0] = data[5];
// check: data[min(5u, last_index)]

// case: a row of a runtime-sized array
data[0] = wide.rows[i][n];
// check: arrayLength((&wide.rows)) - 1u
// check: wide.rows[min(i, last_index)][min(n, 3u)]

// case: a component of a uniform
let v = table[i][n]; data[0] = u32(v);
// check: table[min(i, 3u)][min(n, 3u)]

// case: a component of a value
let v = vec4(i); data[0] = v[n];
// check: [min(n, 3u)]

// case: a component of a variable
var v = vec3(i); data[0] = v[n];
// check: v[min(n, 2u)]

// case: a component of a matrix
var m = mat3x2f(); data[0] = u32(m[i][n]);
// check: m[min(i, 2u)][min(n, 1u)]

// case: an index of signed 64-bit integers
let k = i64(s); data[0] = data[k];
// check: data[u32(min(bitcast<u64>(k), u64(last_index)))]

// case: an index of unsigned 64-bit integers
let k = u64(i); data[0] = shared_data[k];
// check: shared_data[u32(min(k, u64(15u)))]

// case: an atomic load
data[0] = atomicLoad(&counts[i]);
// check: = atomicLoad((&counts[min(i, 7u)]));
// check: = select(u32(), 
// check: , (i <= 7u));

// case: a uniform load
data[0] = workgroupUniformLoad(&shared_data[n]);
// check: workgroupUniformLoad((&shared_data[min(n, 15u)]))

// case: a write
data[i] = 1u;
// check: if (i <= last_index)
// check: data[min(i, last_index)] = 1u;
// check: }

// case: a write to a row of a runtime-sized array
wide.rows[i][n] = 1u;
// check: if (
// check: (i <= last_index)
// check: (n <= 3u)
// check: wide.rows[min(i, last_index)][min(n, 3u)] = 1u;
// check: }

// case: an atomic store
atomicStore(&counts[i], 1u);
// check: if (i <= 7u)
// check: atomicStore((&counts[min(i, 7u)]), 1u);
// check: }

// case: an atomic whose result is unused
atomicAdd(&counts[i], 1u);
// check: if (i <= 7u)
// check: atomicAdd((&counts[min(i, 7u)]), 1u);
// check: }

// case: an atomic whose result is used
data[0] = atomicMax(&counts[i], 3u);
// check: changed = u32();
// check: if (i <= 7u)
// check: atomicMax((&counts[min(i, 7u)]), 3u);
// check: changed = _e
// check: }
// check: = changed;

// case: a write to a component of a variable
var v = vec3(i); v[n] = 1u; data[0] = v.x;
// check: if (n <= 2u)
// check: v[min(n, 2u)] = 1u;
// check: }
