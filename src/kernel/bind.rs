//! Arguments that can be bound to a kernel.

use std::any::TypeId;
use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::Layout;

use super::count::DeviceCount;
use crate::buffer::core::Core;
use crate::buffer::span::{Span, byte_range};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::element::Element;
use crate::error::BufferError;

/// A buffer, or a part of one, as bound to a kernel.
pub struct BoundBuffer<'a> {
    pub(crate) core: &'a Arc<Core>,
    /// The range in bytes, or the error of an invalid slice. The error is boxed to keep this type small: a launch
    /// contains several bound buffers, and each call on its builder moves them.
    pub(crate) bytes: Result<Range<u64>, Box<BufferError>>,
    pub(crate) mutable: bool,
    pub(crate) element: TypeId,
    pub(crate) layout: fn() -> Layout,
}

impl<'a> BoundBuffer<'a> {
    fn new<T: Element>(core: &'a Arc<Core>, range: Span, mutable: bool) -> Self {
        let bytes = range.get().map(|range| byte_range::<T>(&range)).map_err(Box::new);
        Self { core, bytes, mutable, element: TypeId::of::<T>(), layout: T::layout }
    }
}

mod sealed {
    pub trait Sealed<'a> {
        fn bound(self) -> super::BoundBuffer<'a>;
    }
}

/// Buffers and slices that can be bound: `&` for a variable that the kernel reads, `&mut` for one that it writes.
pub trait Bind<'a>: sealed::Sealed<'a> {}

impl<'a, S: sealed::Sealed<'a>> Bind<'a> for S {}

pub(crate) fn bound<'a>(what: impl Bind<'a>) -> BoundBuffer<'a> {
    what.bound()
}

impl<'a, T: Element> sealed::Sealed<'a> for &'a UnifiedBuffer<T> {
    fn bound(self) -> BoundBuffer<'a> {
        BoundBuffer::new::<T>(&self.core, Span::within(0..self.len()), false)
    }
}

impl<'a, T: Element> sealed::Sealed<'a> for &'a mut UnifiedBuffer<T> {
    fn bound(self) -> BoundBuffer<'a> {
        BoundBuffer::new::<T>(&self.core, Span::within(0..self.len()), true)
    }
}

impl<'a> sealed::Sealed<'a> for &'a DeviceCount {
    fn bound(self) -> BoundBuffer<'a> {
        (&self.buffer).bound()
    }
}

impl<'a> sealed::Sealed<'a> for &'a mut DeviceCount {
    fn bound(self) -> BoundBuffer<'a> {
        (&mut self.buffer).bound()
    }
}

impl<'a, T: Element> sealed::Sealed<'a> for Slice<'a, T> {
    fn bound(self) -> BoundBuffer<'a> {
        BoundBuffer::new::<T>(self.core, self.range, false)
    }
}

impl<'a, T: Element> sealed::Sealed<'a> for &Slice<'a, T> {
    fn bound(self) -> BoundBuffer<'a> {
        BoundBuffer::new::<T>(self.core, self.range, false)
    }
}

impl<'a, T: Element> sealed::Sealed<'a> for SliceMut<'a, T> {
    fn bound(self) -> BoundBuffer<'a> {
        BoundBuffer::new::<T>(self.core, self.range, true)
    }
}

impl<'a, T: Element> sealed::Sealed<'a> for &'a mut SliceMut<'_, T> {
    fn bound(self) -> BoundBuffer<'a> {
        BoundBuffer::new::<T>(self.core, self.range, true)
    }
}

impl<'a, T: Element> sealed::Sealed<'a> for &'a SliceMut<'_, T> {
    fn bound(self) -> BoundBuffer<'a> {
        BoundBuffer::new::<T>(self.core, self.range, false)
    }
}
