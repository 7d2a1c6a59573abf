//! The range of a slice, which is checked only when the slice is used.

use std::ops::{Bound, Range, RangeBounds};

use crate::error::BufferError;

/// A range of elements that may be outside its buffer: slicing never fails, but using an invalid slice does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    start: usize,
    end: usize,
    /// The length of the buffer or slice that was sliced, if the range is outside it; otherwise `None`.
    outside: Option<usize>,
}

impl Span {
    pub(crate) fn within(range: Range<usize>) -> Self {
        Self { start: range.start, end: range.end, outside: None }
    }

    /// Returns the range of elements of the buffer.
    ///
    /// # Errors
    /// [`BufferError::OutOfRange`] if the span is outside its buffer.
    pub(crate) fn get(self) -> Result<Range<usize>, BufferError> {
        match self.outside {
            None => Ok(self.start..self.end),
            Some(length) => Err(BufferError::OutOfRange { start: self.start, end: self.end, length }),
        }
    }

    /// The number of elements; 0 for a span outside its buffer.
    pub(crate) fn len(self) -> usize {
        if self.outside.is_some() { 0 } else { self.end - self.start }
    }

    /// The part of the span at `bounds`, which are counted from the start of the span. If the span is outside its
    /// buffer, the part is the span itself.
    pub(crate) fn part(self, bounds: &impl RangeBounds<usize>) -> Self {
        if self.outside.is_some() {
            return self;
        }
        let length = self.len();
        let start = match bounds.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&start) => start.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match bounds.end_bound() {
            Bound::Included(&end) => end.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => length,
        };
        if start > end || end > length {
            return Self { start, end, outside: Some(length) };
        }
        Self::within(self.start + start..self.start + end)
    }
}

/// The range in bytes of a range of elements `T`.
pub(crate) fn byte_range<T>(range: &Range<usize>) -> Range<u64> {
    let size = size_of::<T>() as u64;
    range.start as u64 * size..range.end as u64 * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_from_the_start_of_their_span() {
        let span = Span::within(10..20);
        assert_eq!(span.part(&(2..5)).get().ok(), Some(12..15));
        assert_eq!(span.part(&(..=9)).get().ok(), Some(10..20));
        assert_eq!(span.part(&(3..)).part(&(1..2)).get().ok(), Some(14..15));
        let outside = span.part(&(5..11));
        assert_eq!(outside.len(), 0);
        let error = outside.part(&(..1)).get().unwrap_err();
        assert!(matches!(error, BufferError::OutOfRange { start: 5, end: 11, length: 10 }), "{error}");
    }
}
