// The order of keys of one or two words as that of unsigned integers.

// Floats, not integers.
override floats: bool = false;
// Keys of two words, the lower one first.
override wide: bool = false;

const top = 0x80000000u;
const all = 0xffffffffu;

// A word of a key, the lower or the higher one, such that the order of keys is that of unsigned integers. `flip` has
// the bits to invert: those that make integers unsigned, and all for the descending order. NaN becomes the largest
// integer, which no other float becomes, in either order. `infinity` is the last word of an infinity.
fn ordered_word(low: u32, high: u32, higher: bool, flip: u32, infinity: u32) -> u32 {
    let word = select(low, high, wide && higher);
    if !floats {
        return word ^ flip;
    }
    let last = select(low, high, wide);
    let rest = select(0u, low, wide);
    let size = last & ~top;
    // Comparisons of bits, as devices may assume that there is no NaN.
    let is_nan = size > infinity || (size == infinity && rest != 0u);
    let is_negative = last > top || (last == top && rest != 0u);
    let sign = select(0u, top, higher || !wide);
    // Negative zero is the positive one.
    let positive = select(word, 0u, (size | rest) == 0u) | sign;
    return select(select(positive, ~word, is_negative) ^ flip, all, is_nan);
}
