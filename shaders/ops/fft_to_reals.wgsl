// Writes lines of real numbers from the results of a Fourier transform of complex numbers: the counterpart of
// fft_from_reals.wgsl.
import package::shared::complex::{Complex, Real, times};
import package::shared::fourier_roots::root;

struct Sizes {
    // Multiplied with each result, and with those at the ends of a line that orthogonal transforms weight.
    scale: Real,
    ends: Real,
    // The real numbers to write, and those of a line.
    count: u32,
    length: u32,
    // The complex numbers of a line of x.
    length_of_x: u32,
    // The distance between neighbours along the axis.
    inner: u32,
    // Whether lines are written from their ends, and whether numbers at odd places are negated: transforms by sines.
    backwards: u32,
    alternates: u32,
    // The first elements in their bindings.
    first_of_x: u32,
    first_of_y: u32,
}

// One of the constants below.
override order: u32 = 0u;
// Whether a complex number has two neighbours of the line of real numbers.
override packed: bool = false;

const plain = 0u;
// Cosines of type II.
const evens_first = 1u;
// Cosines and sines of type I.
const mirrored = 2u;
const negated_mirror = 3u;
// Cosines of type IV of an odd length.
const by_eights = 4u;
// Cosines of type III.
const halves = 5u;
// Cosines of type IV of an even length.
const both_ends = 6u;

const half_root = 0.70710678118654752440;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<Complex>;
@group(0) @binding(2) var<storage, read_write> y: array<Real>;

// A real number of an inverse transform.
fn real_at(start: u32, place: u32) -> Real {
    if packed {
        let pair = x[start + place / 2u * sizes.inner];
        return select(pair.x, pair.y, (place & 1u) != 0u);
    }
    return x[start + place * sizes.inner].x;
}

fn result(start: u32, place: u32) -> Real {
    let length = sizes.length;
    if order == evens_first {
        if place <= length / 2u {
            return Real(2.0) * times(root(place), x[start + place * sizes.inner]).x;
        }
        let other = length - place;
        return Real(-2.0) * times(root(other), x[start + other * sizes.inner]).y;
    }
    if order == mirrored {
        return x[start + place * sizes.inner].x;
    }
    if order == negated_mirror {
        return -x[start + (place + 1u) * sizes.inner].y;
    }
    if order == by_eights {
        // The angle of the result with the frequency that is 1 modulo 8, and has the same cosines but for the sign.
        let odd = 2u * place + 1u;
        let rest = odd & 7u;
        var frequency = odd;
        frequency = select(frequency, 8u * length - odd, rest == 7u);
        frequency = select(frequency, 4u * length - odd, rest == 3u);
        frequency = select(frequency, 4u * length + odd, rest == 5u);
        let remainder = frequency % length;
        let at = (remainder + length * (((0u - remainder) * length) & 7u)) / 8u;
        let number = x[start + at * sizes.inner];
        let eighth = length & 7u;
        let real = select(-number.x, number.x, eighth == 1u || eighth == 7u);
        let imaginary = select(-number.y, number.y, eighth == 1u || eighth == 3u);
        let sum = Real(2.0) * Real(half_root) * (real + imaginary);
        return select(sum, -sum, rest == 3u || rest == 5u);
    }
    let is_odd = (place & 1u) != 0u;
    let half = select(place, length - 1u - place, is_odd) / 2u;
    if order == halves {
        return real_at(start, select(place / 2u, length - 1u - place / 2u, is_odd));
    }
    if order == both_ends {
        let turned = times(x[start + half * sizes.inner], root(4u * half));
        return Real(2.0) * select(turned.x, -turned.y, is_odd);
    }
    return real_at(start, place);
}

@compute @workgroup_size(256)
fn fft_to_reals(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    let row = id.x / sizes.inner;
    let column = id.x - row * sizes.inner;
    let line = row / sizes.length;
    let written = row - line * sizes.length;
    let place = select(written, sizes.length - 1u - written, sizes.backwards != 0u);
    let start = sizes.first_of_x + line * sizes.length_of_x * sizes.inner + column;
    var value = result(start, place) * sizes.scale;
    if (order == evens_first && place == 0u) || (order == mirrored && (place == 0u || place + 1u == sizes.length)) {
        value = value * sizes.ends;
    }
    y[sizes.first_of_y + id.x] = select(value, -value, sizes.alternates != 0u && (written & 1u) != 0u);
}
