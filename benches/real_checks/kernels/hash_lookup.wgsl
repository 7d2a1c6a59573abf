// Looks up keys in a table with open addressing; the capacity is a power of two.
struct Params { count: u32, capacity: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> wanted: array<u32>;
@group(0) @binding(2) var<storage, read> keys: array<u32>;
@group(0) @binding(3) var<storage, read> values: array<u32>;
@group(0) @binding(4) var<storage, read_write> found: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.count { return; }
    let key = wanted[id.x];
    var slot = (key * 2654435761u) & (params.capacity - 1u);
    found[id.x] = 0u;
    for (var tries = 0u; tries < params.capacity; tries++) {
        if keys[slot] == key {
            found[id.x] = values[slot];
            break;
        }
        if keys[slot] == 0u { break; }
        slot = (slot + 1u) & (params.capacity - 1u);
    }
}
