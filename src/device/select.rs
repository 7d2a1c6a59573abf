//! The devices of this machine, and their selection by a string.

use std::sync::Arc;

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{Backend, BackendKind, Caps, DeviceKind, Mode};

use super::candidate::{Candidate, Source};
use super::missing;
use super::options::DeviceOptions;
use crate::environment;
use crate::error::{OpenError, Rejection};

/// The devices of this machine, best first.
pub(super) fn candidates() -> Vec<Candidate> {
    candidates_of(None)
}

/// The devices of the backend `only`, or of all backends if it is `None`. If a backend is given, drivers of other
/// backends are not loaded.
fn candidates_of(only: Option<BackendKind>) -> Vec<Candidate> {
    #[cfg(feature = "wgpu")]
    let found = is_through_wgpu(only).then(anywarp_wgpu::candidates).into_iter().flatten().map(through_wgpu);
    #[cfg(not(feature = "wgpu"))]
    let found = std::iter::empty();
    with_other_backends(found, only)
}

/// The WGSL features of each device of this machine.
pub(super) fn features() -> Vec<(String, Capabilities)> {
    candidates().into_iter().map(|candidate| (candidate.selector, candidate.caps.shader)).collect()
}

/// [`candidates`] without blocking.
pub(super) async fn candidates_async() -> Vec<Candidate> {
    candidates_of_async(None).await
}

async fn candidates_of_async(only: Option<BackendKind>) -> Vec<Candidate> {
    #[cfg(feature = "wgpu")]
    let found = if is_through_wgpu(only) { anywarp_wgpu::candidates_async().await } else { Vec::new() };
    #[cfg(feature = "wgpu")]
    let found = found.into_iter().map(through_wgpu);
    #[cfg(not(feature = "wgpu"))]
    let found = std::iter::empty();
    with_other_backends(found, only)
}

/// The devices `found` by wgpu and those of the other backends, best first. If a backend is given by `only`, just its
/// devices are added.
fn with_other_backends(found: impl Iterator<Item = (Caps, Source)>, only: Option<BackendKind>) -> Vec<Candidate> {
    let wanted = |backend| only.is_none_or(|only| only == backend);
    let cuda = wanted(BackendKind::Cuda).then(cuda).into_iter().flatten();
    let processor = wanted(BackendKind::Cpu).then(processor).flatten();
    sorted(found.chain(cuda).chain(processor))
}

/// Whether wgpu may provide devices of the backend `only`, or of any backend if it is `None`.
#[cfg(feature = "wgpu")]
fn is_through_wgpu(only: Option<BackendKind>) -> bool {
    !matches!(only, Some(BackendKind::Cpu | BackendKind::Cuda | BackendKind::Null))
}

/// The backend that a selection string names.
fn backend_of(wanted: Option<&str>) -> Option<BackendKind> {
    wanted.and_then(|wanted| parse(wanted).backend)
}

#[cfg(feature = "wgpu")]
fn through_wgpu(candidate: anywarp_wgpu::Candidate) -> (Caps, Source) {
    (candidate.caps.clone(), Source::Wgpu(Box::new(candidate)))
}

#[cfg(all(feature = "cuda", not(target_arch = "wasm32")))]
fn cuda() -> impl Iterator<Item = (Caps, Source)> {
    anywarp_cuda::candidates().into_iter().map(|candidate| (candidate.caps.clone(), Source::Cuda(Box::new(candidate))))
}

#[cfg(not(all(feature = "cuda", not(target_arch = "wasm32"))))]
fn cuda() -> impl Iterator<Item = (Caps, Source)> {
    std::iter::empty()
}

/// A line for an error: the reason why there is no CUDA device. `None` if there is one, or if the selection string
/// `wanted` names another backend.
fn without_cuda(wanted: Option<&str>) -> Option<Rejection> {
    let backend = backend_of(wanted);
    if backend.is_some_and(|backend| backend != BackendKind::Cuda) {
        return None;
    }
    cuda_absence().map(|reason| Rejection::new("cuda".to_owned(), "NVIDIA CUDA".to_owned(), reason))
}

/// The reason why there is no CUDA device. `None` if there is one, or if this build does not support CUDA.
pub(super) fn cuda_absence() -> Option<String> {
    #[cfg(all(feature = "cuda", not(target_arch = "wasm32")))]
    return anywarp_cuda::absence();
    #[cfg(not(all(feature = "cuda", not(target_arch = "wasm32"))))]
    None
}

