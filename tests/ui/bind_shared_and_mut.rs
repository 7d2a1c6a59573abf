use anywarp::{Kernel, UnifiedBuffer};

fn launch(kernel: &Kernel, mut y: UnifiedBuffer<f32>) {
    let _ = kernel.launch().bind("x", &y).bind("y", &mut y).threads(64);
}

fn main() {}
