use anywarp::{Recording, Result, UnifiedBuffer};

fn record(recording: &mut Recording, mut x: UnifiedBuffer<f32>) -> Result<()> {
    let mut host = x.write()?;
    recording.fill(&mut x, 1.0)?;
    host[0] = 1.0;
    Ok(())
}

fn main() {}