fn processor() -> Option<(Caps, Source)> {
    #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    return anywarp_cpu::caps().map(|caps| (caps, Source::Cpu));
    #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    None
}

/// Numbers the devices of each backend in the given order, then sorts all devices.
fn sorted(found: impl Iterator<Item = (Caps, Source)>) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for (caps, source) in found {
        let number = candidates.iter().filter(|other| other.caps.backend == caps.backend).count();
        candidates.push(Candidate { selector: format!("{}:{number}", caps.backend), caps, source });
    }
    candidates.sort_by_key(|candidate| rank(candidate.caps.kind, candidate.caps.backend));
    candidates
}

/// The position of a device in the order that [`Device::open_default`](crate::Device::open_default) documents: the best
/// device has the smallest position.
fn rank(kind: DeviceKind, backend: BackendKind) -> (u8, u8) {
    let kind = match kind {
        DeviceKind::Discrete => 0,
        DeviceKind::Integrated => 1,
        DeviceKind::Virtual => 2,
        DeviceKind::Other => 3,
        DeviceKind::Software => 4,
    };
    let backend = match backend {
        BackendKind::Cpu | BackendKind::Cuda => 0,
        BackendKind::Metal => 1,
        BackendKind::Vulkan => 2,
        BackendKind::Dx12 => 3,
        _ => 4,
    };
    (kind, backend)
}

/// Whether this build supports devices of `backend`.
pub(super) fn built_in(backend: BackendKind) -> bool {
    let browser = cfg!(target_arch = "wasm32");
    match backend {
        BackendKind::Vulkan | BackendKind::Metal | BackendKind::Dx12 => cfg!(feature = "wgpu") && !browser,
        BackendKind::WebGpu => cfg!(feature = "wgpu") && browser,
        BackendKind::Cpu => cfg!(feature = "cpu") && !browser,
        BackendKind::Cuda => cfg!(feature = "cuda") && !browser,
        _ => false,
    }
}

/// A parsed selection string.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Selector {
    backend: Option<BackendKind>,
    number: Option<usize>,
    name: Option<String>,
    /// The work of the CPU beside running kernels (`cpu:checked`, `cpu:observed`).
    mode: Mode,
}

fn parse(text: &str) -> Selector {
    let lower = text.trim().to_lowercase();
    let (head, tail) = lower.split_once(':').map_or((lower.as_str(), None), |(head, tail)| (head, Some(tail)));
    let Ok(backend) = head.parse() else {
        return Selector { backend: None, number: None, name: Some(lower), mode: Mode::Plain };
    };
    let is_named = |mode: &Mode| backend == BackendKind::Cpu && tail == mode.suffix();
    if let Some(mode) = [Mode::Checked, Mode::Observed].into_iter().find(is_named) {
        return Selector { backend: Some(backend), number: None, name: None, mode };
    }
    let number = tail.and_then(|tail| tail.parse().ok());
    let name = tail.filter(|tail| number.is_none() && !tail.is_empty()).map(str::to_owned);
    Selector { backend: Some(backend), number, name, mode: Mode::Plain }
}

