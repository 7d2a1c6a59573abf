//! Which devices there are, which one is meant, and why the others are not.

use std::fmt;
use std::sync::Arc;

use anywarp_backend::{Backend, BackendError, Caps, DeviceKind};

/// The variable that names the default device.
const VARIABLE: &str = "ANYWARP_DEVICE";

/// How a device is chosen and opened.
#[derive(Clone, Debug, Default)]
pub struct DeviceOptions {
    /// Which device, see [`Device::open`](crate::Device::open); without it `ANYWARP_DEVICE`, then
    /// the best one.
    pub selector: Option<String>,
    /// Copy between host and device memory even where the two are one: for comparing, and for
    /// testing what happens elsewhere.
    pub staged: bool,
}

/// A device that could be opened.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Opens just this device: backend and number.
    pub selector: String,
    /// What it is and can do.
    pub caps: Caps,
    #[cfg(feature = "wgpu")]
    source: anywarp_wgpu::Candidate,
}

/// A candidate that was not taken.
#[derive(Clone, Debug)]
pub struct Rejection {
    /// The candidate's selector.
    pub selector: String,
    /// Its name.
    pub name: String,
    /// Why not.
    pub reason: String,
}

/// No device could be opened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OpenError {
    /// What was asked for.
    pub wanted: Option<String>,
    /// Every candidate, with the reason why it was not taken.
    pub rejected: Vec<Rejection>,
}

impl std::error::Error for OpenError {}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.wanted {
            Some(wanted) => write!(f, "no device fits '{wanted}'")?,
            None => f.write_str("there is no device to open")?,
        }
        let backend = self.wanted.as_deref().and_then(|wanted| parse(wanted).backend);
        if let Some(backend) = backend.filter(|backend| !built_in(backend)) {
            write!(f, "\n  this build of anywarp has no backend '{backend}'")?;
        }
        for rejection in &self.rejected {
            write!(f, "\n  {} ({}): {}", rejection.selector, rejection.name, rejection.reason)?;
        }
        if self.rejected.is_empty() {
            f.write_str("\n  no driver was found. ")?;
            f.write_str(if cfg!(target_os = "linux") {
                "Install the driver of your GPU, or Mesa's software Vulkan: apt install mesa-vulkan-drivers libvulkan1"
            } else if cfg!(target_os = "windows") {
                "Install the driver of your GPU; DX12 needs Windows 10 or newer"
            } else if cfg!(target_arch = "wasm32") {
                "This browser has no WebGPU, or it is turned off"
            } else {
                "Install the driver of your GPU"
            })?;
            #[cfg(not(feature = "wgpu"))]
            f.write_str(" (this build has no backend: turn on the feature 'wgpu')")?;
        }
        Ok(())
    }
}

/// The devices of this machine, best first.
pub(super) fn candidates() -> Vec<Candidate> {
    #[cfg(feature = "wgpu")]
    return sorted(anywarp_wgpu::candidates());
    #[cfg(not(feature = "wgpu"))]
    Vec::new()
}

#[cfg(feature = "wgpu")]
fn sorted(found: Vec<anywarp_wgpu::Candidate>) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for source in found {
        let backend = source.caps.backend;
        let number = candidates.iter().filter(|other| other.caps.backend == backend).count();
        candidates.push(Candidate { selector: format!("{backend}:{number}"), caps: source.caps.clone(), source });
    }
    candidates.sort_by_key(|candidate| rank(&candidate.caps));
    candidates
}

/// The documented order of [`Device::open_default`](crate::Device::open_default).
#[cfg(feature = "wgpu")]
fn rank(caps: &Caps) -> (u8, u8) {
    let kind = match caps.kind {
        DeviceKind::Discrete => 0,
        DeviceKind::Integrated => 1,
        DeviceKind::Virtual => 2,
        DeviceKind::Other => 3,
        DeviceKind::Software => 4,
    };
    let backend = match caps.backend {
        "metal" => 0,
        "vulkan" => 1,
        "dx12" => 2,
        _ => 3,
    };
    (kind, backend)
}

/// Whether this build could open devices of `backend`, were there any.
fn built_in(backend: &str) -> bool {
    let through_wgpu = if cfg!(target_arch = "wasm32") { &["webgpu"][..] } else { &["vulkan", "metal", "dx12"] };
    cfg!(feature = "wgpu") && through_wgpu.contains(&backend)
}

/// A parsed selection string.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Selector {
    backend: Option<String>,
    number: Option<usize>,
    name: Option<String>,
}

const BACKENDS: &[&str] = &["vulkan", "metal", "dx12", "webgpu", "cuda", "cpu", "null"];

fn parse(text: &str) -> Selector {
    let lower = text.trim().to_lowercase();
    let (head, tail) = lower.split_once(':').map_or((lower.as_str(), None), |(head, tail)| (head, Some(tail)));
    if !BACKENDS.contains(&head) {
        return Selector { backend: None, number: None, name: Some(lower) };
    }
    let number = tail.and_then(|tail| tail.parse().ok());
    let name = tail.filter(|tail| number.is_none() && !tail.is_empty()).map(str::to_owned);
    Selector { backend: Some(head.to_owned()), number, name }
}

