// One pass of a Fourier transform: transforms of a few numbers, which are multiplied by roots of 1 before (Stockham's
// order: results need no permutation).
import package::shared::complex::{Complex, Real, times};
import package::shared::complex_storage::{Source, Target, narrowed, widened};
import package::shared::fourier::{
    transform_2, transform_3, transform_4, transform_5, transform_7, transform_8, transform_11, transform_13,
    transform_16,
};
import package::shared::fourier_roots::root;

struct Sizes {
    // Multiplied with each result.
    scale: Real,
    // The number of small transforms.
    count: u32,
    // The distance between the inputs of a small transform, and between its results.
    distance: u32,
    span: u32,
    // The distance between neighbours along the axis.
    inner: u32,
    // The exponent of the root for the second input of the second small transform.
    step: u32,
    // Whether real and imaginary parts are exchanged when inputs are read, and when results are written.
    swap_inputs: u32,
    swap_results: u32,
    // The first elements in their bindings.
    first_of_x: u32,
    first_of_y: u32,
}

// The length of a small transform.
override radix: u32 = 4u;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<Source>;
@group(0) @binding(2) var<storage, read_write> y: array<Target>;

@compute @workgroup_size(256)
fn fft_pass(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    let line = id.x / sizes.distance;
    let within = id.x - line * sizes.distance;
    let block = within / sizes.span;
    let place = within - block * sizes.span;
    let start = line * sizes.distance * radix;
    let source = sizes.first_of_x + start + within;
    let place_of_results = sizes.first_of_y + start + block * sizes.span * radix + place;
    var v: array<Complex, 16>;
    for (var r = 0u; r < radix; r++) {
        v[r] = widened(x[source + r * sizes.distance]);
    }
    if sizes.swap_inputs != 0u {
        for (var r = 0u; r < radix; r++) {
            v[r] = v[r].yx;
        }
    }
    if sizes.span > sizes.inner {
        var powers: array<Complex, 16>;
        powers[1] = root(place / sizes.inner * sizes.step);
        v[1] = times(v[1], powers[1]);
        for (var r = 2u; r < radix; r++) {
            powers[r] = times(powers[r / 2u], powers[(r + 1u) / 2u]);
            v[r] = times(v[r], powers[r]);
        }
    }
    switch radix {
        case 2u: {
            let results = transform_2(v[0], v[1]);
            v[0] = results[0];
            v[1] = results[1];
        }
        case 3u: {
            let results = transform_3(v[0], v[1], v[2]);
            v[0] = results[0];
            v[1] = results[1];
            v[2] = results[2];
        }
        case 4u: {
            let results = transform_4(v[0], v[1], v[2], v[3]);
            v[0] = results[0];
            v[1] = results[1];
            v[2] = results[2];
            v[3] = results[3];
        }
        case 5u: {
            let results = transform_5(v[0], v[1], v[2], v[3], v[4]);
            v[0] = results[0];
            v[1] = results[1];
            v[2] = results[2];
            v[3] = results[3];
            v[4] = results[4];
        }
        case 7u: {
            let results = transform_7(v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
            v[0] = results[0];
            v[1] = results[1];
            v[2] = results[2];
            v[3] = results[3];
            v[4] = results[4];
            v[5] = results[5];
            v[6] = results[6];
        }
        case 8u: {
            let results = transform_8(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
            v[0] = results[0];
            v[1] = results[1];
            v[2] = results[2];
            v[3] = results[3];
            v[4] = results[4];
            v[5] = results[5];
            v[6] = results[6];
            v[7] = results[7];
        }
        case 11u: {
            let results = transform_11(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]);
            v[0] = results[0];
            v[1] = results[1];
            v[2] = results[2];
            v[3] = results[3];
            v[4] = results[4];
            v[5] = results[5];
            v[6] = results[6];
            v[7] = results[7];
            v[8] = results[8];
            v[9] = results[9];
            v[10] = results[10];
        }
        case 13u: {
            let results = transform_13(
                v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7],
                v[8], v[9], v[10], v[11], v[12],
            );
            v[0] = results[0];
            v[1] = results[1];
            v[2] = results[2];
            v[3] = results[3];
            v[4] = results[4];
            v[5] = results[5];
            v[6] = results[6];
            v[7] = results[7];
            v[8] = results[8];
            v[9] = results[9];
            v[10] = results[10];
            v[11] = results[11];
            v[12] = results[12];
        }
        case 16u: {
            let results = transform_16(
                v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7],
                v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15],
            );
            v[0] = results[0];
            v[1] = results[1];
            v[2] = results[2];
            v[3] = results[3];
            v[4] = results[4];
            v[5] = results[5];
            v[6] = results[6];
            v[7] = results[7];
            v[8] = results[8];
            v[9] = results[9];
            v[10] = results[10];
            v[11] = results[11];
            v[12] = results[12];
            v[13] = results[13];
            v[14] = results[14];
            v[15] = results[15];
        }
        default: {
        }
    }
    if sizes.swap_results != 0u {
        for (var r = 0u; r < radix; r++) {
            v[r] = v[r].yx;
        }
    }
    for (var r = 0u; r < radix; r++) {
        y[place_of_results + r * sizes.span] = narrowed(v[r] * sizes.scale);
    }
}
