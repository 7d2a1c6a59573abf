// Positions along an axis that are selected by indices of 32 or 64 bits.
//
// Negative indices count from the end, unless they are clipped.

struct Indices {
    // The size of the axis: 1 to 2^31.
    size: u32,
    // The index of the first word of the indices in the binding.
    first: u32,
    // The number of words of an index, and 1 if indices are signed.
    words: u32,
    signs: u32,
    // One of the constants below.
    mode: u32,
}

// Modes: an index outside the axis selects no position, the nearest position, or the position of its remainder.
const none = 0u;
const clip = 1u;
const wrap = 2u;

@group(0) @binding(3) var<storage> indices: array<u32>;

// Returns the position of an index; the size of the axis if the index selects no position.
fn place_of(number: u32, how: Indices) -> u32 {
    let at = how.first + number * how.words;
    let low = indices[at];
    let negative_word = how.signs != 0u && (low >> 31u) != 0u;
    var high = select(0u, 0xffffffffu, negative_word);
    if how.words == 2u {
        high = indices[at + 1u];
    }
    let negative = how.signs != 0u && (high >> 31u) != 0u;
    if !negative && high == 0u && low < how.size {
        return low;
    }
    if how.mode == clip {
        return select(how.size - 1u, 0u, negative);
    }
    if how.mode == wrap {
        return remainder(low, high, negative, how.size);
    }
    // The distance from the end: the negated index in 32 bits.
    let back = 0u - low;
    let near = negative && high == 0xffffffffu && low != 0u && back <= how.size;
    return select(how.size, how.size - back, near);
}

// Returns the remainder of a number of 64 bits, which is never negative, for a divisor of at most 2^31.
fn remainder(low: u32, high: u32, negative: bool, divisor: u32) -> u32 {
    // The number itself, or its complement, which is not negative.
    let flip = select(0u, 0xffffffffu, negative);
    var rest = (high ^ flip) % divisor;
    let word = low ^ flip;
    if rest == 0u {
        rest = word % divisor;
    } else {
        for (var bit = 0u; bit < 32u; bit++) {
            // The dividend is below 2^32, as the rest is below 2^31.
            rest = ((rest << 1u) | ((word >> (31u - bit)) & 1u)) % divisor;
        }
    }
    // A negative number is -1 minus its complement.
    return select(rest, divisor - 1u - rest, negative);
}
