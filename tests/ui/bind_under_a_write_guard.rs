use anywarp::{Kernel, Result, UnifiedBuffer};

fn launch(kernel: &Kernel, mut x: UnifiedBuffer<f32>) -> Result<()> {
    let mut host = x.write()?;
    kernel.launch().bind("x", &x).threads(64)?;
    host[0] = 1.0;
    Ok(())
}

fn main() {}
