//! A sample of the cases within the limits of weak devices: those of WebGPU, of phones, and the lowest of all.
//!
//! The results are right there, or an error names the limit that is too low. The cases of Vulkan run
//! only if the filter begins with `vulkan-`, and `--include-ignored` runs all cases instead of the sample.

use std::sync::{Arc, OnceLock};

use anywarp::Device;
use anywarp::backend::Caps;
use anywarp::backend::contract::Backend;
use anywarp_testing_devices::limited::{as_least, as_phone, as_webgpu, limited};
use anywarp_testing_devices::outcome::{Stop, TestResult};
use anywarp_testing_devices::trial::alone;
use libtest_mimic::{Arguments, Trial};

use crate::Case;

/// One in so many cases of each group runs.
const SHARE: usize = 12;
/// Cases that take long, whose operators other cases of the sample cover.
const LONG: [&str; 4] = ["sort::orders", "fft::lengths", "matmul::f16::strides_of_wide_products", "tuning::background"];

/// A device with lower limits, opened when its first case runs.
struct Profile {
    /// The first part of the names of its cases.
    name: &'static str,
    open: fn() -> Result<Arc<dyn Backend>, String>,
    change: fn(&mut Caps),
    device: OnceLock<Result<Device, String>>,
}

impl Profile {
    fn run(&self, case: fn(&Device) -> TestResult) -> TestResult {
        let opened = self.device.get_or_init(|| (self.open)().map(|backend| limited(backend, self.change)));
        let device = opened.as_ref().map_err(|reason| Stop::Skip(reason.clone()))?;
        match case(device) {
            Err(Stop::Fail(text)) if names_limit(&text) => Err(Stop::Skip(text)),
            other => other,
        }
    }
}

/// The cases for each profile.
pub(crate) fn trials(arguments: &Arguments, groups: &[fn() -> Vec<Case>]) -> Vec<Trial> {
    let whole = arguments.include_ignored;
    let named = arguments.filter.as_deref().is_some_and(|filter| filter.starts_with("vulkan-"));
    let profile = |name, open: fn() -> _, change: fn(&mut Caps)| {
        Arc::new(Profile { name, open, change, device: OnceLock::new() })
    };
    let profiles = [
        profile("cpu-least", processor, as_least),
        profile("vulkan-phone", vulkan, as_phone),
        profile("vulkan-webgpu", vulkan, as_webgpu),
    ];
    let mut trials = Vec::new();
    for profile in profiles.iter().filter(|profile| named || profile.name.starts_with("cpu")) {
        for group in groups {
            // The first cases of a group are those of its usual calls.
            let share = if whole { 1 } else { SHARE };
            let taken = group().into_iter().step_by(share);
            for (name, case) in taken.filter(|(name, _)| whole || !LONG.contains(&name.as_str())) {
                let profile = Arc::clone(profile);
                trials.push(alone(format!("{}::{name}", profile.name), move || profile.run(case)));
            }
        }
    }
    trials
}

/// Whether an error names a limit of the device.
fn names_limit(error: &str) -> bool {
    [" allows ", "the limit is ", "the device's limit"].iter().any(|words| error.contains(words))
}

#[cfg(feature = "cpu")]
fn processor() -> Result<Arc<dyn Backend>, String> {
    let opened = anywarp_cpu::open(anywarp_cpu::Options::default()).map_err(|error| error.to_string())?;
    Ok(opened)
}

#[cfg(not(feature = "cpu"))]
fn processor() -> Result<Arc<dyn Backend>, String> {
    Err("built without the processor's backend".to_owned())
}

fn vulkan() -> Result<Arc<dyn Backend>, String> {
    let candidates = anywarp_wgpu::candidates();
    let candidate = candidates.iter().find(|candidate| candidate.caps.backend == anywarp::backend::BackendKind::Vulkan);
    let candidate = candidate.ok_or("there is no Vulkan device")?;
    let opened = candidate.open(anywarp_wgpu::Options::default()).map_err(|error| error.to_string())?;
    Ok(opened)
}