impl Selector {
    /// The reason why this selection string does not match the device whose own selection string is `selector`, or
    /// `None` if it matches.
    fn rejects(&self, selector: &str, caps: &Caps) -> Option<String> {
        if let Some(backend) = self.backend.filter(|backend| *backend != caps.backend) {
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
    options.selector.clone().or_else(environment::device).filter(|text| !text.trim().is_empty())
}

/// The remedy for a missing driver.
pub(super) const INSTALL: &str = if cfg!(target_os = "linux") {
    "install the driver of your GPU, or Mesa's software Vulkan: apt install mesa-vulkan-drivers libvulkan1"
} else if cfg!(target_os = "windows") {
    "install the driver of your GPU; DX12 needs Windows 10 or newer"
} else if cfg!(target_arch = "wasm32") {
    "this browser has no WebGPU, or it is disabled; in a browser, only `Device::open_async` finds devices"
} else {
    "install the driver of your GPU"
};

/// The error if no device could be opened, with advice. `some_fitted` is true if devices matched, but could not be
/// opened.
fn no_device(wanted: Option<String>, rejected: Vec<Rejection>, some_fitted: bool) -> OpenError {
    let backend = wanted.as_deref().and_then(|wanted| parse(wanted).backend);
    let of = |backend: BackendKind| {
        rejected.iter().any(|rejection| rejection.selector.split(':').next() == Some(backend.name()))
    };
    let absent = backend.filter(|backend| !of(*backend));
    let mut advice: Vec<String> = absent.and_then(missing::of).into_iter().collect();
    let here: Vec<&str> = rejected
        .iter()
        .map(|rejection| rejection.selector.as_str())
        .filter(|selector| selector.contains(':'))
        .collect();
    if wanted.is_some() && !some_fitted && !here.is_empty() {
        advice.push(format!(
            "expected a backend (vulkan), one of its devices (vulkan:0) or a part of a device's name; choose one of {}",
            here.join(", ")
        ));
    }
    if rejected.is_empty() {
        advice.push(format!("no driver was found; {INSTALL}"));
        if !cfg!(any(feature = "wgpu", feature = "cpu", feature = "cuda")) {
            advice.push("this build has no backend; enable the feature 'wgpu', 'cpu' or 'cuda'".to_owned());
        }
    }
    OpenError::new(wanted, rejected, advice)
}

type Opened = (String, Arc<dyn Backend>);

pub(super) fn open(options: &DeviceOptions) -> Result<Opened, OpenError> {
    let wanted = wanted(options);
    let mode = mode_of(wanted.as_deref());
    let only = backend_of(wanted.as_deref());
    let (fitting, mut rejected) = split(wanted.as_deref(), candidates_of(only));
    let some_fitted = !fitting.is_empty();
    for candidate in fitting {
        match candidate.source.open(options, mode) {
            Ok(backend) => return Ok((opened_as(candidate, mode), backend)),
            Err(error) => rejected.push(candidate.rejection(error.to_string())),
        }
    }
    if only.is_some() {
        rejected = in_order(rejected, wanted.as_deref(), candidates());
    }
    rejected.extend(without_cuda(wanted.as_deref()));
    Err(no_device(wanted, rejected, some_fitted))
}

/// Returns the `known` rejections and those of all other candidates, in the order of `candidates`, for an error.
fn in_order(known: Vec<Rejection>, wanted: Option<&str>, candidates: Vec<Candidate>) -> Vec<Rejection> {
    let order: Vec<String> = candidates.iter().map(|candidate| candidate.selector.clone()).collect();
    let is_new = |other: &Rejection| known.iter().all(|one| one.selector != other.selector);
    let others: Vec<Rejection> = split(wanted, candidates).1.into_iter().filter(is_new).collect();
    let mut all: Vec<Rejection> = known.into_iter().chain(others).collect();
    all.sort_by_key(|rejection| order.iter().position(|selector| *selector == rejection.selector));
    all
}

pub(super) async fn open_async(options: &DeviceOptions) -> Result<Opened, OpenError> {
    let wanted = wanted(options);
    let mode = mode_of(wanted.as_deref());
    let only = backend_of(wanted.as_deref());
    let (fitting, mut rejected) = split(wanted.as_deref(), candidates_of_async(only).await);
    let some_fitted = !fitting.is_empty();
    for candidate in fitting {
        match candidate.source.open_async(options, mode).await {
            Ok(backend) => return Ok((opened_as(candidate, mode), backend)),
            Err(error) => rejected.push(candidate.rejection(error.to_string())),
        }
    }
    if only.is_some() {
        rejected = in_order(rejected, wanted.as_deref(), candidates_async().await);
    }
    rejected.extend(without_cuda(wanted.as_deref()));
    Err(no_device(wanted, rejected, some_fitted))
}

fn mode_of(wanted: Option<&str>) -> Mode {
    wanted.map_or(Mode::Plain, |wanted| parse(wanted).mode)
}

/// The selection string that opens the same device again.
fn opened_as(candidate: Candidate, mode: Mode) -> String {
    mode.suffix().map_or(candidate.selector, |suffix| format!("cpu:{suffix}"))
}

/// The reason why `wanted` does not match `candidate`.
pub(super) fn excluded(wanted: &str, candidate: &Candidate) -> Option<String> {
    parse(wanted).rejects(&candidate.selector, &candidate.caps)
}

/// Splits the candidates into those that match `wanted`, and rejections of the others with the reason.
fn split(wanted: Option<&str>, candidates: Vec<Candidate>) -> (Vec<Candidate>, Vec<Rejection>) {
    let selector = wanted.map(parse);
    let (mut fitting, mut rejected) = (Vec::new(), Vec::new());
    for candidate in candidates {
        match selector.as_ref().and_then(|selector| selector.rejects(&candidate.selector, &candidate.caps)) {
            Some(reason) => rejected.push(candidate.rejection(reason)),
            None => fitting.push(candidate),
        }
    }
    (fitting, rejected)
}

#[cfg(test)]
mod tests;
