use anywarp::{Result, SliceMut};

fn twice(part: SliceMut<'_, f32>) -> Result<()> {
    let mut one = part.write()?;
    let two = part.update()?;
    one[0] = two[0];
    Ok(())
}

fn main() {}
