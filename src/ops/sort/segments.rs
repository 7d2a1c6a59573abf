//! Sorts within segments.
//!
//! The positions of the keys are sorted twice by stable sorts: by key, and then by segment. After that, the keys of
//! each segment are together and in order. If all segments are short, one workgroup for each segment sorts it instead.

mod plan;

use super::super::error::OperationError;
use super::super::ordering::arrays::{self, Checked, is_processor, scratch, words, words_mut};
use super::super::ordering::gather::{Gather, Places};
use super::super::ordering::keys::{KeyOrder, SortKey};
use super::super::ordering::rows::{OrderRows, Rows};
use super::super::scan::Scan;
use super::plan::Values;
use super::run::{Operand, Operands};
use super::{OPERATOR, Sort};
use crate::buffer::cells::in_words_mut;
use crate::buffer::{Slice, UnifiedBuffer};
use crate::device::Device;
use crate::element::Element;
use crate::submit::Destination;
pub(super) use plan::Choice;
use plan::{Pass, plan};

crate::kernels!(mod heads = "shaders/ops/segment_heads.wgsl", root = "shaders");

/// The offsets at which segments begin.
#[derive(Clone, Copy)]
pub(super) enum Segments<'r> {
    /// Offsets that the host checks.
    Host(&'r [u32]),
    /// Offsets on the device, in any order, and possibly behind the last key.
    Device(Slice<'r, u32>),
}

impl Segments<'_> {
    /// Returns the largest number of a segment: as many keys are marked as the beginning of a segment.
    fn count(&self) -> usize {
        match self {
            // The first key is also marked, as 0 is the first of the bounds.
            Self::Host(offsets) => offsets.len() + 1,
            Self::Device(offsets) => offsets.len(),
        }
    }

    /// Returns an error if an offset of the host is below the offset before it, or above the number of keys.
    fn check(&self, length: usize) -> Result<(), OperationError> {
        let Self::Host(offsets) = self else { return Ok(()) };
        let wrong = |expected: String, got: String| Err(OPERATOR.choice("the offset", expected, got));
        if let Some(pair) = offsets.windows(2).find(|pair| pair[0] > pair[1]) {
            return wrong("pass offsets in ascending order".to_owned(), format!("{} after {}", pair[1], pair[0]));
        }
        match offsets.last() {
            Some(last) if *last as usize > length => {
                wrong(format!("pass offsets up to the number of keys, {length}"), last.to_string())
            }
            _ => Ok(()),
        }
    }

    /// Returns the bounds of all segments, and the length of the longest segment; `None` if only the device has the
    /// offsets.
    fn bounds(&self, length: usize) -> Option<(Vec<u32>, u64)> {
        let Self::Host(offsets) = self else { return None };
        // The length is within 32 bits, as it was checked.
        let bounds: Vec<u32> = std::iter::once(0).chain(offsets.iter().copied()).chain([length as u32]).collect();
        let longest = bounds.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        Some((bounds, longest.into()))
    }
}

/// Runs a sort within segments; `choice` is for tests.
pub(super) fn call<K: SortKey, V: Element>(
    mut sort: Sort<'_>,
    operands: &Operands<'_, K, V>,
    values: Values,
    (segments, choice): (Segments<'_>, Option<Choice>),
) -> Result<(), OperationError> {
    let Some(context) = operands.context() else { return Ok(()) };
    let device = &Device::of(context);
    let length = operands.keys.len();
    let in_place = operands.keys.given.is_none();
    // This checks the limits, which are the limits of a sort of the same keys without segments.
    sort.plan::<K>(length, values, in_place, device)?;
    segments.check(length)?;
    let offsets = match &segments {
        Segments::Device(offsets) => Some(Checked::read(OPERATOR, "offsets", offsets)?),
        Segments::Host(_) => None,
    };
    operands.check(context, &sort.destination, offsets)?;
    if length == 0 {
        return Ok(());
    }
    let mut destination = std::mem::replace(&mut sort.destination, Destination::Own);
    let bounds = segments.bounds(length);
    let longest = bounds.as_ref().map(|(_, longest)| *longest);
    let choice = choice.unwrap_or_else(|| match sort.bits {
        None => Choice::default_for(longest, is_processor(device)),
        // Rows can only be ordered by all bits of the keys.
        Some(_) => Choice::Passes,
    });
    let passes = plan(values, longest, segments.count(), choice);
    let buffer = |error| OperationError::Buffer { operator: OPERATOR.name(), error };
    let offsets = match (&segments, &bounds) {
        (Segments::Device(offsets), _) => Offsets::Given(*offsets),
        (_, Some((bounds, _))) => Offsets::Own(device.buffer_from(bounds).map_err(buffer)?),
        _ => return Ok(()),
    };
    let mut work = Work::of(&sort, operands, &passes, device, &destination)?;
    for pass in &passes {
        work.launch(*pass, &sort, operands, &offsets, &mut destination)?;
    }
    Ok(())
}

/// The offsets on the device.
enum Offsets<'a> {
    Given(Slice<'a, u32>),
    /// The bounds of all segments, which the host computes and uploads.
    Own(UnifiedBuffer<u32>),
}

impl Offsets<'_> {
    fn slice(&self) -> Slice<'_, u32> {
        match self {
            Self::Given(offsets) => *offsets,
            Self::Own(bounds) => bounds.slice(..),
        }
    }
}

