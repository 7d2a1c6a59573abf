// Maps keys of one or two words to unsigned integers in the same order.

// Whether keys are floats, not integers.
override floats: bool = false;
// Whether keys have two words, the lower word first.
override wide: bool = false;

const top = 0x80000000u;
const all = 0xffffffffu;

// Returns the lower or the higher word of a key, mapped so that keys have the order of unsigned integers. `flip` has
// the bits to invert: the sign bit of signed integers, and all bits for descending order. NaN becomes the largest
// integer, and no other float does, in both orders. `infinity` is the last word of an infinity.
fn ordered_word(low: u32, high: u32, higher: bool, flip: u32, infinity: u32) -> u32 {
    let word = select(low, high, wide && higher);
    if !floats {
        return word ^ flip;
    }
    let last = select(low, high, wide);
    let rest = select(0u, low, wide);
    let size = last & ~top;
    // The bits are compared, as devices may assume that no float is NaN.
    let is_nan = size > infinity || (size == infinity && rest != 0u);
    let is_negative = last > top || (last == top && rest != 0u);
    let sign = select(0u, top, higher || !wide);
    // Negative zero becomes positive zero.
    let positive = select(word, 0u, (size | rest) == 0u) | sign;
    return select(select(positive, ~word, is_negative) ^ flip, all, is_nan);
}
