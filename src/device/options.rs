//! The choice of a device, and options for opening it.

use crate::kernel::Variants;

/// The choice of a device, and options for opening it.
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
    /// The selection string, see [`Device::open`](crate::Device::open). Without it, `ANYWARP_DEVICE` is used, and if
    /// that is not set, the best device.
    pub selector: Option<String>,
    /// Whether data is copied between host and device memory even if host and device share their memory: for
    /// comparisons and tests.
    pub staged: bool,
    /// The greatest number of bytes of upload memory in use, on a device with non-unified memory: the memory of
    /// [`WriteGuard`](crate::WriteGuard)s and of running copies. The default is 1 GiB, the minimum 4 KiB. A write
    /// beyond the limit waits for running copies. A guard that needs more than the whole limit, or more than other
    /// guards leave, uses ordinary memory, which costs one more copy; [`DeviceStats::staging_bypassed`] counts these
    /// guards. If guards hold all of the limit, a copy in chunks exceeds it by the chunks that are being written: one
    /// of 4 MiB, or a few of 8 MiB where the limit is 128 MiB or more. Guards of up to 1 KiB always use ordinary memory
    /// until they are uploaded together.
    ///
    /// Reads are not limited. A buffer keeps its host copy, of the size of the range that was read last, until the
    /// buffer is dropped. For example, 200 buffers of 1 MiB that were all read hold 200 MiB;
    /// [`DeviceStats::staging_bytes`] includes them. [`Slice::copy_to_slice`](crate::Slice::copy_to_slice) of more than
    /// 2 MiB keeps no copy.
    ///
    /// [`DeviceStats::staging_bytes`]: crate::DeviceStats::staging_bytes
    /// [`DeviceStats::staging_bypassed`]: crate::DeviceStats::staging_bypassed
    pub staging_limit: Option<u64>,
    /// When kernels are specialised for repeated similar launches. A variant of a kernel is compiled with the integers
    /// of its uniforms and immediates, the lengths of its buffers and its grid as constants, so it needs fewer checks
    /// and branches. A variant runs only launches for which every constant matches; floats are never made constants. A
    /// kernel has at most 8 variants, compiled one at a time, and only where they remove work;
    /// [`VariantStats`](crate::VariantStats) counts them. A launch in a recording keeps the variant with which it was
    /// recorded.
    ///
    /// Launches that differ in these values may share a variant of a second kind: it has no constants, but fewer checks
    /// than the kernel, and runs only launches that meet its conditions, such as `params.n <= arrayLength(&x)`. A
    /// kernel has at most 4 variants of this kind, and 4 more for grids above the device's limit on workgroups.
    ///
    /// If this is `None`, `ANYWARP_VARIANTS` decides (`in-background`, `at-once`, `at-once-by-conditions` or `never`), and
    /// if that is not set, the default is [`Variants::InBackground`]. In a browser there are no variants.
    pub variants: Option<Variants>,
    /// The number of threads on which the processor runs kernels, copies and matrix products: for programs that share it
    /// with other work. More than there are cores are as many as there are cores, which is also the default. With 1, all
    /// work of the device runs in the thread that submits it, which therefore returns when the work is done; no ring has
    /// resident actors. Other threads may still compile [`variants`](#structfield.variants) of kernels, and help to copy
    /// large slices into buffers and out of them.
    ///
    /// A device is not opened with 0 threads, and no GPU is opened with this option.
    pub threads: Option<u32>,
}

impl DeviceOptions {
    /// Sets the selection string: see [`Device::open`](crate::Device::open).
    #[must_use]
    pub fn selector(mut self, selector: impl Into<String>) -> Self {
        self.selector = Some(selector.into());
        self
    }

    /// Sets whether data is copied between host and device memory even if host and device share their memory.
    #[must_use]
    pub fn staged(mut self, staged: bool) -> Self {
        self.staged = staged;
        self
    }

    /// Sets the greatest number of bytes of upload memory in use: see [`staging_limit`](#structfield.staging_limit).
    #[must_use]
    pub fn staging_limit(mut self, bytes: u64) -> Self {
        self.staging_limit = Some(bytes);
        self
    }

    /// Sets the number of threads on which the processor runs kernels: see [`threads`](#structfield.threads).
    ///
    /// ```
    /// # #[cfg(feature = "cpu")] {
    /// use anywarp::{Device, DeviceOptions};
    ///
    /// let options = DeviceOptions::default().selector("cpu");
    /// assert_eq!(Device::open_with(&options.clone().threads(1)).unwrap().caps().multiprocessors, Some(1));
    /// let error = Device::open_with(&options.threads(0)).unwrap_err();
    /// assert!(error.to_string().contains("the option `threads` is 0"));
    /// # }
    /// ```
    #[must_use]
    pub fn threads(mut self, threads: u32) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets when kernels are specialised for repeated similar launches: see [`variants`](#structfield.variants).
    #[must_use]
    pub fn variants(mut self, variants: Variants) -> Self {
        self.variants = Some(variants);
        self
    }
}
