use anywarp::{Device, Kernel, Launch, Result};

fn begin<'k>(device: &Device, kernel: &'k Kernel) -> Result<Launch<'k>> {
    let x = device.buffer::<f32>(64)?;
    Ok(kernel.launch().bind("x", &x))
}

fn main() {}
