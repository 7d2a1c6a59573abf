use anywarp::{Result, UnifiedBuffer};

fn write(x: &UnifiedBuffer<f32>) -> Result<()> {
    x.write()?[0] = 1.0;
    Ok(())
}

fn main() {}
