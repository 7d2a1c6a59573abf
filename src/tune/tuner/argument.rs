//! The buffers of the user, and the copies that candidates write into.

use anywarp_backend::{Access, BindingInfo};

use crate::buffer::{Slice, UnifiedBuffer};
use crate::device::Device;
use crate::element::Element;
use crate::kernel::{Kernel, Launch};

/// The contents of the written buffers before a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Those of the user's buffers.
    Copied,
    /// All bits are set: floats are NaN, and unsigned numbers are the greatest ones.
    Poisoned,
}

/// A buffer of the user, of any element type.
pub(super) trait Argument {
    /// The variable, as named by the user.
    fn key(&self) -> &str;

    /// Allocates the copy.
    fn copy_for_writing(&mut self, device: &Device) -> crate::Result<()>;

    /// Sets the contents of the copy, if there is one.
    fn reset(&mut self, start: Start) -> crate::Result<()>;

    /// Binds the copy, or the user's buffer if there is none.
    fn bind<'l>(&'l mut self, launch: Launch<'l>) -> Launch<'l>;

    /// The contents of the copy.
    fn read(&self) -> crate::Result<Option<Vec<u8>>>;
}

/// A slice with its copy, if the kernel writes it.
pub(super) struct Copied<'a, T> {
    key: String,
    source: Slice<'a, T>,
    copy: Option<UnifiedBuffer<T>>,
}

impl<'a, T: Element> Copied<'a, T> {
    pub(super) fn new(key: &str, source: Slice<'a, T>) -> Self {
        Self { key: key.to_owned(), source, copy: None }
    }
}

impl<T: Element> Argument for Copied<'_, T> {
    fn key(&self) -> &str {
        &self.key
    }

    fn copy_for_writing(&mut self, device: &Device) -> crate::Result<()> {
        self.copy = Some(device.buffer(self.source.len())?);
        Ok(())
    }

    fn reset(&mut self, start: Start) -> crate::Result<()> {
        let Some(copy) = &mut self.copy else { return Ok(()) };
        match start {
            Start::Copied => copy.copy_from(self.source)?,
            Start::Poisoned => copy.fill(bytemuck::pod_read_unaligned(&vec![0xFF; size_of::<T>()]))?,
        }
        Ok(())
    }

    fn bind<'l>(&'l mut self, launch: Launch<'l>) -> Launch<'l> {
        match &mut self.copy {
            Some(copy) => launch.bind(&self.key, copy),
            None => launch.bind(&self.key, self.source),
        }
    }

    fn read(&self) -> crate::Result<Option<Vec<u8>>> {
        let Some(copy) = &self.copy else { return Ok(None) };
        Ok(Some(bytemuck::cast_slice(&copy.read()?).to_vec()))
    }
}

/// The binding of a kernel that a key names: the name of the variable, or `GROUP.BINDING`.
pub(super) fn binding<'k>(kernel: &'k Kernel, key: &str) -> Option<&'k BindingInfo> {
    let numbers = |info: &BindingInfo| format!("{}.{}", info.resource.group, info.resource.binding);
    let bindings = kernel.bindings();
    bindings.iter().find(|info| info.name == key).or_else(|| bindings.iter().find(|info| numbers(info) == key))
}

/// Whether a kernel writes the variable that a key names.
pub(super) fn is_written(kernel: &Kernel, key: &str) -> bool {
    binding(kernel, key).is_some_and(|info| info.access == Access::Write)
}
