use anywarp::{Result, UnifiedBuffer};

fn both(mut x: UnifiedBuffer<f32>) -> Result<()> {
    let mut host = x.update()?;
    host[0] = x.read()?[1];
    Ok(())
}

fn main() {}
