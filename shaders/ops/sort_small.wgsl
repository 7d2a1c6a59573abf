// A radix sort, by all digits, of as many keys as fit into the memory of a workgroup.
import package::shared::ordered_word::wide;
import package::shared::radix::{digit_of, key_at, sizes, sorted_keys, sorted_values, store_key, values, words};
import package::shared::radix_tile::{items, sort_tile, tile, tile_items};

// The digits, from the lowest on, in the form that `digit_of` expects.
@group(0) @binding(5) var<uniform> all_digits: array<vec4<u32>, 8>;

// Whether the unsorted keys and values are in the arrays of the sorted keys and values.
override in_place: bool = false;

fn unsorted_key(at: u32) -> vec2<u32> {
    if !in_place {
        return key_at(at);
    }
    if wide {
        let first = sizes.first_of_sorted_keys + at * 2u;
        return vec2(sorted_keys[first], sorted_keys[first + 1u]);
    }
    return vec2(sorted_keys[sizes.first_of_sorted_keys + at], 0u);
}

fn unsorted_value(at: u32, word: u32) -> u32 {
    if sizes.indices == 1u {
        return at;
    }
    if in_place {
        return sorted_values[sizes.first_of_sorted_values + at * words + word];
    }
    return values[sizes.first_of_values + at * words + word];
}

// In this kernel, `sizes.span` is the number of digits.
@compute @workgroup_size(256)
fn sort(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    // An item consists of the index of a key and, in the lower 8 bits, its digit.
    for (var at = local; at < tile; at += 256u) {
        tile_items[at] = at << 8u;
    }
    workgroupBarrier();
    for (var step = 0u; step < sizes.span; step++) {
        let digit = all_digits[step];
        for (var at = local; at < tile; at += 256u) {
            let index = tile_items[at] >> 8u;
            // Items beyond the end stay last.
            var value = 255u;
            if index < sizes.length {
                let key = unsorted_key(index);
                value = digit_of(key.x, key.y, digit);
            }
            tile_items[at] = (index << 8u) | value;
        }
        workgroupBarrier();
        sort_tile(local);
    }
    var sorted: array<vec2<u32>, 13>;
    var moved: array<vec2<u32>, 13>;
    for (var i = 0u; i < items; i++) {
        let at = i * 256u + local;
        if at < sizes.length {
            let index = tile_items[at] >> 8u;
            sorted[i] = unsorted_key(index);
            if words > 0u {
                moved[i].x = unsorted_value(index, 0u);
            }
            if words > 1u {
                moved[i].y = unsorted_value(index, 1u);
            }
        }
    }
    // In a sort in place, all keys and values are read before the first store.
    storageBarrier();
    for (var i = 0u; i < items; i++) {
        let at = i * 256u + local;
        if at < sizes.length && group.x == 0u {
            if sizes.no_keys == 0u {
                store_key(sorted[i], at);
            }
            if words > 0u {
                sorted_values[sizes.first_of_sorted_values + at * words] = moved[i].x;
            }
            if words > 1u {
                sorted_values[sizes.first_of_sorted_values + at * words + 1u] = moved[i].y;
            }
        }
    }
}
