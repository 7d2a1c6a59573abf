//! The position of an array within the bound range of its buffer.

use std::any::TypeId;

use anywarp_backend::Limits;

use super::arguments::Array;
use crate::element::Element;
use crate::kernel::BoundBuffer;

/// The limits of a device on bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    /// The greatest size of a binding, in bytes.
    pub(crate) most: u64,
    /// The offset of a binding must be a multiple of this number of bytes.
    pub(crate) alignment: u64,
}

impl Binding {
    pub(crate) fn of(limits: &Limits) -> Self {
        Self { most: limits.storage_binding_size, alignment: u64::from(limits.storage_offset_alignment).max(16) }
    }

    /// The greatest number of elements of `size` bytes in a window that may begin at any offset: a multiple of
    /// [`WINDOW`], or 0.
    pub(crate) fn window(self, size: u64) -> u64 {
        self.most.saturating_sub(self.alignment + 16) / size.max(1) / WINDOW * WINDOW
    }
}

/// The length of each window of a long array is a multiple of this number of elements, so that all windows begin at the
/// same distance from a bindable offset.
pub(crate) const WINDOW: u64 = 1024;

/// The position of an array in its binding, which plans depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The number of elements between the bindable offset and the start of the array.
    pub(crate) first: u64,
    /// The number of elements of the array.
    pub(crate) length: u64,
    /// Whether the array begins at a bindable offset and ends where a binding can end.
    pub(crate) bindable: bool,
}

impl Place {
    /// Whether the array, with elements of `size` bytes, fits into one binding.
    pub(crate) fn fits(self, binding: Binding, size: u64) -> bool {
        (self.first + self.length).saturating_mul(size).next_multiple_of(4) <= binding.most
    }
}

impl Array<'_> {
    pub(crate) fn place(&self) -> Place {
        let length = self.bound.bytes.as_ref().map_or(0, |bytes| (bytes.end - bytes.start) / self.size.max(1));
        Place { first: self.placed(None).1, length, bindable: self.is_bindable() }
    }
}

impl<'a> Array<'a> {
    /// The binding of the array's elements before `end`, which begins at a bindable offset, and the number of elements
    /// between this offset and the array.
    pub(crate) fn placed(&self, end: Option<u64>) -> (BoundBuffer<'a>, u64) {
        self.placed_from(0, end)
    }

    /// The binding of the array's elements from `begin` on and before `end`, which begins at a bindable offset, and the
    /// number of elements between this offset and element `begin`.
    pub(crate) fn placed_from(&self, begin: u64, end: Option<u64>) -> (BoundBuffer<'a>, u64) {
        let BoundBuffer { core, bytes, mutable, element, layout } = &self.bound;
        let place = |bytes: &std::ops::Range<u64>| {
            let alignment = u64::from(core.device.caps().limits.storage_offset_alignment).max(4);
            let begin = bytes.start + begin * self.size;
            let start = begin / alignment * alignment;
            let end = end.map_or(bytes.end, |end| bytes.start + end * self.size);
            // Allocations end at a multiple of 4 bytes, and so can bindings.
            (start..end.next_multiple_of(4), (begin - start) / self.size.max(1))
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

    /// The binding of the array as vectors of four words, and the number of vectors in the binding before the array;
    /// `None` if the array does not consist of whole, aligned vectors.
    pub(crate) fn vectors(&self) -> Option<(BoundBuffer<'a>, u64)> {
        let bytes = self.bound.bytes.as_ref().ok()?;
        let alignment = u64::from(self.bound.core.device.caps().limits.storage_offset_alignment).max(16);
        let start = bytes.start / alignment * alignment;
        let whole = self.size == 4 && bytes.start.is_multiple_of(16) && bytes.end.is_multiple_of(16);
        // The binding has the type of bytes, which is valid for elements of any type.
        let bound = BoundBuffer {
            bytes: Ok(start..bytes.end),
            element: TypeId::of::<u8>(),
            layout: u8::layout,
            ..self.whole()
        };
        whole.then(|| (bound, (bytes.start - start) / 16))
    }

    /// Whether the array begins at a bindable offset and ends where a binding can end.
    pub(crate) fn is_bindable(&self) -> bool {
        let alignment = u64::from(self.bound.core.device.caps().limits.storage_offset_alignment).max(4);
        let bindable =
            |bytes: &std::ops::Range<u64>| bytes.start.is_multiple_of(alignment) && bytes.end.is_multiple_of(4);
        self.bound.bytes.as_ref().is_ok_and(bindable)
    }

    /// The binding of exactly the array's bytes.
    pub(crate) fn whole(&self) -> BoundBuffer<'a> {
        let BoundBuffer { core, bytes, mutable, element, layout } = &self.bound;
        BoundBuffer { core, bytes: bytes.clone(), mutable: *mutable, element: *element, layout: *layout }
    }
}