impl Selector {
    /// Why it does not mean the device at `selector`, or `None` if it does.
    fn rejects(&self, selector: &str, caps: &Caps) -> Option<String> {
        if let Some(backend) = self.backend.as_ref().filter(|backend| *backend != caps.backend) {
            return Some(format!("its backend is {}, not {backend}", caps.backend));
        }
        if let Some(number) = self.number {
            let exact = format!("{}:{number}", caps.backend);
            return (selector != exact).then(|| format!("it is {selector}, not {exact}"));
        }
        let name = self.name.as_ref()?;
        (!caps.name.to_lowercase().contains(name)).then(|| format!("'{name}' is not in its name"))
    }
}

fn wanted(options: &DeviceOptions) -> Option<String> {
    options.selector.clone().or_else(|| std::env::var(VARIABLE).ok()).filter(|text| !text.trim().is_empty())
}

type Opened = (String, Arc<dyn Backend>);

pub(super) fn open(options: &DeviceOptions) -> Result<Opened, OpenError> {
    choose(options, candidates(), |candidate| open_one(candidate, options))
}

#[cfg(feature = "wgpu")]
fn open_one(candidate: &Candidate, options: &DeviceOptions) -> Result<Arc<dyn Backend>, BackendError> {
    let backend = candidate.source.open(anywarp_wgpu::Options { staged: options.staged })?;
    Ok(backend)
}

#[cfg(not(feature = "wgpu"))]
fn open_one(_: &Candidate, _: &DeviceOptions) -> Result<Arc<dyn Backend>, BackendError> {
    Err(BackendError::Rejected { operation: "opening", message: "this build has no backend".to_owned() })
}

#[cfg(feature = "wgpu")]
pub(super) async fn open_async(options: &DeviceOptions) -> Result<Opened, OpenError> {
    let candidates = sorted(anywarp_wgpu::candidates_async().await);
    let wanted = wanted(options);
    let (fitting, mut rejected) = split(wanted.as_deref(), candidates);
    for candidate in fitting {
        match candidate.source.open_async(anywarp_wgpu::Options { staged: options.staged }).await {
            Ok(backend) => return Ok((candidate.selector, backend)),
            Err(error) => rejected.push(rejection(&candidate, error.to_string())),
        }
    }
    Err(OpenError { wanted, rejected })
}

#[cfg(not(feature = "wgpu"))]
pub(super) async fn open_async(options: &DeviceOptions) -> Result<Opened, OpenError> {
    open(options)
}

fn rejection(candidate: &Candidate, reason: String) -> Rejection {
    Rejection { selector: candidate.selector.clone(), name: candidate.caps.name.clone(), reason }
}

/// The candidates that `wanted` means, and the others with the reason why not.
fn split(wanted: Option<&str>, candidates: Vec<Candidate>) -> (Vec<Candidate>, Vec<Rejection>) {
    let selector = wanted.map(parse);
    let (mut fitting, mut rejected) = (Vec::new(), Vec::new());
    for candidate in candidates {
        match selector.as_ref().and_then(|selector| selector.rejects(&candidate.selector, &candidate.caps)) {
            Some(reason) => rejected.push(rejection(&candidate, reason)),
            None => fitting.push(candidate),
        }
    }
    (fitting, rejected)
}

fn choose(
    options: &DeviceOptions,
    candidates: Vec<Candidate>,
    open: impl Fn(&Candidate) -> Result<Arc<dyn Backend>, BackendError>,
) -> Result<Opened, OpenError> {
    let wanted = wanted(options);
    let (fitting, mut rejected) = split(wanted.as_deref(), candidates);
    for candidate in fitting {
        match open(&candidate) {
            Ok(backend) => return Ok((candidate.selector, backend)),
            Err(error) => rejected.push(rejection(&candidate, error.to_string())),
        }
    }
    Err(OpenError { wanted, rejected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selection_strings() {
        let selector = |backend: Option<&str>, number, name: Option<&str>| Selector {
            backend: backend.map(str::to_owned),
            number,
            name: name.map(str::to_owned),
        };
        assert_eq!(parse("vulkan"), selector(Some("vulkan"), None, None));
        assert_eq!(parse("Vulkan:1"), selector(Some("vulkan"), Some(1), None));
        assert_eq!(parse("vulkan:LLVMpipe"), selector(Some("vulkan"), None, Some("llvmpipe")));
        assert_eq!(parse("GeForce"), selector(None, None, Some("geforce")));
        assert_eq!(parse("amd:rx"), selector(None, None, Some("amd:rx")));
    }

    #[test]
    fn an_error_without_candidates_says_what_to_install() {
        let error = OpenError { wanted: None, rejected: Vec::new() }.to_string();
        assert!(error.contains("driver"), "{error}");
        let error = OpenError { wanted: Some("cuda:0".to_owned()), rejected: Vec::new() }.to_string();
        assert!(error.contains("has no backend 'cuda'"), "{error}");
    }
}
