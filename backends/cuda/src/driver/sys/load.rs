//! Finds the driver's library and loads it once.

use std::sync::OnceLock;

use cudarc::driver::sys;

use crate::driver::sys::Driver;
use crate::driver::{error, version};

/// The API version of the oldest driver that has every function of [`Driver`]: 12000 for CUDA 12.0.
const OLDEST: i32 = 12_000;

impl Driver {
    /// Returns the initialised driver: the same result on every call.
    ///
    /// # Errors
    /// The reason why the driver cannot be used, and what to do.
    pub(crate) fn get() -> Result<&'static Self, &'static str> {
        static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
        DRIVER.get_or_init(Self::load).as_ref().map_err(String::as_str)
    }

    fn load() -> Result<Self, String> {
        // SAFETY: the call loads the driver's library and unloads it; the library's initialisers have no requirements.
        if !unsafe { sys::is_culib_present() } {
            return Err(
                "no NVIDIA driver is installed: its library (libcuda.so.1, on Windows nvcuda.dll) is not found; \
                        in a container, start it with the NVIDIA runtime"
                    .to_owned(),
            );
        }
        // SAFETY: the check above has found the library, so this does not panic; the library is never unloaded.
        let library = unsafe { sys::culib() };
        // SAFETY: the library is the driver's, and lives as long as the process.
        let loaded = unsafe { Self::of(library) };
        let mut driver = loaded.map_err(|missing| {
            format!(
                "the NVIDIA driver{} lacks {}: update it to CUDA {}.{} (driver 525) or newer",
                version::kernel_module().map_or_else(String::new, |version| format!(" {version}")),
                missing.join(", "),
                OLDEST / 1000,
                OLDEST % 1000 / 10
            )
        })?;
        driver.init().map_err(|failed| {
            format!(
                "the NVIDIA driver cannot be initialised: {}{}",
                driver.text(failed.code),
                error::remedy(failed.code)
            )
        })?;
        driver.version = driver
            .driver_version()
            .map_err(|failed| format!("the NVIDIA driver does not return its version: {}", driver.text(failed.code)))?;
        Ok(driver)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_driver_there_is_a_reason() {
        if let Err(reason) = Driver::get() {
            assert!(reason.contains("NVIDIA driver"), "{reason}");
        }
    }
}
