//! The operators, each on arrays that are more than four times as large as the largest binding.

mod elements;
mod layers;
mod orders;

use anywarp::{Device, Element, Error, UnifiedBuffer};

use super::{LIMIT, Operator};

/// The number of words in an array: four times as many as a binding can have, and a few more.
const LENGTH: usize = LIMIT as usize + 7;
/// The value of all words of a result before the call.
pub(super) const BEFORE: u32 = 0x4b4b_4b4b;

/// A buffer of small integers, whose sums in `f32` are exact.
fn floats(device: &Device) -> Result<UnifiedBuffer<f32>, Error> {
    Ok(device.buffer_from(&words().map(|word| (word % 3) as f32 - 1.0).collect::<Vec<_>>())?)
}

fn integers(device: &Device) -> Result<UnifiedBuffer<u32>, Error> {
    Ok(device.buffer_from(&words().collect::<Vec<_>>())?)
}

fn words() -> impl Iterator<Item = u32> {
    (0..LENGTH as u32).map(|at| at.wrapping_mul(0x9e37_79b9) >> 7)
}

/// A buffer with the indices of all elements in reverse order.
fn places(device: &Device) -> Result<UnifiedBuffer<u32>, Error> {
    Ok(device.buffer_from(&(0..LENGTH as u32).rev().collect::<Vec<_>>())?)
}

fn ramp(device: &Device) -> Result<UnifiedBuffer<u32>, Error> {
    Ok(device.buffer_from(&(0..LENGTH as u32).collect::<Vec<_>>())?)
}

/// A buffer for a result of `length` elements, filled with [`BEFORE`].
fn result<T: Element>(device: &Device, length: usize) -> Result<UnifiedBuffer<T>, Error> {
    let words = vec![BEFORE; (length * size_of::<T>()).div_ceil(4)];
    Ok(device.buffer_from(&bytemuck::cast_slice::<u32, T>(&words)[..length])?)
}

/// The words of a result; a last word that is not whole is left out.
fn words_of<T: Element>(y: &UnifiedBuffer<T>) -> Result<Vec<u32>, Error> {
    let mut bytes = bytemuck::cast_slice::<T, u8>(&y.read()?).to_vec();
    bytes.truncate(bytes.len() / 4 * 4);
    Ok(bytemuck::pod_collect_to_vec(&bytes))
}

/// An operator with results of `$length` elements of type `$element` each.
macro_rules! case {
    ($name:literal, $windows:literal, $element:ty, $length:expr, |$device:ident $(, $y:ident)+| $call:expr) => {
        Operator {
            name: $name,
            windows: $windows,
            run: |$device| {
                $(let mut $y = result::<$element>($device, $length)?;)+
                let done: Result<(), anywarp::Error> = (|| Ok($call))();
                let mut words = Vec::new();
                $(words.extend(words_of(&$y)?);)+
                Ok((done, words))
            },
        }
    };
}
use case;

/// All operators.
pub(super) fn operators() -> impl Iterator<Item = &'static Operator> {
    [elements::OPERATORS, orders::OPERATORS, layers::OPERATORS].into_iter().flatten()
}
