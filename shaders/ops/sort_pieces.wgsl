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
    var at = begin;
    // Four keys at a time share the loads of the uniforms, for which a processor has too few registers.
    for (; at + 3u < end; at += 4u) {
        let digits = vec4(digit_at(at), digit_at(at + 1u), digit_at(at + 2u), digit_at(at + 3u));
        // The mask changes nothing, but shows that the index is in range.
        places[digits.x & (radix - 1u)]++;
        places[digits.y & (radix - 1u)]++;
        places[digits.z & (radix - 1u)]++;
        places[digits.w & (radix - 1u)]++;
    }
    for (; at < end; at++) {
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
    var at = begin;
    for (; at + 3u < end; at += 4u) {
        let a = key_at(at);
        let b = key_at(at + 1u);
        let c = key_at(at + 2u);
        let d = key_at(at + 3u);
        let place_of_a = next_place(a);
        let place_of_b = next_place(b);
        let place_of_c = next_place(c);
        let place_of_d = next_place(d);
        if sizes.no_keys == 0u {
            store_key(a, place_of_a);
            store_key(b, place_of_b);
            store_key(c, place_of_c);
            store_key(d, place_of_d);
        }
        move_value(at, place_of_a);
        move_value(at + 1u, place_of_b);
        move_value(at + 2u, place_of_c);
        move_value(at + 3u, place_of_d);
    }
    for (; at < end; at++) {
        let key = key_at(at);
        let place = next_place(key);
        if sizes.no_keys == 0u {
            store_key(key, place);
        }
        move_value(at, place);
    }
}

// Returns the position of the next key with the digit of this key.
fn next_place(key: vec2<u32>) -> u32 {
    let value = digit_of(key.x, key.y, digit()) & (radix - 1u);
    let place = places[value];
    places[value] = place + 1u;
    return place;
}
