// Copies real numbers as complex ones whose imaginary parts are zero, or the real parts of complex numbers.
import package::shared::complex::Real;

struct Sizes {
    count: u32,
    // The first elements in their bindings.
    first_of_x: u32,
    first_of_y: u32,
    // Multiplied with each result.
    scale: Real,
}

// Whether y has the real parts of x; otherwise x has those of y.
override narrow: bool = false;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<Real>;
@group(0) @binding(2) var<storage, read_write> y: array<Real>;

@compute @workgroup_size(256)
fn fft_real(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    if narrow {
        y[sizes.first_of_y + id.x] = x[sizes.first_of_x + 2u * id.x] * sizes.scale;
    } else {
        y[sizes.first_of_y + 2u * id.x] = x[sizes.first_of_x + id.x] * sizes.scale;
        y[sizes.first_of_y + 2u * id.x + 1u] = Real();
    }
}
