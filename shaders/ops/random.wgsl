// Writes random numbers: an invocation turns one counter into four words of the output.
//
// Distributions are computed in fixed point: floating-point functions and fused products would differ between devices.
import package::shared::philox::{high, philox, product};

struct Draw {
    seed: vec2<u32>,
    // The counter of the first four words, and the number of its stream.
    counter: vec2<u32>,
    stream: u32,
    // The number of words of the first counter before the first word of the output: 0 to 3.
    skip: u32,
    // The number of words, vectors or halves of the output, and the index of the first of them in the binding.
    count: u32,
    first: u32,
    // For integers: the number of different values, the smallest value, and 2^32 modulo the number of values. For a
    // chance: the number of words out of 2^32 that become `low`; all others become 0.
    span: u32,
    low: u32,
    rest: u32,
    // The greatest number of words that are drawn in place of a rejected word.
    attempts: u32,
}

const bits = 0u;
const uniform_f32 = 1u;
const uniform_f64 = 2u;
const integers = 3u;
const normal_f32 = 4u;
const exponential_f32 = 5u;
const chance = 6u;
const uniform_f16 = 7u;
const normal_f16 = 8u;
const exponential_f16 = 9u;

override kind: u32 = bits;

@group(0) @binding(0) var<uniform> draw: Draw;
@if(vectors && !packed)
@group(0) @binding(1) var<storage, read_write> x: array<vec4<u32>>;
@else
@group(0) @binding(1) var<storage, read_write> x: array<u32>;

// A positive number: mantissa * 2^exponent. The highest bit of the mantissa is set.
struct Scaled {
    mantissa: u32,
    exponent: i32,
}

// Returns number * 2^exponent; the number is not 0.
fn scaled(number: u32, exponent: i32) -> Scaled {
    let shift = countLeadingZeros(number);
    return Scaled(number << shift, exponent - i32(shift));
}

// Returns the bits of the nearest f32, ties upwards. Numbers below 2^-126 do not occur.
fn f32_bits(number: Scaled) -> u32 {
    // The carry of the rounding moves into the exponent.
    let rounded = (number.mantissa >> 8u) + ((number.mantissa >> 7u) & 1u);
    return (u32(number.exponent + 157) << 23u) + rounded;
}

// Returns 53 bits of two words as the bits of an f64 in [0, 1): low word, high word.
fn f64_bits(words: vec2<u32>) -> vec2<u32> {
    let upper = words.y >> 11u;
    let lower = (words.y << 21u) | (words.x >> 11u);
    if (upper | lower) == 0u {
        return vec2(0u);
    }
    // The highest bit becomes bit 52, which the exponent replaces.
    let shift = select(countLeadingZeros(upper) - 11u, countLeadingZeros(lower) + 21u, upper == 0u);
    let moved = select((upper << shift) | (lower >> 1u >> (31u - (shift & 31u))), lower << (shift & 31u), shift >= 32u);
    let rest = select(lower << (shift & 31u), 0u, shift >= 32u);
    return vec2(rest, ((1022u - shift) << 20u) + (moved & 0xfffffu));
}

// Returns -ln(p) for p = (word | 1) / 2^32.
fn negative_logarithm(word: u32) -> Scaled {
    let odd = word | 1u;
    let halvings = countLeadingZeros(odd);
    // p = (1 - g) / 2^halvings, with g in (0, 1/2] as a fraction of 2^32.
    let g = 0u - (odd << halvings);
    // -ln(1 - g) / g in fixed point with 30 fractional bits: interpolated at Chebyshev nodes, relative error below
    // 2^-29.
    var series = 3884155547u - high(g, 2316416789u);
    series = 3411361346u - high(g, series);
    series = 1420944806u - high(g, series);
    series = 605957070u - high(g, series);
    series = 96505041u + high(g, series);
    series = 223953147u + high(g, series);
    series = 267843545u + high(g, series);
    series = 357933266u + high(g, series);
    series = 536870668u + high(g, series);
    series = 1073741825u + high(g, series);
    let part = product(g, series);
    if halvings > 0u {
        return scaled(halvings * 46516320u + (part.x >> 4u), -26);
    }
    // Small numbers keep all their bits.
    if part.x == 0u {
        return scaled(part.y, -62);
    }
    let shift = countLeadingZeros(part.x);
    return Scaled((part.x << shift) | (part.y >> 1u >> (31u - shift)), -30 - i32(shift));
}

