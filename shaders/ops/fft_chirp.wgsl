// Multiplies each number of a line by a number of a table, and cuts lines or extends them by zeros.
import package::shared::complex::{Complex, Real, times};
import package::shared::complex_storage::{Source, Target, narrowed, widened};

struct Sizes {
    // The number of results, and the length of a line of x and of y.
    count: u32,
    length_of_x: u32,
    length_of_y: u32,
    // The numbers of a line of x that are read.
    used: u32,
    // The distance between neighbours along the axis.
    inner: u32,
    // Whether real and imaginary parts are exchanged when inputs are read, and when results are written.
    swap_inputs: u32,
    swap_results: u32,
    // The first elements in their bindings.
    first_of_x: u32,
    first_of_y: u32,
    first_of_factors: u32,
    // Multiplied with each result.
    scale: Real,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<Source>;
@group(0) @binding(2) var<storage, read_write> y: array<Target>;
@group(0) @binding(3) var<storage> factors: array<Complex>;

@compute @workgroup_size(256)
fn fft_chirp(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    let row = id.x / sizes.inner;
    let column = id.x - row * sizes.inner;
    let line = row / sizes.length_of_y;
    let place = row - line * sizes.length_of_y;
    var result = Complex();
    if place < sizes.used {
        let at = (line * sizes.length_of_x + place) * sizes.inner + column;
        var number = widened(x[sizes.first_of_x + at]);
        if sizes.swap_inputs != 0u {
            number = number.yx;
        }
        result = times(number, factors[sizes.first_of_factors + place]);
    }
    if sizes.swap_results != 0u {
        result = result.yx;
    }
    y[sizes.first_of_y + id.x] = narrowed(result * sizes.scale);
}
