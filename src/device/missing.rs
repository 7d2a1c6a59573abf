//! The reasons why a backend has no devices on this machine.

use anywarp_backend::BackendKind;

use super::select;
use crate::error::Rejection;

/// The backends that could have devices, with their full names.
#[cfg(not(target_arch = "wasm32"))]
const BACKENDS: [(BackendKind, &str); 5] = [
    (BackendKind::Vulkan, "Vulkan"),
    (BackendKind::Metal, "Metal"),
    (BackendKind::Dx12, "DirectX 12"),
    (BackendKind::Cuda, "NVIDIA CUDA"),
    (BackendKind::Cpu, "the processor"),
];
#[cfg(target_arch = "wasm32")]
const BACKENDS: [(BackendKind, &str); 1] = [(BackendKind::WebGpu, "WebGPU")];

/// Returns the backends that are not among `found`, each with the reason why it has no device.
pub(super) fn missing(found: &[BackendKind]) -> Vec<Rejection> {
    let absent = BACKENDS.into_iter().filter(|(backend, _)| !found.contains(backend));
    absent.map(|(backend, name)| Rejection::new(backend.to_string(), name.to_owned(), reason(backend))).collect()
}

/// Returns the line of an error for a `backend` without devices: the reason and the remedy. `None` for a backend that
/// is not in [`BACKENDS`].
pub(super) fn of(backend: BackendKind) -> Option<String> {
    let known = BACKENDS.iter().any(|(known, _)| *known == backend);
    known.then(|| format!("there is no {backend} device: {}", reason(backend)))
}

/// The reason why `backend` has no device, and the remedy.
fn reason(backend: BackendKind) -> String {
    let apple = cfg!(target_vendor = "apple");
    let feature = match backend {
        BackendKind::Metal if !apple => return "it exists on Apple systems only".to_owned(),
        BackendKind::Dx12 if !cfg!(windows) => return "it exists on Windows only".to_owned(),
        BackendKind::Vulkan if apple => return "Apple systems have Metal instead; use that".to_owned(),
        BackendKind::Cuda if apple => return "there is no NVIDIA driver for Apple systems".to_owned(),
        BackendKind::Cuda => "cuda",
        BackendKind::Cpu => "cpu",
        _ => "wgpu",
    };
    if !select::built_in(backend) {
        return format!("this build of anywarp lacks the feature '{feature}'; enable it in the build");
    }
    match backend {
        BackendKind::Cuda => select::cuda_absence().unwrap_or_else(|| "no device was found".to_owned()),
        BackendKind::Cpu => {
            "kernels cannot be compiled for this processor architecture; use another backend".to_owned()
        }
        _ => format!("no driver was found; {}", select::INSTALL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_without_a_device_has_a_reason() {
        let found = [BackendKind::Vulkan, BackendKind::Cpu];
        let selectors: Vec<String> = missing(&found).into_iter().map(|rejection| rejection.selector).collect();
        assert_eq!(selectors, ["metal", "dx12", "cuda"]);
        for Rejection { selector, reason, .. } in missing(&[]) {
            assert!(reason.len() > 10, "{selector}: {reason}");
        }
        let of = |backend| missing(&[]).into_iter().find(|rejection| rejection.selector == backend);
        if !cfg!(feature = "cuda") && !cfg!(target_vendor = "apple") {
            assert!(of("cuda").is_some_and(|rejection| rejection.reason.contains("the feature 'cuda'")));
        }
        if cfg!(target_os = "linux") {
            assert_eq!(
                of("metal").map(|rejection| rejection.reason).as_deref(),
                Some("it exists on Apple systems only")
            );
        }
    }
}
