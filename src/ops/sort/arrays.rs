//! The arrays of a sort, as words.

use super::super::error::OperationError;
use super::super::plan::Plan;
use super::OPERATOR;
use super::plan::{Array, Pass, Shape, counters_of, spares_of};
use crate::buffer::cells::{in_words, in_words_mut, reborrow};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::element::Element;
use crate::error::BufferError;
use crate::submit::Destination;

/// The words of an array that a kernel reads.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) slice: Slice<'a, u32>,
    /// The number of words before the first element.
    pub(super) first: u32,
    /// The number of elements before the first element, for elements shorter than a word.
    pub(super) first_element: u32,
    /// The number of words from the first element on.
    length: usize,
}

impl<'a> Words<'a> {
    pub(super) fn of<T: Element>(slice: &Slice<'a, T>) -> Result<Self, BufferError> {
        let (length, size) = (slice.len() * size_of::<T>() / 4, size_of::<T>() as u32);
        let (slice, first_byte) = in_words(slice)?;
        Ok(Self { slice, first: first_byte / 4, first_element: first_byte / size, length })
    }
}

/// [`Words`] of an array that a kernel writes, and may read.
pub(super) struct WordsMut<'a> {
    slice: SliceMut<'a, u32>,
    first: u32,
    first_element: u32,
    length: usize,
}

impl<'a> WordsMut<'a> {
    pub(super) fn of<T: Element>(slice: &'a SliceMut<'_, T>) -> Result<Self, BufferError> {
        let (length, size) = (slice.len() * size_of::<T>() / 4, size_of::<T>() as u32);
        let (slice, first_byte) = in_words_mut(slice)?;
        Ok(Self { slice, first: first_byte / 4, first_element: first_byte / size, length })
    }
}

/// The arrays of the keys, or the arrays of the values.
pub(super) struct Set<'a> {
    pub(super) given: Option<Words<'a>>,
    pub(super) result: Option<WordsMut<'a>>,
    spare: [Option<WordsMut<'a>>; 2],
    /// Arrays of one word that are bound in place of arrays that a kernel does not access: one to read, one to write.
    unused: [SliceMut<'a, u32>; 2],
}

impl Set<'_> {
    fn at(&self, array: Array) -> Option<&WordsMut<'_>> {
        match array {
            Array::Result => self.result.as_ref(),
            Array::Spare(number) => self.spare.get(number)?.as_ref(),
            Array::Given | Array::Unused => None,
        }
    }

    /// Returns an array to read.
    pub(super) fn read(&self, array: Array) -> Words<'_> {
        if let (Array::Given, Some(given)) = (array, self.given) {
            return given;
        }
        match self.at(array) {
            Some(WordsMut { slice, first, first_element, length }) => {
                Words { slice: slice.as_slice(), first: *first, first_element: *first_element, length: *length }
            }
            None => Words { slice: self.unused[0].as_slice(), first: 0, first_element: 0, length: 0 },
        }
    }

    /// Returns an array to write: its words, the number of words before the first element, and the number of elements
    /// before the first element.
    pub(super) fn written(&self, array: Array) -> (SliceMut<'_, u32>, u32, u32) {
        match self.at(array) {
            Some(words) => (reborrow(&words.slice), words.first, words.first_element),
            None => (reborrow(&self.unused[1]), 0, 0),
        }
    }

    /// Returns the words of the result, and the spare array to which they are copied.
    pub(super) fn copied(&self) -> (Slice<'_, u32>, SliceMut<'_, u32>) {
        let from = self.read(Array::Result);
        let first = from.first as usize;
        let (to, ..) = self.written(Array::Spare(0));
        (from.slice.slice(first..first + from.length), to)
    }
}

/// All arrays of a sort.
pub(super) struct Arrays<'a> {
    pub(super) keys: Set<'a>,
    pub(super) values: Set<'a>,
    /// The number of keys for each digit and block.
    pub(super) counts: SliceMut<'a, u32>,
    /// The number of keys for each digit.
    pub(super) totals: SliceMut<'a, u32>,
    /// The number of keys with a smaller digit, for each value of each digit of a key.
    pub(super) bases: SliceMut<'a, u32>,
}

/// The scratch memory of a sort.
pub(super) struct Spares {
    keys: [Option<UnifiedBuffer<u32>>; 2],
    values: [Option<UnifiedBuffer<u32>>; 2],
    counts: UnifiedBuffer<u32>,
    totals: UnifiedBuffer<u32>,
    bases: UnifiedBuffer<u32>,
    /// Arrays of one word: a kernel can bind an array of keys and an array of values that it does not access, each to
    /// read or to write.
    unused: [UnifiedBuffer<u32>; 4],
}

impl Spares {
    /// Allocates the memory for all passes.
    pub(super) fn of(
        device: &Device,
        shape: &Shape,
        plan: &Plan<Pass>,
        destination: &Destination<'_>,
    ) -> Result<Self, OperationError> {
        let scratch = |words: u64| {
            let words = usize::try_from(words).unwrap_or(usize::MAX);
            device
                .scratch::<u32>(words, destination)
                .map_err(|error| OperationError::Buffer { operator: OPERATOR.name(), error })
        };
        let some = |wanted: bool, words: u64| wanted.then(|| scratch(words)).transpose();
        let [of_keys, of_values] = spares_of(&plan.passes);
        let keys = shape.length * u64::from(shape.key_words());
        let values = shape.length * u64::from(shape.values.words());
        // Each array has at least one word, so that it can be bound.
        let [counts, totals, bases] = counters_of(&plan.passes).map(|words| words.max(1));
        Ok(Self {
            keys: [some(of_keys > 0, keys)?, some(of_keys > 1, keys)?],
            values: [some(of_values > 0, values)?, some(of_values > 1, values)?],
            counts: scratch(counts)?,
            totals: scratch(totals)?,
            bases: scratch(bases)?,
            unused: [scratch(1)?, scratch(1)?, scratch(1)?, scratch(1)?],
        })
    }

    /// Returns all arrays, except for the arrays of the caller.
    pub(super) fn arrays(&mut self) -> Arrays<'_> {
        let Self { keys, values, counts, totals, bases, unused } = self;
        let [a, b, c, d] = unused.each_mut().map(|unused| unused.slice_mut(..));
        Arrays {
            keys: Set { given: None, result: None, spare: keys.each_mut().map(spare), unused: [a, b] },
            values: Set { given: None, result: None, spare: values.each_mut().map(spare), unused: [c, d] },
            counts: counts.slice_mut(..),
            totals: totals.slice_mut(..),
            bases: bases.slice_mut(..),
        }
    }
}

fn spare(buffer: &mut Option<UnifiedBuffer<u32>>) -> Option<WordsMut<'_>> {
    let buffer = buffer.as_mut()?;
    let length = buffer.len();
    Some(WordsMut { slice: buffer.slice_mut(..), first: 0, first_element: 0, length })
}