// Returns the square root, by Newton's method for the reciprocal square root.
fn square_root(number: Scaled) -> Scaled {
    // x in [1/4, 1) as a fraction of 2^32, so that the exponent is even.
    let odd = (number.exponent & 1) != 0;
    let x = select(number.mantissa, number.mantissa >> 1u, odd);
    let exponent = select(number.exponent, number.exponent + 1, odd) / 2;
    var y = (2822490381u - high(x, 3365075544u - high(x, 1635506554u))) << 1u;
    for (var step = 0u; step < 3u; step++) {
        y = high(y, 3221225472u - high(x, high(y, y))) << 1u;
    }
    // The root, in [1/2, 1), has 31 fractional bits. The square root of 2^32 is 2^16.
    return scaled(high(x, y), exponent - 15);
}

// Returns sin(pi / 2 * t) for a fraction t of 2^32, with 31 fractional bits.
fn sine(t: u32) -> u32 {
    let square = high(t, t);
    var series = 344144u - high(square, 7370u);
    series = 10053783u - high(square, series);
    series = 171138563u - high(square, series);
    series = 1387197332u - high(square, series);
    return high(t, 3373259426u - high(square, series));
}

// Returns two independent numbers of the standard normal distribution (Box and Muller, 1958).
fn normal_pair(words: vec2<u32>) -> vec2<u32> {
    var twice = negative_logarithm(words.x);
    twice.exponent += 1;
    let radius = square_root(twice);
    // The angle's position in its quadrant as a fraction of 2^32, in the middle of a step, so that t is never 0 and
    // 2^32 - t is a fraction, too.
    let t = (words.y << 2u) | 2u;
    let quadrant = words.y >> 30u;
    let swapped = (quadrant & 1u) != 0u;
    let sines = vec2(sine(t), sine(0u - t));
    let size = select(sines, sines.yx, swapped);
    let second = f32_bits(scaled(high(radius.mantissa, size.x) | 1u, radius.exponent + 1));
    let first = f32_bits(scaled(high(radius.mantissa, size.y) | 1u, radius.exponent + 1));
    // Cosines are negative in the second and the third quadrant, sines in the third and the fourth.
    return vec2(first | (((quadrant + 1u) & 2u) << 30u), second | ((quadrant & 2u) << 30u));
}

// Returns a word below `span`, all equally likely (Lemire: Fast random integer generation in an interval, 2019).
// Rejected words are replaced by words of other counters.
fn below(word: u32, lane: u32, counter: vec4<u32>) -> u32 {
    var drawn = product(word, draw.span);
    for (var attempt = 1u; drawn.y < draw.rest && attempt <= draw.attempts; attempt++) {
        let words = philox(vec4(counter.xyz, attempt), draw.seed);
        let pair = select(words.xy, words.zw, lane >= 2u);
        drawn = product(select(pair.x, pair.y, (lane & 1u) != 0u), draw.span);
    }
    return drawn.x;
}

fn values(block: u32) -> vec4<u32> {
    let low = draw.counter.x + block;
    // Words are numbered in 64 bits, counters in 62.
    let upper = (draw.counter.y + select(0u, 1u, low < block)) & 0x3fffffffu;
    let counter = vec4(low, upper, draw.stream, 0u);
    let words = philox(counter, draw.seed);
    if kind == uniform_f16 {
        // All numbers of 11 bits are exact in f16.
        return bitcast<vec4<u32>>(vec4<f32>(words >> vec4(21u)) * 0x1p-11);
    }
    if kind == uniform_f32 {
        return bitcast<vec4<u32>>(vec4<f32>(words >> vec4(8u)) * 0x1p-24);
    }
    if kind == uniform_f64 {
        return vec4(f64_bits(words.xy), f64_bits(words.zw));
    }
    if kind == integers {
        let xy = vec2(below(words.x, 0u, counter), below(words.y, 1u, counter));
        let zw = vec2(below(words.z, 2u, counter), below(words.w, 3u, counter));
        return vec4(xy, zw) + vec4(draw.low);
    }
    if kind == normal_f32 || kind == normal_f16 {
        return vec4(normal_pair(words.xy), normal_pair(words.zw));
    }
    if kind == exponential_f32 || kind == exponential_f16 {
        let xy = vec2(f32_bits(negative_logarithm(words.x)), f32_bits(negative_logarithm(words.y)));
        let zw = vec2(f32_bits(negative_logarithm(words.z)), f32_bits(negative_logarithm(words.w)));
        return vec4(xy, zw);
    }
    if kind == chance {
        return select(vec4(0u), vec4(draw.low), words < vec4(draw.span));
    }
    return words;
}

