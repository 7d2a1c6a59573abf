//! The fields of a sample, as types: one element type, or a tuple of several.

use std::fmt::Debug;

use super::error::Refused;
use super::memory::{Memory, Open};
use crate::buffer::UnifiedBuffer;
use crate::device::Device;
use crate::element::Element;
use crate::error::BufferError;

/// The element types of a sample's fields: any [`Element`], or a tuple of one to six of them.
///
/// This trait is sealed.
pub trait Fields: sealed::Sealed + Sized + 'static {
    /// The number of elements of a sample in each field: `usize`, or `[usize; N]`.
    type Lengths: Copy + Debug + Send + Sync;
    /// The memory into which a sample is written: `&mut [T]`, or a tuple of them.
    type Slots<'a>;
    /// A batch's buffers: `&UnifiedBuffer<T>`, or a tuple of them.
    type Buffers<'a>;
    /// A batch's buffers, for writing: `&mut UnifiedBuffer<T>`, or a tuple of them.
    type BuffersMut<'a>;
    /// The memory of one batch.
    #[doc(hidden)]
    type Set: Send;
    /// The memory of one batch while samples are written to it.
    #[doc(hidden)]
    type Open: Send;

    /// Allocates memory for a batch of `samples` samples.
    #[doc(hidden)]
    fn allocate(device: &Device, lengths: Self::Lengths, samples: usize) -> Result<Self::Set, BufferError>;
    /// Whether a recording or other code may still use the memory.
    #[doc(hidden)]
    fn is_held(set: &Self::Set) -> bool;
    /// Makes the memory writable, in place or in ordinary memory.
    #[doc(hidden)]
    fn open(set: Self::Set, in_place: bool) -> Result<Self::Open, Refused>;
    /// The memory of sample `at` of the batch.
    #[doc(hidden)]
    fn sample(open: &mut Self::Open, lengths: Self::Lengths, at: usize) -> Self::Slots<'_>;
    /// Copies the beginning of the longer batch `other` to `open`.
    #[doc(hidden)]
    fn take_from(open: &mut Self::Open, other: &mut Self::Open);
    /// Ends the writing. The samples are needed only if `keep` is true.
    #[doc(hidden)]
    fn close(open: Self::Open, keep: bool) -> Result<Self::Set, BufferError>;
    #[doc(hidden)]
    fn buffers(set: &Self::Set) -> Self::Buffers<'_>;
    #[doc(hidden)]
    fn buffers_mut(set: &mut Self::Set) -> Self::BuffersMut<'_>;
    #[doc(hidden)]
    fn bytes(set: &Self::Set) -> u64;
}

mod sealed {
    /// Seals [`Fields`](super::Fields).
    pub trait Sealed {}
    impl<T: crate::element::Element + Send + Sync> Sealed for T {}
}

impl<T: Element + Send + Sync> Fields for T {
    type Lengths = usize;
    type Slots<'a> = &'a mut [T];
    type Buffers<'a> = &'a UnifiedBuffer<T>;
    type BuffersMut<'a> = &'a mut UnifiedBuffer<T>;
    type Set = Memory<T>;
    type Open = Open<T>;

    fn allocate(device: &Device, length: usize, samples: usize) -> Result<Self::Set, BufferError> {
        Memory::new(device, length.checked_mul(samples))
    }

    fn is_held(set: &Self::Set) -> bool {
        set.is_held()
    }

    fn open(set: Self::Set, in_place: bool) -> Result<Self::Open, Refused> {
        set.open(in_place)
    }

    fn sample(open: &mut Self::Open, length: usize, at: usize) -> &mut [T] {
        open.sample(length, at)
    }

    fn take_from(open: &mut Self::Open, other: &mut Self::Open) {
        open.take_from(other);
    }

    fn close(open: Self::Open, keep: bool) -> Result<Self::Set, BufferError> {
        open.close(keep)
    }

    fn buffers(set: &Self::Set) -> &UnifiedBuffer<T> {
        &set.buffer
    }

    fn buffers_mut(set: &mut Self::Set) -> &mut UnifiedBuffer<T> {
        &mut set.buffer
    }

    fn bytes(set: &Self::Set) -> u64 {
        set.buffer.byte_len()
    }
}

macro_rules! tuples {
    ($($count:literal: $($field:ident $at:tt),+;)*) => {$(
        impl<$($field: Element + Send + Sync),+> sealed::Sealed for ($($field,)+) {}

        impl<$($field: Element + Send + Sync),+> Fields for ($($field,)+) {
            type Lengths = [usize; $count];
            type Slots<'a> = ($(&'a mut [$field],)+);
            type Buffers<'a> = ($(&'a UnifiedBuffer<$field>,)+);
            type BuffersMut<'a> = ($(&'a mut UnifiedBuffer<$field>,)+);
            type Set = ($(Memory<$field>,)+);
            type Open = ($(Open<$field>,)+);

            fn allocate(device: &Device, lengths: [usize; $count], samples: usize) -> Result<Self::Set, BufferError> {
                Ok(($(Memory::new(device, lengths[$at].checked_mul(samples))?,)+))
            }

            fn is_held(set: &Self::Set) -> bool {
                false $(|| set.$at.is_held())+
            }

            fn open(set: Self::Set, in_place: bool) -> Result<Self::Open, Refused> {
                Ok(($(set.$at.open(in_place)?,)+))
            }

            fn sample(open: &mut Self::Open, lengths: [usize; $count], at: usize) -> Self::Slots<'_> {
                ($(open.$at.sample(lengths[$at], at),)+)
            }

            fn take_from(open: &mut Self::Open, other: &mut Self::Open) {
                $(open.$at.take_from(&mut other.$at);)+
            }

            fn close(open: Self::Open, keep: bool) -> Result<Self::Set, BufferError> {
                Ok(($(open.$at.close(keep)?,)+))
            }

            fn buffers(set: &Self::Set) -> Self::Buffers<'_> {
                ($(&set.$at.buffer,)+)
            }

            fn buffers_mut(set: &mut Self::Set) -> Self::BuffersMut<'_> {
                ($(&mut set.$at.buffer,)+)
            }

            fn bytes(set: &Self::Set) -> u64 {
                0 $(+ set.$at.buffer.byte_len())+
            }
        }
    )*};
}

tuples! {
    1: A 0;
    2: A 0, B 1;
    3: A 0, B 1, C 2;
    4: A 0, B 1, C 2, D 3;
    5: A 0, B 1, C 2, D 3, E 4;
    6: A 0, B 1, C 2, D 3, E 4, G 5;
}
