// Writes the frequencies of the results of a Fourier transform: 0, 1, 2, .., then those that stand for negative ones.
import package::shared::complex::Real;

struct Sizes {
    // The distance of neighbouring frequencies.
    step: Real,
    count: u32,
    // The length of the transform, and the first result of a negative frequency.
    length: u32,
    first_negative: u32,
    first_of_y: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read_write> y: array<Real>;

@compute @workgroup_size(256)
fn fft_frequencies(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    let number = i32(id.x) - select(0, i32(sizes.length), id.x >= sizes.first_negative);
    y[sizes.first_of_y + id.x] = Real(number) * sizes.step;
}
