// Reads lines of real numbers in the order and form in which a Fourier transform of complex numbers computes transforms of
// real numbers, or transforms by cosines or sines.
import package::shared::complex::{Complex, Real, times};
import package::shared::fourier_roots::root;
@if(half_source)
import package::shared::half_floats::unpacked_f16;

struct Sizes {
    // Multiplied with the numbers at the ends of a line that orthogonal transforms weight.
    ends: Real,
    // The complex numbers to write, and those of a line of y.
    count: u32,
    length_of_y: u32,
    // The real numbers of a line of x.
    length: u32,
    // The distance between neighbours along the axis.
    inner: u32,
    // Whether lines are read from their ends, and whether numbers at odd places are negated: transforms by sines.
    backwards: u32,
    alternates: u32,
    // The first elements in their bindings.
    first_of_x: u32,
    first_of_y: u32,
}

// One of the constants below.
override order: u32 = 0u;
// Whether a complex number has two neighbours; otherwise one, and zero as its imaginary part.
override packed: bool = false;

// The numbers in their order.
const plain = 0u;
// The numbers at even places, then those at odd places from the end: cosines of type II (Makhoul, 'A fast cosine
// transform in one and two dimensions', 1980).
const evens_first = 1u;
// The line and its mirror image: cosines of type I.
const mirrored = 2u;
// The line and its negated mirror image, with zeros between: sines of type I.
const negated_mirror = 3u;
// The order for cosines of type IV of an odd length (Chan and Ho, 'Fast algorithms for computing the discrete cosine
// transform', 1992).
const by_eights = 4u;
// The first half of the transform whose inverse has the results for cosines of type III.
const halves = 5u;
// Pairs from both ends, rotated: cosines of type IV of an even length.
const both_ends = 6u;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@if(half_source)
@group(0) @binding(1) var<storage> x: array<u32>;
@if(!half_source)
@group(0) @binding(1) var<storage> x: array<Real>;
@group(0) @binding(2) var<storage, read_write> y: array<Complex>;

// Element `at` of x.
@if(half_source)
fn element(at: u32) -> Real {
    let pair = unpacked_f16(x[at / 2u]);
    return Real(select(pair.x, pair.y, (at & 1u) != 0u));
}
@if(!half_source)
fn element(at: u32) -> Real {
    return x[at];
}

// A number of the line that begins at `start`.
fn number(start: u32, place: u32) -> Real {
    let at = select(place, sizes.length - 1u - place, sizes.backwards != 0u);
    var value = element(start + at * sizes.inner);
    if (order == halves && place == 0u) || (order == mirrored && (place == 0u || place + 1u == sizes.length)) {
        value = value * sizes.ends;
    }
    return select(value, -value, sizes.alternates != 0u && (place & 1u) != 0u);
}

// A number of the line in the new order.
fn ordered(start: u32, place: u32) -> Real {
    let length = sizes.length;
    if order == evens_first {
        if place < (length + 1u) / 2u {
            return number(start, 2u * place);
        }
        return number(start, 2u * (length - 1u - place) + 1u);
    }
    if order == mirrored {
        return number(start, select(2u * (length - 1u) - place, place, place < length));
    }
    if order == negated_mirror {
        if place == 0u || place == length + 1u {
            return Real();
        }
        if place <= length {
            return number(start, place - 1u);
        }
        return -number(start, 2u * length + 1u - place);
    }
    if order == by_eights {
        // The number that is `place` modulo the length and 1 modulo 8. The cosine is even, and odd around a quarter of its
        // period.
        var odd = place + length * (((1u - place) * length) & 7u);
        odd = select(odd, 8u * length - odd, odd > 4u * length);
        if odd > 2u * length {
            return -number(start, (4u * length - odd - 1u) / 2u);
        }
        return number(start, (odd - 1u) / 2u);
    }
    return number(start, place);
}

fn result(start: u32, place: u32) -> Complex {
    if order == halves {
        let first = number(start, place);
        if place == 0u {
            return Complex(first, Real());
        }
        let root_here = root(place);
        return times(Complex(first, -number(start, sizes.length - place)), Complex(root_here.x, -root_here.y));
    }
    if order == both_ends {
        let pair = Complex(number(start, 2u * place), number(start, sizes.length - 1u - 2u * place));
        return times(pair, root(4u * place + 1u));
    }
    if packed {
        return Complex(ordered(start, 2u * place), ordered(start, 2u * place + 1u));
    }
    return Complex(ordered(start, place), Real());
}

@compute @workgroup_size(256)
fn fft_from_reals(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    let row = id.x / sizes.inner;
    let column = id.x - row * sizes.inner;
    let line = row / sizes.length_of_y;
    let place = row - line * sizes.length_of_y;
    let start = sizes.first_of_x + line * sizes.length * sizes.inner + column;
    y[sizes.first_of_y + id.x] = result(start, place);
}
