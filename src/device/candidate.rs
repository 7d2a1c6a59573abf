//! Devices that are not open yet, and how they are opened.

use std::sync::Arc;

use anywarp_backend::{Backend, BackendError, Caps, Mode};

use super::Device;
use super::options::DeviceOptions;
use crate::error::{OpenError, Rejection};

/// A device of this machine that is not open yet: see [`Device::enumerate`].
///
/// ```
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::backend::DeviceKind;
///
/// let candidates = anywarp::Device::enumerate();
/// if let Some(software) = candidates.iter().find(|candidate| candidate.caps.kind == DeviceKind::Software) {
///     let device = software.open()?;
///     assert_eq!(device.selector(), software.selector);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Candidate {
    /// The selection string of exactly this device: backend and number.
    pub selector: String,
    /// The identity and capabilities of the device.
    pub caps: Caps,
    pub(super) source: Source,
}

impl Candidate {
    /// Opens this device.
    ///
    /// # Errors
    /// [`OpenError`] with the candidate and the reason why it could not be opened.
    pub fn open(&self) -> Result<Device, OpenError> {
        self.open_with(&DeviceOptions::default())
    }

    /// Opens this device according to `options`. The selector of `options` is ignored.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::{Device, DeviceOptions};
    ///
    /// for candidate in Device::enumerate() {
    ///     let device = candidate.open_with(&DeviceOptions::default().staged(true))?;
    ///     assert!(!device.caps().unified);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(&self, options: &DeviceOptions) -> Result<Device, OpenError> {
        let opened = self.source.open(options, Mode::Plain);
        self.device(opened, options)
    }

    /// [`open`](Self::open) without blocking. A browser supports only this method, and can open a candidate only once.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_async(&self) -> Result<Device, OpenError> {
        self.open_with_async(&DeviceOptions::default()).await
    }

    /// [`open_with`](Self::open_with) without blocking. A browser supports only this method, and can open a candidate
    /// only once.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_with_async(&self, options: &DeviceOptions) -> Result<Device, OpenError> {
        let opened = self.source.open_async(options, Mode::Plain).await;
        self.device(opened, options)
    }

    fn device(
        &self,
        opened: Result<Arc<dyn Backend>, BackendError>,
        options: &DeviceOptions,
    ) -> Result<Device, OpenError> {
        match opened {
            Ok(backend) => Ok(Device::with(backend, self.selector.clone(), options.clone())),
            Err(error) => {
                let rejected = vec![self.rejection(error.to_string())];
                Err(OpenError::new(Some(self.selector.clone()), rejected, Vec::new()))
            }
        }
    }

    /// The reason why the selection string `selector` does not match this device, or `None` if it matches.
    ///
    /// ```
    /// for candidate in anywarp::Device::enumerate() {
    ///     assert_eq!(candidate.excluded_by(&candidate.selector), None);
    ///     assert!(candidate.excluded_by("no such device").is_some());
    /// }
    /// ```
    #[must_use]
    pub fn excluded_by(&self, selector: &str) -> Option<String> {
        super::select::excluded(selector, self)
    }

    pub(super) fn rejection(&self, reason: String) -> Rejection {
        Rejection::new(self.selector.clone(), self.caps.name.clone(), reason)
    }
}

/// The backend through which a candidate is opened, with the backend's own description of the candidate.
#[derive(Clone, Debug)]
pub(super) enum Source {
    #[cfg(feature = "wgpu")]
    Wgpu(Box<anywarp_wgpu::Candidate>),
    #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    Cpu,
    #[cfg(all(feature = "cuda", not(target_arch = "wasm32")))]
    Cuda(Box<anywarp_cuda::Candidate>),
    #[cfg(test)]
    None,
}

// In a build without some of the backends, arguments may be unused.
#[cfg_attr(any(target_arch = "wasm32", not(all(feature = "wgpu", feature = "cpu"))), allow(unused_variables))]
impl Source {
    pub(super) fn open(&self, options: &DeviceOptions, mode: Mode) -> Result<Arc<dyn Backend>, BackendError> {
        self.allows(options)?;
        let DeviceOptions { staged, threads, .. } = *options;
        match *self {
            #[cfg(feature = "wgpu")]
            Self::Wgpu(ref source) => Ok(source.open(anywarp_wgpu::Options { staged, ..Default::default() })?),
            #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
            Self::Cpu => Ok(anywarp_cpu::open(anywarp_cpu::Options { mode, staged, threads, ..Default::default() })?),
            #[cfg(all(feature = "cuda", not(target_arch = "wasm32")))]
            Self::Cuda(ref source) => Ok(source.open(anywarp_cuda::Options { staged, ..Default::default() })?),
            #[cfg(test)]
            Self::None => Err(BackendError::CannotBlock),
        }
    }

    pub(super) async fn open_async(
        &self,
        options: &DeviceOptions,
        mode: Mode,
    ) -> Result<Arc<dyn Backend>, BackendError> {
        self.allows(options)?;
        let staged = options.staged;
        match *self {
            #[cfg(feature = "wgpu")]
            Self::Wgpu(ref source) => {
                Ok(source.open_async(anywarp_wgpu::Options { staged, ..Default::default() }).await?)
            }
            #[allow(unreachable_patterns)] // in a build with wgpu as its only backend
            _ => self.open(options, mode),
        }
    }

    /// Checks that the options are those of the source's backend.
    fn allows(&self, options: &DeviceOptions) -> Result<(), BackendError> {
        #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
        if matches!(self, Self::Cpu) {
            return Ok(());
        }
        match options.threads {
            Some(_) => Err(BackendError::rejected(
                "opening the device",
                "the option `threads` is for the processor only; leave it out, or select `cpu`",
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_that_cannot_be_opened_is_named_with_the_reason() {
        let caps = Caps::new(anywarp_backend::BackendKind::Null, "nothing");
        let candidate = Candidate { selector: "null:0".to_owned(), caps, source: Source::None };
        let Err(error) = candidate.open() else { panic!("it was opened") };
        let text = error.to_string();
        assert!(text.starts_with("no device matches 'null:0'\n  null:0 (nothing): blocking is not"), "{text}");
    }

    #[test]
    #[cfg(feature = "cpu")]
    fn a_candidate_opens_the_device_that_it_describes() {
        let candidates = Device::enumerate();
        let candidate = candidates.iter().find(|candidate| candidate.selector == "cpu:0").expect("the processor");
        let options = DeviceOptions::default().selector("no such device").staged(true);
        for device in [candidate.open_with(&options), pollster::block_on(candidate.open_with_async(&options))] {
            let device = device.expect("the processor opens");
            assert_eq!((device.selector(), device.caps().unified), ("cpu:0", false));
            assert_eq!(device.reopen().expect("it opens again").selector(), "cpu:0");
        }
        assert!(candidate.open().expect("the processor opens").caps().unified);
        assert!(pollster::block_on(candidate.open_async()).is_ok());
    }

    #[test]
    fn threads_are_an_option_of_the_processor() {
        let caps = Caps::new(anywarp_backend::BackendKind::Null, "nothing");
        let candidate = Candidate { selector: "null:0".to_owned(), caps, source: Source::None };
        let Err(error) = candidate.open_with(&DeviceOptions::default().threads(2)) else { panic!("it was opened") };
        let text = error.to_string();
        assert!(text.contains("the option `threads` is for the processor only"), "{text}");
    }
}
