use anywarp::{Result, UnifiedBuffer};

fn halves(mut x: UnifiedBuffer<f32>) -> Result<()> {
    let (low, _) = x.split_at_mut(32);
    x.fill(1.0)?;
    low.fill(2.0)?;
    Ok(())
}

fn main() {}