/// The kernels and the memory of a call.
struct Work {
    rows: Option<OrderRows>,
    mark: heads::Mark,
    gather_numbers: Gather,
    gather_keys: Gather,
    gather_values: Gather,
    /// The positions of the keys, in the order in which they are sorted.
    places: UnifiedBuffer<u32>,
    /// The number of each key's segment, in the order of the keys.
    numbers: UnifiedBuffer<u32>,
    /// The number of each key's segment, in the order of `places`.
    ordered: UnifiedBuffer<u32>,
    /// A copy of keys or values that are sorted in place.
    copied: UnifiedBuffer<u32>,
    spare: UnifiedBuffer<u32>,
}

impl Work {
    fn of<K: SortKey, V: Element>(
        sort: &Sort<'_>,
        operands: &Operands<'_, K, V>,
        passes: &[Pass],
        device: &Device,
        destination: &Destination<'_>,
    ) -> Result<Self, OperationError> {
        let length = operands.keys.len() as u64;
        let memory = |words| scratch(OPERATOR, device, words, destination);
        let numbered = if passes.contains(&Pass::NumberSegments) { length } else { 0 };
        // A copy consists of the whole words around the elements, from an offset that the device can bind.
        let size = size_of::<K>().max(if passes.contains(&Pass::GatherValues) { size_of::<V>() } else { 0 }) as u64;
        let around = u64::from(device.caps().limits.storage_offset_alignment) / 4 + 2;
        let copied = if operands.keys.given.is_none() { (length * size).div_ceil(4) + around } else { 0 };
        let order = KeyOrder::of::<K>(sort.descending);
        let by_rows = passes.contains(&Pass::OrderRows);
        Ok(Self {
            rows: by_rows.then(|| OrderRows::of(device, order, false)).transpose()?,
            mark: heads::mark(device)?,
            gather_numbers: Gather::of(device, 4)?,
            gather_keys: Gather::of(device, order.bytes())?,
            gather_values: Gather::of(device, size_of::<V>() as u64)?,
            places: memory(length)?,
            numbers: memory(numbered)?,
            ordered: memory(numbered)?,
            copied: memory(copied)?,
            spare: memory(2)?,
        })
    }

