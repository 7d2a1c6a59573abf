// Finds the positions of values in sorted keys, by binary search.
import package::shared::key_order::{key_in, precedes, rank, word_of_key};
import package::shared::ordered_keys::rank_of_key;
import package::shared::ordered_word::wide;

struct Sizes {
    // The numbers of keys and of values.
    length: u32,
    count: u32,
    // The index of each array's first element in its binding.
    first_of_keys: u32,
    first_of_values: u32,
    first_of_places: u32,
    // 1 for the position after equal keys, 0 for the position before them.
    right: u32,
}

@group(0) @binding(1) var<uniform> sizes: Sizes;
@group(0) @binding(3) var<storage> values: array<u32>;
@group(0) @binding(4) var<storage, read_write> places: array<u32>;

fn rank_of_value(index: u32) -> vec2<u32> {
    let at = sizes.first_of_values + index;
    let word = word_of_key(at);
    var next = 0u;
    if wide {
        next = values[word + 1u];
    }
    return rank(key_in(values[word], next, at));
}

@compute @workgroup_size(256)
fn search(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    let value = rank_of_value(id.x);
    var low = 0u;
    var high = sizes.length;
    // A range of 32-bit positions is halved at most 32 times.
    for (var step = 0u; step < 33u && low < high; step++) {
        let middle = low + (high - low) / 2u;
        let there = rank_of_key(sizes.first_of_keys + middle);
        if precedes(there, value) || (sizes.right == 1u && !precedes(value, there)) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    places[sizes.first_of_places + id.x] = low;
}
