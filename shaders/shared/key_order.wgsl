// Keys of 8 to 64 bits in arrays of words, and their ranks: pairs of unsigned integers in the same order.
import package::shared::ordered_word::{ordered_word, wide};

// x: for floats, the last word of an infinity. y and z: the bits to invert in the lower word of two, and in the last
// word. w: all bits if the order is inverted, including the position of NaN.
@group(0) @binding(0) var<uniform> order: vec4<u32>;

// The size of a key in bits, or 32 for keys of two words.
override key_bits: u32 = 32u;

// Returns the index of the first word of a key.
fn word_of_key(at: u32) -> u32 {
    if wide {
        return at * 2u;
    }
    return at / (32u / key_bits);
}

// Returns a key from its words. A key of less than 32 bits is in the upper bits; the lower bits are zero.
fn key_in(word: u32, next: u32, at: u32) -> vec2<u32> {
    if key_bits < 32u {
        // The shift to the left drops the keys above this key in its word.
        return vec2((word >> (at % (32u / key_bits) * key_bits)) << (32u - key_bits), 0u);
    }
    return vec2(word, next);
}

// Returns the rank of a key, the more significant integer first.
fn rank(key: vec2<u32>) -> vec2<u32> {
    var places = vec2(ordered_word(key.x, key.y, true, order.z, order.x), 0u);
    if wide {
        places.y = ordered_word(key.x, key.y, false, order.y, order.x);
    }
    return places ^ vec2(order.w);
}

fn precedes(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}
