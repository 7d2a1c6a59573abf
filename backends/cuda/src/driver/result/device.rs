//! The driver itself, its devices and their contexts.

use std::ffi::{CStr, c_char};
use std::ptr::null_mut;

use super::checked;
use crate::driver::error::DriverResult;
use crate::driver::sys::{CUcontext, CUdevice, CUdevice_attribute, CUuuid, Driver};

impl Driver {
    pub(in crate::driver) fn init(&self) -> DriverResult<()> {
        // SAFETY: the function takes a number.
        checked("cuInit", unsafe { (self.cuInit)(0) })
    }

    pub(in crate::driver) fn driver_version(&self) -> DriverResult<i32> {
        let mut version = 0;
        // SAFETY: the function writes one integer of this frame.
        checked("cuDriverGetVersion", unsafe { (self.cuDriverGetVersion)(&raw mut version) }).map(|()| version)
    }

    /// Returns name and text of a result: `CUDA_ERROR_OUT_OF_MEMORY (out of memory)`.
    pub(in crate::driver) fn text(&self, code: u32) -> String {
        let mut name = std::ptr::null();
        let mut text = std::ptr::null();
        // SAFETY: each writes one pointer of this frame: null, or a constant string.
        unsafe {
            (self.cuGetErrorName)(code, &raw mut name);
            (self.cuGetErrorString)(code, &raw mut text);
        }
        // SAFETY: not null, so it is one of the driver's constant strings.
        let read = |start: *const _| unsafe { CStr::from_ptr(start) }.to_string_lossy().into_owned();
        match (name.is_null(), text.is_null()) {
            (true, _) => format!("CUDA error {code}"),
            (false, true) => read(name),
            (false, false) => format!("{} ({})", read(name), read(text)),
        }
    }

    pub(in crate::driver) fn device_count(&self) -> DriverResult<i32> {
        let mut count = 0;
        // SAFETY: the function writes one integer of this frame.
        checked("cuDeviceGetCount", unsafe { (self.cuDeviceGetCount)(&raw mut count) }).map(|()| count)
    }

    pub(in crate::driver) fn device(&self, ordinal: i32) -> DriverResult<CUdevice> {
        let mut device = 0;
        // SAFETY: the function writes one integer of this frame.
        checked("cuDeviceGet", unsafe { (self.cuDeviceGet)(&raw mut device, ordinal) }).map(|()| device)
    }

    pub(in crate::driver) fn device_name(&self, device: CUdevice) -> DriverResult<String> {
        let mut name = [0 as c_char; 256];
        // SAFETY: the function writes at most the given number of bytes to this frame, one less than the array has.
        let code = unsafe { (self.cuDeviceGetName)(name.as_mut_ptr(), name.len() as i32 - 1, device) };
        checked("cuDeviceGetName", code)?;
        // SAFETY: the last byte is still zero.
        Ok(unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned())
    }

    /// Returns the place of the device on the PCI bus: `0000:01:00.0`.
    pub(in crate::driver) fn device_place(&self, device: CUdevice) -> DriverResult<String> {
        let mut place = [0 as c_char; 64];
        // SAFETY: the function writes at most the given number of bytes to this frame, one less than the array has.
        let code = unsafe { (self.cuDeviceGetPCIBusId)(place.as_mut_ptr(), place.len() as i32 - 1, device) };
        checked("cuDeviceGetPCIBusId", code)?;
        // SAFETY: the last byte is still zero.
        Ok(unsafe { CStr::from_ptr(place.as_ptr()) }.to_string_lossy().into_owned())
    }

    /// Returns the device's UUID, which other drivers of the card return, too.
    pub(in crate::driver) fn device_uuid(&self, device: CUdevice) -> DriverResult<[u8; 16]> {
        let mut uuid = CUuuid { bytes: [0; 16] };
        // SAFETY: the function writes one UUID of this frame.
        let code = unsafe { (self.cuDeviceGetUuid_v2)(&raw mut uuid, device) };
        checked("cuDeviceGetUuid", code).map(|()| uuid.bytes.map(|byte| byte as u8))
    }

    pub(in crate::driver) fn device_memory(&self, device: CUdevice) -> DriverResult<usize> {
        let mut bytes = 0;
        // SAFETY: the function writes one number of this frame.
        checked("cuDeviceTotalMem", unsafe { (self.cuDeviceTotalMem_v2)(&raw mut bytes, device) }).map(|()| bytes)
    }

    pub(in crate::driver) fn device_attribute(
        &self,
        device: CUdevice,
        attribute: CUdevice_attribute,
    ) -> DriverResult<i32> {
        let mut value = 0;
        // SAFETY: the function writes one integer of this frame.
        let code = unsafe { (self.cuDeviceGetAttribute)(&raw mut value, attribute as u32, device) };
        checked("cuDeviceGetAttribute", code).map(|()| value)
    }

    pub(in crate::driver) fn primary_context(&self, device: CUdevice) -> DriverResult<CUcontext> {
        let mut context = null_mut();
        // SAFETY: the function writes one handle of this frame; the driver refuses numbers that are no devices.
        let code = unsafe { (self.cuDevicePrimaryCtxRetain)(&raw mut context, device) };
        checked("cuDevicePrimaryCtxRetain", code).map(|()| context)
    }

    pub(in crate::driver) fn current_context(&self) -> DriverResult<CUcontext> {
        let mut context = null_mut();
        // SAFETY: the function writes one handle of this frame.
        checked("cuCtxGetCurrent", unsafe { (self.cuCtxGetCurrent)(&raw mut context) }).map(|()| context)
    }

    /// # Safety
    /// The context is alive, or null.
    pub(in crate::driver) unsafe fn set_current_context(&self, context: CUcontext) -> DriverResult<()> {
        // SAFETY: as the caller guarantees.
        checked("cuCtxSetCurrent", unsafe { (self.cuCtxSetCurrent)(context) })
    }
}
