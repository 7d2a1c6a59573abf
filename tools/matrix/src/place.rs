//! The places that anywarp claims, and how each is tested.

use std::path::Path;

use crate::outcome::Outcome;
use crate::{browser, emulated, native, wine};

/// A kind of device with one implementation.
pub(crate) struct Place {
    /// The name for `matrix run`.
    pub(crate) name: &'static str,
    /// The title in the table of places.
    pub(crate) title: &'static str,
    /// The first part of the names of its tests: `vulkan` has `vulkan::`, `vulkan-staged::`, `vulkan0::`.
    pub(crate) device: &'static str,
    /// The way of testing, for the table of places.
    pub(crate) how: &'static str,
    /// Runs the suite there; `None` if that needs a special machine.
    pub(crate) run: Option<fn(&Path, &Place) -> Outcome>,
}

/// All places, in the order of the table of places.
pub(crate) const PLACES: &[Place] = &[
    Place {
        name: "cpu",
        title: "The processor, x86-64 Linux",
        device: "cpu",
        how: "in CI",
        run: Some(native::processor),
    },
    Place {
        name: "vulkan-lavapipe",
        title: "Vulkan, Mesa lavapipe (software)",
        device: "vulkan",
        how: "in CI",
        run: Some(native::lavapipe),
    },
    Place {
        name: "vulkan-swiftshader",
        title: "Vulkan, SwiftShader (software, low limits)",
        device: "vulkan",
        how: "in CI",
        run: Some(native::swiftshader),
    },
    Place {
        name: "dx12",
        title: "DX12, Windows build under Wine",
        device: "dx12",
        how: "in CI; Wine's Direct3D on lavapipe",
        run: Some(wine::direct3d),
    },
    Place {
        name: "webgpu",
        title: "WebGPU, headless Chromium",
        device: "webgpu",
        how: "in CI; the adapter is SwiftShader",
        run: Some(browser::chromium),
    },
    Place {
        name: "vulkan-nvidia",
        title: "Vulkan, NVIDIA",
        device: "vulkan",
        how: "by hand: [results](results)",
        run: None,
    },
    Place { name: "cuda", title: "CUDA, NVIDIA", device: "cuda", how: "by hand: [results](results)", run: None },
    Place {
        name: "metal",
        title: "Metal, Apple Silicon",
        device: "metal",
        how: "type-checked, and its kernels translated, in CI; `cargo test` on a Mac: [platforms.md](platforms.md)",
        run: None,
    },
    Place {
        name: "dx12-windows",
        title: "DX12, Windows",
        device: "dx12",
        how: "`cargo test` there: [platforms.md](platforms.md)",
        run: None,
    },
    Place {
        name: "cpu-windows",
        title: "The processor, Windows build under Wine",
        device: "cpu",
        how: "`.ci/run windows`",
        run: Some(wine::processor),
    },
    Place {
        name: "cpu-aarch64",
        title: "The processor, aarch64 Linux, emulated",
        device: "cpu",
        how: "`.ci/run aarch64`; QEMU, in the memory order of x86-64",
        run: Some(emulated::aarch64),
    },
];

/// The place of this name.
pub(crate) fn named(name: &str) -> Result<&'static Place, String> {
    PLACES.iter().find(|place| place.name == name).ok_or_else(|| {
        let names: Vec<&str> = PLACES.iter().map(|place| place.name).collect();
        format!("unknown place '{name}'; expected one of {}", names.join(", "))
    })
}

impl Place {
    /// Whether a test of this name, `vulkan-staged::buffer::round_trip`, ran on the place's device.
    pub(crate) fn owns(&self, test: &str) -> bool {
        let Some((device, _)) = test.split_once("::") else { return false };
        let Some(rest) = device.strip_prefix(self.device) else { return false };
        let number = rest.strip_suffix("-staged").unwrap_or(rest);
        number.chars().all(|digit| digit.is_ascii_digit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_belong_to_devices() {
        let vulkan = named("vulkan-lavapipe").expect("a place");
        for (test, wanted) in [
            ("vulkan::buffer::fill", true),
            ("vulkan-staged::buffer::fill", true),
            ("vulkan1::buffer::fill", true),
            ("vulkan1-staged::buffer::fill", true),
            ("vulkanish::buffer::fill", false),
            ("cpu::buffer::vulkan", false),
            ("vulkan", false),
        ] {
            assert_eq!(vulkan.owns(test), wanted, "{test}");
        }
    }

    #[test]
    fn unknown_places_are_said_with_the_known_ones() {
        let Err(message) = named("directx") else { panic!("found 'directx'") };
        assert!(message.contains("'directx'") && message.contains("dx12, webgpu"), "{message}");
    }
}
