use anywarp::{Device, ReadGuard, Result};

fn elements(device: &Device) -> Result<ReadGuard<'static, f32>> {
    let x = device.buffer::<f32>(64)?;
    Ok(x.read()?)
}

fn main() {}
