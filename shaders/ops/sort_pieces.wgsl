// A pass of a radix sort without barriers, for processors: each workgroup is one invocation with a long piece of the
// keys.
import package::shared::radix::{digit, digit_at, digit_of, key_at, move_value, radix, sizes, store_key};

// For each piece, the number of keys with each digit; later the position of the first of these keys.
@group(0) @binding(5) var<storage, read_write> counts: array<u32>;

// The array is in workgroup memory, which a workgroup of one invocation accesses in scalars.
var<workgroup> places: array<u32, 256>;

@compute @workgroup_size(1)
fn count_pieces(@builtin(workgroup_id) group: vec3<u32>) {
    if group.x >= sizes.blocks {
        return;
    }
    for (var value = 0u; value < radix; value++) {
        places[value] = 0u;
    }
    let begin = group.x * sizes.span;
    let end = begin + min(sizes.span, sizes.length - begin);
    for (var at = begin; at < end; at++) {
        // The mask changes nothing, but shows that the index is in range.
        places[digit_at(at) & (radix - 1u)]++;
    }
    for (var value = 0u; value < radix; value++) {
        counts[group.x * radix + value] = places[value];
    }
}

@compute @workgroup_size(1)
fn place_pieces() {
    var place = 0u;
    for (var value = 0u; value < radix; value++) {
        for (var piece = 0u; piece < sizes.blocks; piece++) {
            let count = counts[piece * radix + value];
            counts[piece * radix + value] = place;
            place += count;
        }
    }
}

@compute @workgroup_size(1)
fn scatter_pieces(@builtin(workgroup_id) group: vec3<u32>) {
    if group.x >= sizes.blocks {
        return;
    }
    for (var value = 0u; value < radix; value++) {
        places[value] = counts[group.x * radix + value];
    }
    let begin = group.x * sizes.span;
    let end = begin + min(sizes.span, sizes.length - begin);
    for (var at = begin; at < end; at++) {
        let key = key_at(at);
        let value = digit_of(key.x, key.y, digit()) & (radix - 1u);
        let place = places[value];
        places[value] = place + 1u;
        if sizes.no_keys == 0u {
            store_key(key, place);
        }
        move_value(at, place);
    }
}