    fn launch<K: SortKey, V: Element>(
        &mut self,
        pass: Pass,
        sort: &Sort<'_>,
        operands: &Operands<'_, K, V>,
        offsets: &Offsets<'_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let length = operands.keys.len();
        let to = destination.reborrow();
        match pass {
            Pass::OrderRows => {
                let (Some(rows), Some((argument, x))) = (&self.rows, source(&operands.keys)) else { return Ok(()) };
                let keys = words(OPERATOR, argument, &x, &self.spare.slice_mut(..))?;
                rows.launch(keys, Rows::Bounds(offsets.slice()), (&self.places.slice_mut(..), 0), to)
            }
            Pass::SortKeys => {
                let Some((_, x)) = source(&operands.keys) else { return Ok(()) };
                let by_key = Sort { bits: sort.bits.clone(), ..Sort::new() };
                let by_key = Sort { descending: sort.descending, way: sort.way, destination: to, ..by_key };
                by_key.argsort(x, self.places.slice_mut(..length))
            }
            Pass::NumberSegments => {
                arrays::fill(OPERATOR, "offsets", &self.numbers.slice_mut(..), 0, to)?;
                self.mark_heads(offsets.slice(), length, destination.reborrow())?;
                Scan::sum().to(destination.reborrow()).run_in_place(self.numbers.slice_mut(..length))
            }
            Pass::GatherNumbers => {
                let (numbers, places) = (self.numbers.slice(..), self.places.slice(..));
                let places = Places { places, first: 0, length, rows: None };
                self.gather_numbers.launch((numbers, 0), places, (&self.ordered.slice_mut(..), 0), to)
            }
            Pass::SortNumbers { bits } => {
                let by_segment = Sort { way: sort.way, destination: to, ..Sort::new().bits(0..bits) };
                by_segment.pairs_in_place(self.ordered.slice_mut(..length), self.places.slice_mut(..length))
            }
            Pass::GatherKeys => self.gather(true, &operands.keys, destination),
            Pass::GatherValues => {
                operands.values.as_ref().map_or(Ok(()), |values| self.gather(false, values, destination))
            }
            Pass::CopyPlaces => {
                let Some((argument, indices)) = operands.values.as_ref().and_then(|values| values.result.as_ref())
                else {
                    return Ok(());
                };
                let (mut indices, first) = in_words_mut(indices).map_err(OPERATOR.slice(argument))?;
                let first = first as usize / 4;
                let indices = indices.slice_mut(first..first + length);
                arrays::copy(OPERATOR, argument, &self.places.slice(..length), &indices, to)
            }
        }
    }

    /// Marks the first key of each segment. Without offsets, there is nothing to mark.
    fn mark_heads(
        &mut self,
        offsets: Slice<'_, u32>,
        length: usize,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        if offsets.is_empty() {
            return Ok(());
        }
        let count = offsets.len();
        let (offsets, first_of_offsets) = words(OPERATOR, "offsets", &offsets, &self.spare.slice_mut(..))?;
        // The length is within 32 bits, as it was checked, and so is the number of offsets in a binding.
        let sizes = heads::Sizes { count: count as u32, length: length as u32, first_of_offsets };
        let args = heads::Args { sizes, offsets, heads: self.numbers.slice_mut(..) };
        self.mark.launch(args).to(destination).threads(count)?;
        Ok(())
    }

    /// Writes keys or values in the order of `places`.
    fn gather<T: Element>(
        &mut self,
        keys: bool,
        operand: &Operand<'_, T>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let (Some((argument, from)), Some((_, to))) = (source(operand), &operand.result) else { return Ok(()) };
        let Self { gather_keys, gather_values, places, copied, spare, .. } = self;
        let length = from.len();
        let spare = spare.slice_mut(..);
        let (mut from, first) = words(OPERATOR, argument, &from, &spare)?;
        if operand.given.is_none() {
            let to = copied.slice_mut(..from.len());
            arrays::copy(OPERATOR, argument, &from, &to, destination.reborrow())?;
            from = copied.slice(..from.len());
        }
        let (gathered, first_of_gathered) = words_mut(OPERATOR, argument, to, &spare)?;
        let places = Places { places: places.slice(..), first: 0, length, rows: None };
        let gather = if keys { gather_keys } else { gather_values };
        gather.launch((from, first), places, (&gathered, first_of_gathered), destination.reborrow())
    }
}

/// Returns the name and the array of the unsorted elements.
fn source<'s, T: Element>(operand: &'s Operand<'_, T>) -> Option<(&'static str, Slice<'s, T>)> {
    let result = || operand.result.as_ref().map(|(argument, result)| (*argument, result.as_slice()));
    operand.given.as_ref().map(|(argument, given)| (*argument, *given)).or_else(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_the_host_are_checked() {
        let of = |offsets: &[u32]| Segments::Host(offsets).check(5).map_err(|error| error.to_string());
        assert_eq!(of(&[0, 2, 2, 5]), Ok(()));
        assert_eq!(of(&[]), Ok(()));
        assert!(of(&[3, 2]).unwrap_err().contains("offset 2 after 3"));
        assert!(of(&[3, 6]).unwrap_err().contains("number of keys, 5"));
        assert_eq!(Segments::Host(&[2, 2]).bounds(5), Some((vec![0, 2, 2, 5], 3)));
    }
}
