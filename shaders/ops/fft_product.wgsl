// Multiplies complex numbers with others, in place.
import package::shared::complex::{Complex, times};

struct Sizes {
    count: u32,
    // The first elements in their bindings.
    first_of_x: u32,
    first_of_y: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<Complex>;
@group(0) @binding(2) var<storage, read_write> y: array<Complex>;

@compute @workgroup_size(256)
fn fft_product(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.count {
        let at = sizes.first_of_y + id.x;
        y[at] = times(y[at], x[sizes.first_of_x + id.x]);
    }
}
