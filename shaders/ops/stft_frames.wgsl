// Writes the products of a window with the parts of signals that it covers, at equal distances.
import package::shared::complex::{Complex, Real};

// The elements of a signal.
@if(pairs)
alias Sample = Complex;
@if(!pairs)
alias Sample = Real;

struct Sizes {
    // The number of products.
    count: u32,
    // The samples of a signal, the windows on a signal, and their distance.
    length: u32,
    frames: u32,
    hop: u32,
    // The numbers of the window, and those of a transform.
    window_length: u32,
    transform_length: u32,
    // The samples before a signal that the first window covers, and the number of the window that is written first.
    offset: u32,
    shift: u32,
    // The first elements in their bindings.
    first_of_x: u32,
    first_of_y: u32,
    first_of_window: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<Sample>;
@group(0) @binding(2) var<storage, read_write> y: array<Sample>;
@group(0) @binding(3) var<storage> window: array<Real>;

@compute @workgroup_size(256)
fn stft_frames(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    let row = id.x / sizes.transform_length;
    let place = id.x - row * sizes.transform_length;
    let signal = row / sizes.frames;
    let frame = row - signal * sizes.frames;
    let shifted = place + sizes.shift;
    let at = select(shifted, shifted - sizes.transform_length, shifted >= sizes.transform_length);
    // A sample before the signal is a large number.
    let sample = frame * sizes.hop + at - sizes.offset;
    var value = Sample();
    if at < sizes.window_length && sample < sizes.length {
        value = x[sizes.first_of_x + signal * sizes.length + sample] * window[sizes.first_of_window + at];
    }
    y[sizes.first_of_y + id.x] = value;
}
