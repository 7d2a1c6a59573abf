// One pass of a radix sort, by a digit of the keys: the declarations that all kernels of the pass share.
//
// Keys stay as they are in memory, and are ordered by their `ordered_word`s: so zeros of both signs are equal, and each
// key keeps its bits. Keys and values consist of words of 32 bits.
import package::shared::ordered_word::{ordered_word, wide};

struct Sizes {
    // The digit, in the form that `digit_of` expects.
    word: u32,
    shift: u32,
    mask: u32,
    flip: u32,
    // The number of keys, and the number of keys of a workgroup.
    length: u32,
    span: u32,
    // The number of workgroups.
    blocks: u32,
    // The index of each array's first word in its binding.
    first_of_keys: u32,
    first_of_values: u32,
    first_of_sorted_keys: u32,
    first_of_sorted_values: u32,
    // For floats: the last word of an infinity.
    infinity: u32,
    // 1 if the values are the indices of the keys, so that no values are read.
    indices: u32,
    // 1 if the sorted keys are not needed.
    no_keys: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> keys: array<u32>;
@group(0) @binding(2) var<storage> values: array<u32>;
@group(0) @binding(3) var<storage, read_write> sorted_keys: array<u32>;
@group(0) @binding(4) var<storage, read_write> sorted_values: array<u32>;

// The number of words of a value, 0 to 2.
override words: u32 = 0u;

// The number of values of a digit.
const radix = 256u;

// Returns a digit of a key, at most 255. `digit` has the index of the word, the shift and the mask in this word, and
// the bits to invert.
fn digit_of(low: u32, high: u32, digit: vec4<u32>) -> u32 {
    return (ordered_word(low, high, digit.x == 1u, digit.w, sizes.infinity) >> digit.y) & digit.z;
}

// Returns the digit of this pass, in the form that `digit_of` expects.
fn digit() -> vec4<u32> {
    return vec4(sizes.word, sizes.shift, sizes.mask, sizes.flip);
}

// Returns the words of a key; the second word is 0 if there is only one.
fn key_at(at: u32) -> vec2<u32> {
    if wide {
        let first = sizes.first_of_keys + at * 2u;
        return vec2(keys[first], keys[first + 1u]);
    }
    return vec2(keys[sizes.first_of_keys + at], 0u);
}

fn digit_at(at: u32) -> u32 {
    let key = key_at(at);
    return digit_of(key.x, key.y, digit());
}

fn store_key(key: vec2<u32>, place: u32) {
    if wide {
        let first = sizes.first_of_sorted_keys + place * 2u;
        sorted_keys[first] = key.x;
        sorted_keys[first + 1u] = key.y;
    } else {
        sorted_keys[sizes.first_of_sorted_keys + place] = key.x;
    }
}

fn move_value(at: u32, place: u32) {
    if words == 1u {
        var value = at;
        if sizes.indices == 0u {
            value = values[sizes.first_of_values + at];
        }
        sorted_values[sizes.first_of_sorted_values + place] = value;
    }
    if words == 2u {
        let source = sizes.first_of_values + at * 2u;
        let target_word = sizes.first_of_sorted_values + place * 2u;
        sorted_values[target_word] = values[source];
        sorted_values[target_word + 1u] = values[source + 1u];
    }
}
