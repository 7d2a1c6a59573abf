use anywarp::ops::{matmul, shaped};
use anywarp::{Result, UnifiedBuffer};

fn product(a: &UnifiedBuffer<f32>, b: &UnifiedBuffer<f32>, c: &mut UnifiedBuffer<f32>) -> Result<()> {
    matmul(shaped(a, [3, 2]).strides([1, 3]), b, c, [3, 2, 4])?;
    Ok(())
}

fn main() {}
