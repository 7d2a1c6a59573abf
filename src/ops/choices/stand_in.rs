//! Arrays of random numbers in place of a program's, for calls that a tuner repeats.

use std::marker::PhantomData;

use anywarp_backend::{Scalar, ScalarKind};

use super::call::{Contents, Results};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;

/// The number of elements that are drawn; longer arrays repeat them.
const DRAWN: usize = 1 << 16;

/// Starts are kept up to this number of elements, so that arrays are aligned as those of the program.
const STARTS: usize = 256;

/// The start and the length of an array of a program, in elements.
pub(crate) struct Like<T> {
    start: usize,
    length: usize,
    _element: PhantomData<T>,
}

impl<T: Element> Like<T> {
    pub(crate) fn of(array: &Slice<'_, T>) -> Self {
        let range = array.range.get().unwrap_or_default();
        Self { start: range.start % STARTS, length: range.len(), _element: PhantomData }
    }

    pub(crate) fn of_mut(array: &SliceMut<'_, T>) -> Self {
        Self::of(&array.as_slice())
    }

    /// An array of zeros.
    pub(crate) fn zeros(&self, device: &Device) -> Result<StandIn<T>, Error> {
        Ok(StandIn { buffer: device.buffer::<T>(self.start + self.length)?, start: self.start })
    }

    /// An array of random numbers: floats from -1 to 1, integers of random bits.
    pub(crate) fn numbers(&self, device: &Device) -> Result<StandIn<T>, Error> {
        let mut array = self.zeros(device)?;
        let length = array.buffer.len();
        let drawn = drawn::<T>(length.min(DRAWN));
        let block = device.buffer_from(&drawn)?;
        for first in (0..length).step_by(DRAWN) {
            let count = drawn.len().min(length - first);
            array.buffer.slice_mut(first..first + count).copy_from(block.slice(..count))?;
        }
        Ok(array)
    }
}

/// An array in place of one of the program.
pub(crate) struct StandIn<T> {
    buffer: UnifiedBuffer<T>,
    start: usize,
}

impl<T: Element> StandIn<T> {
    pub(crate) fn get(&self) -> Slice<'_, T> {
        self.buffer.slice(self.start..)
    }

    pub(crate) fn get_mut(&mut self) -> SliceMut<'_, T> {
        self.buffer.slice_mut(self.start..)
    }
}

impl<T: Element> Results for StandIn<T> {
    fn copies(&mut self, device: &Device) -> Result<Self, Error> {
        Ok(Self { buffer: self.buffer.copies(device)?, start: self.start })
    }

    fn set(&mut self, copies: Option<&Self>) -> Result<(), Error> {
        self.buffer.set(copies.map(|copies| &copies.buffer))
    }

    fn read(&self, into: &mut Vec<Contents>) -> Result<(), Error> {
        Results::read(&self.buffer, into)
    }
}

/// Random elements, the same in each process. Elements of several types of scalars are zeros.
fn drawn<T: Element>(count: usize) -> Vec<T> {
    let mut elements = vec![T::zeroed(); count];
    let layout = T::layout();
    let scalar = layout.uniform_scalar();
    let is_bf16 = layout.name == "bf16";
    if let Some(Scalar { kind, width }) = scalar {
        let width = usize::from(width.max(1));
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut elements);
        let mut state = 0_u64;
        for scalar in bytes.chunks_exact_mut(width) {
            // SplitMix64 (Steele, Lea and Flood, 'Fast splittable pseudorandom number generators', 2014).
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            let bits = mixed ^ (mixed >> 31);
            let unit = (bits >> 40) as f32 / (1_u32 << 23) as f32 - 1.0;
            match (kind, width) {
                _ if is_bf16 => scalar.copy_from_slice(&half::bf16::from_f32(unit).to_le_bytes()),
                (ScalarKind::Float, 2) => scalar.copy_from_slice(&half::f16::from_f32(unit).to_le_bytes()),
                (ScalarKind::Float, 4) => scalar.copy_from_slice(&unit.to_le_bytes()),
                (ScalarKind::Float, 8) => scalar.copy_from_slice(&f64::from(unit).to_le_bytes()),
                _ => scalar.copy_from_slice(&bits.to_le_bytes()[..width.min(8)]),
            }
        }
    }
    elements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_random_and_finite() {
        let floats = drawn::<f32>(1000);
        assert!(floats.iter().all(|x| (-1.0..=1.0).contains(x)));
        let mean = floats.iter().sum::<f32>() / 1000.0;
        assert!(mean.abs() < 0.1, "{mean}");
        assert!(drawn::<half::f16>(1000).iter().all(|x| x.is_finite() && f32::from(*x).abs() <= 1.0));
        assert!(drawn::<half::bf16>(1000).iter().all(|x| x.is_finite() && f32::from(*x).abs() <= 1.0));
        let words = drawn::<u64>(100);
        assert!(words.iter().any(|x| x >> 32 != 0) && words[0] != words[1]);
        assert_eq!(drawn::<[f32; 2]>(3).len(), 3);
    }
}
