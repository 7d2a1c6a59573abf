//! Lists the CUDA devices, without opening any.

use std::sync::Arc;

use anywarp_backend::{BackendError, Caps};

use crate::caps::{Card, OLDEST};
use crate::device::{CudaDevice, Options};
use crate::driver::{Attribute, Device, Driver};
use crate::nvrtc;

/// A device that could be opened.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The capabilities of the device.
    pub caps: Caps,
    /// The device's number among the devices that are visible to this process.
    pub ordinal: usize,
    pub(crate) device: Device,
    pub(crate) card: Card,
}

/// Returns the devices that are visible to this process and for which kernels can be compiled, in the driver's order.
/// The list is empty without a driver or NVRTC; [`absence`] returns the reason.
#[must_use]
pub fn candidates() -> Vec<Candidate> {
    let found = Driver::get().map_err(str::to_owned).and_then(devices);
    // NVRTC is loaded only if there is a device, because the library is large.
    match found {
        Ok(devices) if !devices.is_empty() && nvrtc::library().is_ok() => devices,
        _ => Vec::new(),
    }
}

/// Returns the reason why [`candidates`] is empty, and what to do; `None` if the list is not empty.
#[must_use]
pub fn absence() -> Option<String> {
    match Driver::get().map_err(str::to_owned).and_then(devices) {
        Err(reason) => Some(reason),
        Ok(devices) if devices.is_empty() => {
            Some("the NVIDIA driver reports no device: check nvidia-smi and CUDA_VISIBLE_DEVICES".to_owned())
        }
        Ok(_) => nvrtc::library().err().map(|error| error.to_string()),
    }
}

impl Candidate {
    /// Opens the device.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] where the GPU is older than compute capability 7.5, or the driver returns an error.
    pub fn open(&self, options: Options) -> Result<Arc<CudaDevice>, BackendError> {
        let rejected = |message| Err(BackendError::Rejected { operation: "opening the device", message });
        let driver = match Driver::get() {
            Ok(driver) => driver,
            Err(reason) => return rejected(reason.to_owned()),
        };
        let architecture = self.card.architecture;
        if architecture < OLDEST {
            return rejected(format!(
                "{} has compute capability {}.{}, but kernels need {}.{} or newer: use another backend, such as vulkan",
                self.card.name,
                architecture / 10,
                architecture % 10,
                OLDEST / 10,
                OLDEST % 10
            ));
        }
        CudaDevice::open(driver, self, options)
    }
}

fn devices(driver: &'static Driver) -> Result<Vec<Candidate>, String> {
    let count = Device::count(driver).map_err(|said| format!("the NVIDIA driver cannot list its devices: {said}"))?;
    let all = (0..count).filter_map(|ordinal| {
        let described = describe(driver, ordinal);
        described.inspect_err(|error| log::warn!("CUDA device {ordinal} is skipped: {error}")).ok()
    });
    Ok(all.collect())
}

fn describe(driver: &'static Driver, ordinal: i32) -> Result<Candidate, String> {
    let device = Device::of(driver, ordinal)?;
    let attribute = |attribute| device.attribute(driver, attribute);
    let card = Card {
        name: device.name(driver)?,
        driver: match nvrtc::library() {
            Ok(nvrtc) => format!("{}, NVRTC {}.{}", driver.describe(), nvrtc.version().0, nvrtc.version().1),
            Err(_) => driver.describe(),
        },
        architecture: attribute(Attribute::CapabilityMajor)? * 10 + attribute(Attribute::CapabilityMinor)?,
        memory: device.memory(driver)?,
        shared: attribute(Attribute::SharedMemory)?,
        integrated: attribute(Attribute::Integrated)? != 0,
        host_pages: attribute(Attribute::HostPageTables)? != 0,
        multiprocessors: attribute(Attribute::Multiprocessors)?.max(1),
        resident: attribute(Attribute::ResidentThreads)?,
        pools: attribute(Attribute::MemoryPools)? != 0,
    };
    Ok(Candidate { caps: card.caps(), ordinal: usize::try_from(ordinal).unwrap_or(0), device, card })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_devices_or_there_is_a_reason() {
        assert_eq!(candidates().is_empty(), absence().is_some());
        if let Some(reason) = absence() {
            assert!(reason.len() > 20, "{reason}");
        }
    }
}
