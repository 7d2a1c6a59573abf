use anywarp::{Kernel, UnifiedBuffer};

fn launch(kernel: &Kernel, y: &UnifiedBuffer<f32>) {
    let _ = kernel.launch().bind("y", y.slice_mut(..)).threads(64);
}

fn main() {}
