use anywarp::{Kernel, UnifiedBuffer};

fn launch(kernel: &Kernel, mut y: UnifiedBuffer<f32>) {
    let low = y.slice_mut(..128);
    let high = y.slice_mut(64..);
    let _ = kernel.launch().bind("low", low).bind("high", high).threads(64);
}

fn main() {}
