//! The devices that the suite runs on, found at run time.

use std::sync::{Arc, OnceLock};

use anywarp::backend::Caps;
use anywarp::{Candidate, Device, DeviceOptions};

use crate::outcome::{Stop, TestResult, fail};

/// The environment variable that names the required backends, separated by commas.
const REQUIRE: &str = "ANYWARP_REQUIRE";

/// A device in one mode, with unified or separate memory; it is opened when its first case runs.
pub struct Target {
    /// The first part of test names: `vulkan`, `vulkan-staged`, `vulkan1`.
    pub name: String,
    /// The names of device and driver, for the list of known bugs.
    pub hardware: String,
    /// The device's capabilities, as the enumeration of devices reported them.
    pub caps: Caps,
    is_staged: bool,
    options: DeviceOptions,
    opened: OnceLock<Result<Device, String>>,
}

impl Target {
    fn new(candidate: &Candidate, name: String, is_staged: bool) -> Arc<Self> {
        let options = DeviceOptions::default().selector(&candidate.selector).staged(is_staged);
        let hardware = format!("{} {}", candidate.caps.name, candidate.caps.driver);
        let caps = candidate.caps.clone();
        Arc::new(Self { name, hardware, caps, is_staged, options, opened: OnceLock::new() })
    }

    /// Whether the device has separate memory for the host by demand.
    pub fn is_staged(&self) -> bool {
        self.is_staged
    }

    pub fn device(&self) -> TestResult<&Device> {
        let opened = self.opened.get_or_init(|| Device::open_with(&self.options).map_err(|error| error.to_string()));
        opened.as_ref().map_err(|error| Stop::Fail(error.clone()))
    }
}

/// Every device of the machine, in its default mode only: for cases that transfers between host and device do not
/// affect.
pub fn devices() -> Vec<Arc<Target>> {
    targets().into_iter().filter(|target| !target.is_staged).collect()
}

/// Every device of the machine; devices with unified memory also with separate memory for the host.
pub fn targets() -> Vec<Arc<Target>> {
    let candidates = Device::enumerate();
    let mut targets = Vec::new();
    for candidate in &candidates {
        let backend = candidate.caps.backend;
        let alone = candidates.iter().filter(|other| other.caps.backend == backend).count() == 1;
        let number = candidate.selector.rsplit(':').next().unwrap_or_default();
        let name = if alone { backend.to_string() } else { format!("{backend}{number}") };
        if candidate.caps.unified {
            targets.push(Target::new(candidate, format!("{name}-staged"), true));
        }
        targets.push(Target::new(candidate, name, false));
    }
    targets
}

/// The backends that `ANYWARP_REQUIRE` names.
pub fn required() -> Vec<String> {
    let wanted = std::env::var(REQUIRE).unwrap_or_default();
    wanted.split(',').map(|backend| backend.trim().to_lowercase()).filter(|backend| !backend.is_empty()).collect()
}

/// Passes if a device of `backend` can be opened.
pub fn present(backend: &str) -> TestResult {
    match Device::open(backend) {
        Ok(_) => Ok(()),
        Err(error) => fail(format!("{REQUIRE} names {backend}: {error}")),
    }
}
