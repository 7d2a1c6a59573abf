//! The front end alone, without a device.

use std::sync::Arc;

use anywarp_backend::{Caps, Program};

use super::front::{self, Start, Text};
use super::source::Wgsl;
use crate::error::KernelError;

impl Wgsl<'_> {
    /// Parses, validates, specialises and reflects the kernel for a device with `caps`, which need not be present. The
    /// result is the input of a [`Backend`](anywarp_backend::Backend) and of translators.
    ///
    /// A kernel that prints has one more binding than its text: the debug memory.
    ///
    /// ```
    /// use anywarp::Wgsl;
    /// use anywarp::backend::Caps;
    ///
    /// fn workgroup(text: &str, caps: &Caps) -> Result<[u32; 3], anywarp::KernelError> {
    ///     Ok(Wgsl::new(text).file("blur.wgsl").program(caps)?.workgroup_size)
    /// }
    /// ```
    ///
    /// # Errors
    /// All errors of [`Device::kernel`](crate::Device::kernel) that precede the compilation.
    pub fn program(&self, caps: &Caps) -> Result<Program, KernelError> {
        // No other devices are listed, and the numbers of calls that print are unused.
        let made = self.source().and_then(|source| {
            let text = Text { wgsl: self, source: Arc::new(source), others: &Vec::new, number: &|_| 0, warns: false };
            front::kernel(&Start::Text(text), caps, |front| Ok(front.program))
        });
        made.map_err(|error| without_other_devices(front::with_location(self, caps, &Vec::new, error)))
    }
}

/// Removes the statement about other devices, as none was queried.
fn without_other_devices(error: KernelError) -> KernelError {
    match error {
        KernelError::MissingFeature { kernel, feature, device, place, .. } => {
            KernelError::MissingFeature { kernel, feature, device, place, others: String::new() }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use anywarp_backend::Backend;

    use super::*;

    const TEXT: &str = "
        override N: u32 = 4;
        @group(0) @binding(3) var<storage, read_write> data: array<u32, 8>;
        @compute @workgroup_size(N, 2) fn first() { data[0] = N; }
        @compute @workgroup_size(1) fn second() { }";

    #[test]
    fn a_program_is_made_without_a_device() {
        let null = anywarp_null::NullBackend::new();
        let wgsl = Wgsl::new(TEXT).file("two.wgsl").entry("first").set_override("N", 8.0);
        let program = wgsl.program(null.caps()).unwrap();
        assert_eq!((&*program.name, program.workgroup_size), ("two.wgsl:first", [8, 2, 1]));
        assert_eq!(program.bindings[0].layout.size, 32);
        assert!(Wgsl::new(TEXT).program(null.caps()).is_err_and(|error| error.to_string().contains("first, second")));
        assert!(Wgsl::new("fn").program(null.caps()).is_err_and(|error| error.to_string().contains("not valid WGSL")));
    }
}
