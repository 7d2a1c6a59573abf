use anywarp::{Device, Result};

anywarp::kernels!(mod double {
    "@group(0) @binding(0) var<storage> x: array<f32>;
     @group(0) @binding(1) var<storage, read_write> y: array<f32>;
     @compute @workgroup_size(64) fn double() { y[0] = 2 * x[0]; }"
});

fn launch(device: &Device) -> Result<()> {
    let x = device.buffer::<f32>(64)?;
    double::double(device)?.launch(double::Args { x: &x }).threads(64)?;
    Ok(())
}

fn main() {}