@if(vectors && !packed)
@compute @workgroup_size(256)
fn fill(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < draw.count {
        x[draw.first + id.x] = values(id.x);
    }
}

// Returns the bits of the f16 that is nearest to an f32 below 2^15, ties to even.
@if(packed)
fn f16_bits(number: u32) -> u32 {
    let exponent = (number >> 23u) & 0xffu;
    let mantissa = (number & 0x7fffffu) | 0x800000u;
    // Numbers below 2^-14 have fewer bits, and numbers below 2^-25 have none.
    let lost = select(126u - min(exponent, 126u), 13u, exponent >= 113u);
    let sign = (number >> 16u) & 0x8000u;
    if lost > 24u {
        return sign;
    }
    let kept = mantissa >> lost;
    let rest = mantissa & ((1u << lost) - 1u);
    let middle = 1u << (lost - 1u);
    let rounded = kept + u32(rest > middle || (rest == middle && (kept & 1u) != 0u));
    // The highest bit of normal numbers adds one to the exponent.
    return sign | (rounded + select(0u, (exponent - 113u) << 10u, exponent >= 113u));
}

// Writes a word of two elements; elements outside the output are unchanged.
@if(packed)
fn store_halves(word: u32, element: u32, low: u32, high: u32) {
    let inside = vec2(element < draw.count, element + 1u < draw.count);
    if !any(inside) {
        return;
    }
    var both = f16_bits(low) | (f16_bits(high) << 16u);
    if !all(inside) {
        let kept = select(vec2(0xffffu, 0xffff0000u), vec2(0u), inside);
        both = (both & ~(kept.x | kept.y)) | (x[word] & (kept.x | kept.y));
    }
    x[word] = both;
}

// Each invocation writes two whole words, so that no two invocations write the same word.
@if(packed)
@compute @workgroup_size(256)
fn fill(@builtin(global_invocation_id) id: vec3<u32>) {
    let odd = draw.first & 1u;
    if id.x * 4u >= draw.count + odd {
        return;
    }
    // The words of the stream for four elements belong to one counter or to two. Counters are numbered from 1 here, as
    // an element before the output may belong to the counter before the first.
    let number = draw.skip + id.x * 4u + 4u - odd;
    let four = values(number / 4u - 1u);
    var next = four;
    let shift = number % 4u;
    if shift > 0u {
        next = values(number / 4u);
    }
    var elements = four;
    if shift == 1u {
        elements = vec4(four.yzw, next.x);
    } else if shift == 2u {
        elements = vec4(four.zw, next.xy);
    } else if shift == 3u {
        elements = vec4(four.w, next.xyz);
    }
    let word = draw.first / 2u + id.x * 2u;
    let element = id.x * 4u - odd;
    store_halves(word, element, elements.x, elements.y);
    store_halves(word + 1u, element + 2u, elements.z, elements.w);
}

@if(!vectors && !packed)
fn store(at: u32, value: u32) {
    // The index of a word before the output wraps around to a large number, which is beyond the end of the output.
    let place = at - draw.skip;
    if place < draw.count {
        x[draw.first + place] = value;
    }
}

@if(!vectors && !packed)
@compute @workgroup_size(256)
fn fill(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x * 4u < draw.skip + draw.count {
        let four = values(id.x);
        store(id.x * 4u, four.x);
        store(id.x * 4u + 1u, four.y);
        store(id.x * 4u + 2u, four.z);
        store(id.x * 4u + 3u, four.w);
    }
}
