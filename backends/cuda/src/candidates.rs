//! Which CUDA devices there are, without opening any.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use anywarp_backend::{BackendError, Caps};
use cudarc::driver::sys::{CUdevice, CUdevice_attribute};

use crate::caps::{Card, OLDEST};
use crate::device::{CudaDevice, Options};
use crate::driver::Driver;
use crate::nvrtc;

/// A device that could be opened.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it is and can do.
    pub caps: Caps,
    /// Its number among the devices that the driver shows to this process.
    pub ordinal: usize,
    pub(crate) device: CUdevice,
    pub(crate) card: Card,
}

/// The devices that the driver shows and that kernels can be compiled for, in the driver's order;
/// none without driver or NVRTC: [`absence`] says why.
#[must_use]
pub fn candidates() -> Vec<Candidate> {
    let found = Driver::get().map_err(str::to_owned).and_then(devices);
    // Last, because the compiler is large.
    match found {
        Ok(devices) if !devices.is_empty() && nvrtc::library().is_ok() => devices,
        _ => Vec::new(),
    }
}

/// Why [`candidates`] finds nothing, and what to do; `None` if it finds something.
#[must_use]
pub fn absence() -> Option<String> {
    match Driver::get().map_err(str::to_owned).and_then(devices) {
        Err(reason) => Some(reason),
        Ok(devices) if devices.is_empty() => {
            Some("the NVIDIA driver shows no device: look at nvidia-smi and CUDA_VISIBLE_DEVICES".to_owned())
        }
        Ok(_) => nvrtc::library().err().map(|error| error.to_string()),
    }
}

impl Candidate {
    /// Opens the device.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] where the card is older than compute capability 7.5, or the driver
    /// refuses.
    pub fn open(&self, options: Options) -> Result<Arc<CudaDevice>, BackendError> {
        let rejected = |message| Err(BackendError::Rejected { operation: "opening the device", message });
        let driver = match Driver::get() {
            Ok(driver) => driver,
            Err(reason) => return rejected(reason.to_owned()),
        };
        let architecture = self.card.architecture;
        if architecture < OLDEST {
            return rejected(format!(
                "{} has compute capability {}.{}, kernels need {}.{} or newer: use another backend, such as vulkan",
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
    let mut count = 0;
    // SAFETY: writes one integer of this frame.
    let result = unsafe { (driver.cuDeviceGetCount)(&raw mut count) };
    if result != 0 {
        return Err(format!("the NVIDIA driver does not count its devices: {}", driver.text(result)));
    }
    let all = (0..count).filter_map(|ordinal| {
        let described = describe(driver, ordinal);
        described.inspect_err(|error| log::warn!("CUDA device {ordinal} is passed over: {error}")).ok()
    });
    Ok(all.collect())
}

fn describe(driver: &'static Driver, ordinal: i32) -> Result<Candidate, String> {
    let mut device = 0;
    let mut name = [0 as c_char; 256];
    let mut memory = 0;
    let told = |function: &str, result: u32| {
        if result == 0 { Ok(()) } else { Err(format!("{function} said {}", driver.text(result))) }
    };
    // SAFETY: each function writes to this frame; the name's length is told, less one for the zero.
    unsafe {
        told("cuDeviceGet", (driver.cuDeviceGet)(&raw mut device, ordinal))?;
        told("cuDeviceGetName", (driver.cuDeviceGetName)(name.as_mut_ptr(), name.len() as i32 - 1, device))?;
        told("cuDeviceTotalMem", (driver.cuDeviceTotalMem_v2)(&raw mut memory, device))?;
    }
    let attribute = |attribute: CUdevice_attribute| {
        let mut value = 0;
        // SAFETY: writes one integer of this frame.
        let result = unsafe { (driver.cuDeviceGetAttribute)(&raw mut value, attribute as u32, device) };
        told("cuDeviceGetAttribute", result).map(|()| u32::try_from(value).unwrap_or(0))
    };
    use CUdevice_attribute as A;
    let major = attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let card = Card {
        // SAFETY: the last byte was kept zero.
        name: unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned(),
        driver: match nvrtc::library() {
            Ok(nvrtc) => format!("{}, NVRTC {}.{}", driver.describe(), nvrtc.version().0, nvrtc.version().1),
            Err(_) => driver.describe(),
        },
        architecture: major * 10 + minor,
        memory: memory as u64,
        shared: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        integrated: attribute(A::CU_DEVICE_ATTRIBUTE_INTEGRATED)? != 0,
        host_pages: attribute(A::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES)? != 0,
        multiprocessors: attribute(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?.max(1),
        resident: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        pools: attribute(A::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? != 0,
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
