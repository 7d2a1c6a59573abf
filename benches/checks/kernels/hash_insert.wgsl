// Inserts keys, none of them 0, into a table with open addressing: a power of two of slots, 0 where one is free.
@group(0) @binding(0) var<storage> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> slots: array<atomic<u32>>;

@compute @workgroup_size(128)
fn insert(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&keys) {
        return;
    }
    let key = keys[id.x];
    let mask = arrayLength(&slots) - 1u;
    var slot = (key * 0x9e3779b1u) & mask;
    for (var probe = 0u; probe <= mask; probe++) {
        let old = atomicCompareExchangeWeak(&slots[slot], 0u, key);
        if old.exchanged || old.old_value == key {
            break;
        }
        if old.old_value != 0u {
            slot = (slot + 1u) & mask;
        }
    }
}
