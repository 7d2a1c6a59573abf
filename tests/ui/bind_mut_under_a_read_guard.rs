use anywarp::{Kernel, Result, UnifiedBuffer};

fn launch(kernel: &Kernel, mut y: UnifiedBuffer<f32>) -> Result<f32> {
    let host = y.read()?;
    kernel.launch().bind("y", &mut y).threads(64)?;
    Ok(host[0])
}

fn main() {}
