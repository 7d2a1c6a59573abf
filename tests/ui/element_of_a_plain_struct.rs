use anywarp::{Device, Result};

struct Particle {
    position: [f32; 3],
    mass: f32,
}

fn buffer(device: &Device) -> Result<()> {
    device.buffer::<Particle>(64)?;
    Ok(())
}

fn main() {}
