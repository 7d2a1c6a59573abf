use anywarp::{Kernel, UnifiedBuffer};

fn launch(kernel: &Kernel, x: UnifiedBuffer<f32>) {
    let part = x.slice(..32);
    drop(x);
    let _ = kernel.launch().bind("x", part).threads(32);
}

fn main() {}
