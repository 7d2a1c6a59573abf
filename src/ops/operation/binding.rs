//! Where an array lies in what a kernel binds of its buffer.

use super::arguments::Array;
use crate::kernel::BoundBuffer;

/// What a plan has to know of an array that a kernel walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Elements between the place where the device can bind and the array.
    pub(crate) first: u64,
    /// Elements of the array.
    pub(crate) length: u64,
    /// It begins where the device can bind and ends where a binding can.
    pub(crate) bindable: bool,
}

impl Array<'_> {
    pub(crate) fn place(&self) -> Place {
        let length = self.bound.bytes.as_ref().map_or(0, |bytes| (bytes.end - bytes.start) / self.size.max(1));
        Place { first: self.placed(None).1, length, bindable: self.is_bindable() }
    }
}

impl<'a> Array<'a> {
    /// The elements of the array that lie before `end`, from a place where the device can bind, and
    /// how many elements lie between.
    pub(crate) fn placed(&self, end: Option<u64>) -> (BoundBuffer<'a>, u64) {
        let BoundBuffer { core, bytes, mutable, element, layout } = &self.bound;
        let place = |bytes: &std::ops::Range<u64>| {
            let alignment = u64::from(core.device.caps().limits.storage_offset_alignment).max(4);
            let start = bytes.start / alignment * alignment;
            let end = end.map_or(bytes.end, |end| bytes.start + end * self.size);
            // Allocations end at a multiple of 4 bytes, and so do bindings.
            (start..end.next_multiple_of(4), (bytes.start - start) / self.size.max(1))
        };
        let (bytes, first) = match bytes {
            Ok(bytes) => {
                let (bytes, first) = place(bytes);
                (Ok(bytes), first)
            }
            Err(error) => (Err(error.clone()), 0),
        };
        (BoundBuffer { core, bytes, mutable: *mutable, element: *element, layout: *layout }, first)
    }

    /// Whether it begins where the device can bind and ends where a binding can.
    pub(crate) fn is_bindable(&self) -> bool {
        let alignment = u64::from(self.bound.core.device.caps().limits.storage_offset_alignment).max(4);
        let bindable =
            |bytes: &std::ops::Range<u64>| bytes.start.is_multiple_of(alignment) && bytes.end.is_multiple_of(4);
        self.bound.bytes.as_ref().is_ok_and(bindable)
    }

    /// As it was given.
    pub(crate) fn whole(&self) -> BoundBuffer<'a> {
        let BoundBuffer { core, bytes, mutable, element, layout } = &self.bound;
        BoundBuffer { core, bytes: bytes.clone(), mutable: *mutable, element: *element, layout: *layout }
    }
}
