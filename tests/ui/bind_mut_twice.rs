use anywarp::{Kernel, UnifiedBuffer};

fn launch(kernel: &Kernel, y: &mut UnifiedBuffer<f32>) {
    let _ = kernel.launch().bind("x", &mut *y).bind("y", &mut *y).threads(64);
}

fn main() {}
