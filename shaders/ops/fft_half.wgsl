// Converts between the first half of the transform of real numbers, which determines the other half, and the transforms
// from which it is computed.
import package::shared::complex::{Complex, Real, times, turned};
import package::shared::complex_storage::{Source, Target, narrowed, widened};
import package::shared::fourier_roots::root;

struct Sizes {
    // Multiplied with each result.
    scale: Real,
    // The number of results.
    count: u32,
    // The real numbers of a line, and the complex numbers of a line of x and of y.
    length: u32,
    length_of_x: u32,
    length_of_y: u32,
    // The distance between neighbours along the axis.
    inner: u32,
    // The first elements in their bindings.
    first_of_x: u32,
    first_of_y: u32,
}

// One of the constants below.
override way: u32 = 0u;

// The first half of the transform of a whole line, and the reverse.
const cut = 0u;
const extend = 1u;
// The first half of the transform of a line, from the transform of its numbers at even places as real parts and those at
// odd places as imaginary parts; and the reverse, times 2.
const unpack = 2u;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<Source>;
@group(0) @binding(2) var<storage, read_write> y: array<Target>;

fn conjugate(a: Complex) -> Complex {
    return Complex(a.x, -a.y);
}

// An element of a half whose first element and, for an even length, last element are real.
fn half_at(start: u32, place: u32) -> Complex {
    let number = widened(x[start + place * sizes.inner]);
    if place == 0u || 2u * place == sizes.length {
        return Complex(number.x, Real());
    }
    return number;
}

fn result(start: u32, place: u32) -> Complex {
    if way == cut {
        return widened(x[start + place * sizes.inner]);
    }
    if way == extend {
        if 2u * place <= sizes.length {
            return half_at(start, place);
        }
        return conjugate(half_at(start, sizes.length - place));
    }
    let middle = sizes.length / 2u;
    if way == unpack {
        let here = widened(x[start + place % middle * sizes.inner]);
        let there = conjugate(widened(x[start + (middle - place) % middle * sizes.inner]));
        return (here + there + turned(times(here - there, root(place)))) * Real(0.5);
    }
    let here = half_at(start, place);
    let there = conjugate(half_at(start, middle - place));
    return here + there - turned(times(here - there, conjugate(root(place))));
}

@compute @workgroup_size(256)
fn fft_half(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    let row = id.x / sizes.inner;
    let column = id.x - row * sizes.inner;
    let line = row / sizes.length_of_y;
    let place = row - line * sizes.length_of_y;
    let start = sizes.first_of_x + line * sizes.length_of_x * sizes.inner + column;
    y[sizes.first_of_y + id.x] = narrowed(result(start, place) * sizes.scale);
}
