//! The choice of a device, and how it is opened.

use crate::kernel::Variants;

/// The choice of a device, and how it is opened.
///
/// ```
/// use anywarp::{DeviceOptions, Variants};
///
/// let options = DeviceOptions::default().selector("cpu").staged(true).variants(Variants::Never);
/// assert_eq!(options.selector.as_deref(), Some("cpu"));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DeviceOptions {
    /// The selection string, see [`Device::open`](crate::Device::open); without it `ANYWARP_DEVICE`, then
    /// the best device.
    pub selector: Option<String>,
    /// Copy between host and device memory even where the two are one: for comparing, and for
    /// testing what happens elsewhere.
    pub staged: bool,
    /// The most bytes of upload memory in use at a time, on a device with memory of its own: held by
    /// [`WriteGuard`](crate::WriteGuard)s or on their way; 1 GiB unless said otherwise, 4 KiB at least. A write
    /// beyond it waits for copies on their way. A guard that needs more than all of it, or than other guards
    /// leave, gets ordinary memory, which is copied once more: [`DeviceStats::staging_bypassed`]
    /// counts these. A copy in chunks that finds all of it held by guards goes on beyond it, with the
    /// chunks that are being written: one of 4 MiB, or a few of 8 MiB where the limit is 128 MiB or more. Guards of
    /// up to 1 KiB lie in ordinary memory in any case, until they go up together.
    ///
    /// It does not bound what reads come in: a buffer keeps its host copy, as large as the range that was read
    /// last, until it is dropped. So 200 buffers of 1 MiB that were all read hold 200 MiB, guards or none;
    /// [`DeviceStats::staging_bytes`] counts them, too. [`Slice::copy_to_slice`](crate::Slice::copy_to_slice) of more
    /// than 2 MiB keeps no copy.
    ///
    /// [`DeviceStats::staging_bytes`]: crate::DeviceStats::staging_bytes
    /// [`DeviceStats::staging_bypassed`]: crate::DeviceStats::staging_bypassed
    pub staging_limit: Option<u64>,
    /// When kernels are compiled once more, for launches that are alike: with the integers of their uniforms and
    /// immediates, the lengths of their buffers and their grid as constants. Such a variant needs fewer checks and
    /// branches. It runs only launches of which all that holds, compared one by one; floats are never made constants.
    /// There are 8 variants of a kernel at most, made one at a time, and only where they spare something;
    /// [`VariantStats`](crate::VariantStats) counts them. A launch that is recorded keeps what it ran when it was recorded.
    ///
    /// Without it what `ANYWARP_VARIANTS` says, `in-background`, `at-once` or `never`; without that
    /// [`Variants::InBackground`]. A browser makes none.
    pub variants: Option<Variants>,
}

impl DeviceOptions {
    /// Sets the selection string: see [`Device::open`](crate::Device::open).
    #[must_use]
    pub fn selector(mut self, selector: impl Into<String>) -> Self {
        self.selector = Some(selector.into());
        self
    }

    /// Sets whether data is copied between host and device memory even where the two are one.
    #[must_use]
    pub fn staged(mut self, staged: bool) -> Self {
        self.staged = staged;
        self
    }

    /// Sets the most bytes of upload memory in use at a time: see [`staging_limit`](#structfield.staging_limit).
    #[must_use]
    pub fn staging_limit(mut self, bytes: u64) -> Self {
        self.staging_limit = Some(bytes);
        self
    }

    /// Sets when kernels are compiled once more for launches that are alike: see [`variants`](#structfield.variants).
    #[must_use]
    pub fn variants(mut self, variants: Variants) -> Self {
        self.variants = Some(variants);
        self
    }
}
