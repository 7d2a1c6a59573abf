//! Kernels that are composed of several WGSL files, some of which the operator replaces.

use std::borrow::Cow;

use super::sizes::Chain;
use crate::device::Device;
use crate::error::KernelError;
use crate::kernel::{Kernel, Wgsl};

/// Returns the name and the text of a file in `shaders/ops`.
macro_rules! kernel_file {
    ($name:literal) => {
        ($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/ops/", $name)))
    };
}

/// Returns the text of a file in `shaders/shared`.
macro_rules! shared_file {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/shared/", $name, ".wgsl"))
    };
}

pub(crate) use {kernel_file, shared_file};

macro_rules! all_shared {
    ($($name:literal)*) => {
        &[$((concat!("shared::", $name), shared_file!($name))),*]
    };
}

/// The files that kernels import, unless a description replaces them.
const FILES: &[(&str, &str)] = all_shared! {
    "scan_heads" "scan_input" "scan_keys" "scan_look_back" "scan_monoid" "scan_order" "scan_other" "scan_part"
    "scan_results" "scan_sizes" "scan_source" "scan_target" "scan_tile" "scan_vector_input" "scan_vector_source"
    "scan_vector_target" "scan_vector_tile" "select_kept" "select_moved" "select_source" "select_tile"
};

/// The description of a kernel by its files. Equal descriptions share one compiled kernel.
#[derive(Clone, Debug)]
pub(crate) struct Description<'t> {
    name: &'static str,
    text: &'static str,
    entry: &'static str,
    /// Replaced files: path and text.
    replaced: Vec<(&'static str, Cow<'t, str>)>,
    overrides: Vec<(&'static str, f64)>,
}

impl<'t> Description<'t> {
    /// An entry point of a file in `shaders/ops`, given by its name and its text.
    pub(crate) fn new((name, text): (&'static str, &'static str), entry: &'static str) -> Self {
        Self { name, text, entry, replaced: Vec::new(), overrides: Vec::new() }
    }

    /// Replaces the file with this path.
    pub(crate) fn replace(mut self, path: &'static str, text: impl Into<Cow<'t, str>>) -> Self {
        self.replaced.push((path, text.into()));
        self
    }

    /// Sets an override.
    pub(crate) fn set(mut self, name: &'static str, value: f64) -> Self {
        self.overrides.push((name, value));
        self
    }

    /// Sets how workgroups wait for each other, and replaces the file `scan_other`, by which a workgroup sums the tile
    /// of another workgroup.
    pub(crate) fn chained(self, chain: Chain, other: &'static str) -> Self {
        let kernel = self.replace("shared::scan_other", other);
        chain.overrides().into_iter().fold(kernel, |kernel, (name, value)| kernel.set(name, value))
    }

    pub(crate) fn kernel(&self, device: &Device) -> Result<Kernel, KernelError> {
        Kernel::known(&device.context, &self.key(), || device.kernel(self.wgsl()))
    }

    fn wgsl(&self) -> Wgsl<'_> {
        let mut wgsl = Wgsl::new(self.text).file(self.name).entry(self.entry);
        for (path, text) in FILES {
            if !self.replaced.iter().any(|(replaced, _)| replaced == path) {
                wgsl = wgsl.module(*path, *text);
            }
        }
        for (path, text) in &self.replaced {
            wgsl = wgsl.module(*path, text.as_ref());
        }
        self.overrides.iter().fold(wgsl, |wgsl, (name, value)| wgsl.set_override(*name, *value))
    }

    /// Returns the key of the kernel in the cache, which contains everything on which the kernel depends. The key
    /// begins with letters, unlike keys of other operators, which begin with small numbers of eight bytes.
    fn key(&self) -> Vec<u8> {
        let mut key = Vec::with_capacity(1024);
        let replaced = self.replaced.iter().flat_map(|(path, text)| [*path, text.as_ref()]);
        for text in ["scanning", self.name, self.entry].into_iter().chain(replaced) {
            key.extend_from_slice(text.as_bytes());
            key.push(0);
        }
        for (name, value) in &self.overrides {
            key.extend_from_slice(name.as_bytes());
            key.extend_from_slice(&value.to_le_bytes());
        }
        key
    }
}
