// Adds the products of a window with the parts of signals that it covers, and divides by the sum of its squares: the
// inverse of stft_frames.wgsl.
import package::shared::complex::{Complex, Real};

// The elements of a signal.
@if(pairs)
alias Sample = Complex;
@if(!pairs)
alias Sample = Real;

struct Sizes {
    // The number of samples of all signals.
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
fn stft_overlap(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    let signal = id.x / sizes.length;
    let place = id.x - signal * sizes.length + sizes.offset;
    var first = 0u;
    if place >= sizes.window_length {
        first = (place - sizes.window_length) / sizes.hop + 1u;
    }
    let end = min(sizes.frames, place / sizes.hop + 1u);
    var sum = Sample();
    var squares = Real();
    for (var frame = first; frame < end; frame++) {
        let at = place - frame * sizes.hop;
        let factor = window[sizes.first_of_window + at];
        let rotated = select(at - sizes.shift, at + sizes.transform_length - sizes.shift, at < sizes.shift);
        let row = (signal * sizes.frames + frame) * sizes.transform_length;
        sum = sum + x[sizes.first_of_x + row + rotated] * factor;
        squares = squares + factor * factor;
    }
    y[sizes.first_of_y + id.x] = sum / squares;
}
