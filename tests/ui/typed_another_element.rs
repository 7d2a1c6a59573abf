use anywarp::{Device, Result};

anywarp::kernels!(mod double {
    "@group(0) @binding(0) var<storage> x: array<f32>;
     @group(0) @binding(1) var<storage, read_write> y: array<f32>;
     @compute @workgroup_size(64) fn double() { y[0] = 2 * x[0]; }"
});

fn launch(device: &Device) -> Result<()> {
    let x = device.buffer::<u32>(64)?;
    let mut y = device.buffer::<f32>(64)?;
    double::double(device)?.launch(double::Args { x: &x, y: &mut y }).threads(64)?;
    Ok(())
}

fn main() {}
