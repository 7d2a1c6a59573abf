// Atomics, subgroups, switches, early returns, arrays in function memory.
enable subgroups;
override SIZE: u32 = 64u;
const TABLE = array(1u, 3u, 5u, 7u);
@group(0) @binding(0) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> data: array<vec3<i32>>;

fn step(p: ptr<function, array<i32, 4>>, k: i32) -> i32 {
    var sum = 0;
    for (var i = 0; i < 4; i++) { if (*p)[i] == k { continue; } sum += (*p)[i]; }
    return sum;
}

@compute @workgroup_size(SIZE)
fn count(@builtin(global_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32) {
    var local = array<i32, 4>();
    local[lane & 3u] = bitcast<i32>(i);
    switch i % 4u {
        case 0u, 1u: { local[0] = min(local[1], -7); }
        case 2u: { return; }
        default: { local[i % 3u] <<= TABLE[i & 3u] % 31u; }
    }
    let total = subgroupAdd(step(&local, 3));
    if atomicAdd(&counts[i % arrayLength(&counts)], u32(total)) > 5u { data[i].y -= i32(f32(total) * 0.5); }
    loop { if total >= 0 { break; } continuing { break if lane > 2u; } }
}

@compute @workgroup_size(1)
fn clear() { for (var i = 0u; i < arrayLength(&counts); i++) { atomicStore(&counts[i], 0u); } }
