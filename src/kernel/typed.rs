//! Arguments of the kernels that [`kernels!`](crate::kernels!) generates, and their launches.
//!
//! The macro determines each variable's slot and type, so there is no lookup by name. All properties of the arguments
//! at run time are checked as in any other launch.

#[doc(hidden)]
pub use bytemuck;

use super::bind::{Bind, bound};
use super::checks::both;
use super::count::DeviceCount;
use super::launch::Launch;
use super::source::{Module, Wgsl};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::element::Element;
use crate::error::LaunchError;

/// An argument for a variable of which a kernel reads elements of `T`: `&UnifiedBuffer<T>`, or a slice of one.
/// `Binding` is a type with the name of the variable, for the compiler's messages.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be bound to `{Binding}`, where the kernel reads elements of `{T}`",
    label = "`{Binding}` must be `&UnifiedBuffer<{T}>`, or a slice of one",
    note = "the kernel reads `{Binding}`: pass `&buffer` or `buffer.slice(..)`, with elements of `{T}`; for a \
            `&mut` reference, write `&*buffer`"
)]
pub trait Reads<'a, T, Binding>: Bind<'a> {}

impl<'a, T: Element, B> Reads<'a, T, B> for &'a UnifiedBuffer<T> {}
impl<'a, B> Reads<'a, u32, B> for &'a DeviceCount {}
impl<'a, T: Element, B> Reads<'a, T, B> for Slice<'a, T> {}
impl<'a, T: Element, B> Reads<'a, T, B> for &Slice<'a, T> {}
impl<'a, T: Element, B> Reads<'a, T, B> for &'a SliceMut<'_, T> {}

/// An argument for a variable of which a kernel writes elements of `T`: `&mut UnifiedBuffer<T>`, or a mutable slice of
/// one. `Binding` is as in [`Reads`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be bound to `{Binding}`, where the kernel writes elements of `{T}`",
    label = "`{Binding}` must be `&mut UnifiedBuffer<{T}>`, or a mutable slice of one",
    note = "the kernel writes `{Binding}`: pass `&mut buffer` or `buffer.slice_mut(..)`, with elements of `{T}`"
)]
pub trait Writes<'a, T, Binding>: Bind<'a> {}

impl<'a, T: Element, B> Writes<'a, T, B> for &'a mut UnifiedBuffer<T> {}
impl<'a, B> Writes<'a, u32, B> for &'a mut DeviceCount {}
impl<'a, T: Element, B> Writes<'a, T, B> for SliceMut<'a, T> {}
impl<'a, T: Element, B> Writes<'a, T, B> for &'a mut SliceMut<'_, T> {}

/// A text with the files that it imports, each with its path as a module and its name for messages. `at` is the text's
/// own path.
#[doc(hidden)]
#[must_use]
pub fn composed(
    text: &'static str,
    at: &[&'static str],
    modules: &[(&'static str, &'static str, &'static str)],
) -> Wgsl<'static> {
    let mut wgsl = Wgsl::new(text);
    wgsl.at = at.iter().map(|segment| (*segment).into()).collect();
    wgsl.modules = modules
        .iter()
        .map(|(path, file, text)| Module { path: (*path).into(), file: (*file).into(), text: (*text).into() })
        .collect();
    wgsl
}

/// Binds a buffer to the variable in `slot`.
#[doc(hidden)]
pub fn bind<'a>(launch: &mut Launch<'a>, slot: usize, buffer: impl Bind<'a>) {
    match launch.bound.get_mut(slot) {
        Some(place) => *place = Some(bound(buffer)),
        None => unknown_binding(launch, slot.to_string()),
    }
}

/// Sets the whole uniform in `slot`.
#[doc(hidden)]
pub fn set<T: Element>(launch: &mut Launch<'_>, slot: usize, value: &T) {
    put(launch, Some(slot), value);
}

/// Sets the whole immediate.
#[doc(hidden)]
pub fn set_immediate<T: Element>(launch: &mut Launch<'_>, value: &T) {
    put(launch, None, value);
}

/// Sets a value by a single copy: the compilation of the Rust program has checked that `T` has the layout of the WGSL
/// type.
fn put<T: Element>(launch: &mut Launch<'_>, slot: Option<usize>, value: &T) {
    let inner = &launch.kernel.inner;
    let place = match slot {
        Some(slot) => {
            let uniform = inner.values.uniform(slot).zip(inner.bindings().get(slot));
            uniform.map(|(range, info)| (range.start, &info.name, &info.layout))
        }
        None => {
            let immediate = inner.plain.program.immediate.as_ref();
            immediate.map(|(name, layout)| (inner.values.immediate.start, name, layout))
        }
    };
    match place {
        Some((start, _, layout)) if layout.size as usize == size_of::<T>() => {
            let end = start + layout.size;
            launch.values[start as usize..end as usize].copy_from_slice(bytemuck::bytes_of(value));
            launch.covered.push(start..end);
        }
        Some((_, name, layout)) => {
            let (kernel, binding) = (launch.kernel.name().to_owned(), name.clone());
            let layouts = both(layout, &T::layout());
            launch.wrong(LaunchError::Layout { kernel, binding, layouts });
        }
        None => unknown_binding(launch, slot.map_or_else(|| "the immediate".to_owned(), |slot| slot.to_string())),
    }
}

/// Stores the error for a slot that the kernel does not have. Calls that the macro generates never name such a slot.
fn unknown_binding(launch: &mut Launch<'_>, key: String) {
    let candidates = launch.kernel.bindings().iter().map(|info| info.name.clone()).collect();
    launch.wrong(LaunchError::UnknownBinding { kernel: launch.kernel.name().to_owned(), key, candidates });
}
