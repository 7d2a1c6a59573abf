//! A device by its number; the device need not be open.

use crate::driver::error::DriverError;
use crate::driver::sys::{CUdevice, CUdevice_attribute, Driver};

/// A device of the driver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device(pub(in crate::driver) CUdevice);

/// An attribute of a device.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Attribute {
    CapabilityMajor,
    CapabilityMinor,
    /// The shared memory that one block may opt in to, in bytes.
    SharedMemory,
    Integrated,
    /// Whether the device reads the processor's memory through its own page tables.
    HostPageTables,
    Multiprocessors,
    /// The number of threads that one multiprocessor runs at a time.
    ResidentThreads,
    MemoryPools,
}

impl Attribute {
    fn raw(self) -> CUdevice_attribute {
        use CUdevice_attribute as A;
        match self {
            Self::CapabilityMajor => A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            Self::CapabilityMinor => A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
            Self::SharedMemory => A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
            Self::Integrated => A::CU_DEVICE_ATTRIBUTE_INTEGRATED,
            Self::HostPageTables => A::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
            Self::Multiprocessors => A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
            Self::ResidentThreads => A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
            Self::MemoryPools => A::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
        }
    }
}

impl Device {
    /// Counts the devices that are visible to this process.
    pub(crate) fn count(driver: &Driver) -> Result<i32, String> {
        driver.device_count().map_err(|failed| driver.said(failed))
    }

    /// Returns the device with this ordinal.
    pub(crate) fn of(driver: &Driver, ordinal: i32) -> Result<Self, String> {
        driver.device(ordinal).map(Self).map_err(|failed| driver.said(failed))
    }

    /// Returns the device's name.
    pub(crate) fn name(self, driver: &Driver) -> Result<String, String> {
        driver.device_name(self.0).map_err(|failed| driver.said(failed))
    }

    /// Returns the place of the device on the PCI bus.
    pub(crate) fn place(self, driver: &Driver) -> Result<String, String> {
        driver.device_place(self.0).map_err(|failed| driver.said(failed))
    }

    /// Returns the device's UUID.
    pub(super) fn uuid(self, driver: &Driver) -> Result<[u8; 16], String> {
        driver.device_uuid(self.0).map_err(|failed| driver.said(failed))
    }

    /// Returns the size of the device's memory in bytes.
    pub(crate) fn memory(self, driver: &Driver) -> Result<u64, String> {
        driver.device_memory(self.0).map(|bytes| bytes as u64).map_err(|failed| driver.said(failed))
    }

    /// Returns the value of an attribute; 0 for a negative value.
    pub(crate) fn attribute(self, driver: &Driver, attribute: Attribute) -> Result<u32, String> {
        let said = |failed: DriverError| driver.said(failed);
        driver.device_attribute(self.0, attribute.raw()).map(|value| u32::try_from(value).unwrap_or(0)).map_err(said)
    }
}
