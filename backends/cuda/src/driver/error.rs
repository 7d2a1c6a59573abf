//! The meaning of the driver's result codes.

use anywarp_backend::BackendError;

use super::Driver;

/// A driver function that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DriverError {
    pub(crate) function: &'static str,
    pub(crate) code: u32,
}

/// The result of a driver function.
pub(crate) type DriverResult<T> = Result<T, DriverError>;

pub(crate) const OUT_OF_MEMORY: u32 = 2;
const DEINITIALIZED: u32 = 4;
const INVALID_IMAGE: u32 = 200;
const NO_BINARY_FOR_GPU: u32 = 209;
const UNSUPPORTED_PTX_VERSION: u32 = 222;
pub(crate) const NOT_READY: u32 = 600;
const OUT_OF_RESOURCES: u32 = 701;

/// Results after which a context is unusable.
const STICKY: &[u32] = &[
    DEINITIALIZED,
    46,  // the device is unavailable
    201, // the context is not valid any more
    214, // an ECC error that could not be corrected
    220, // an error of NVLink
    226, // an error that was contained
    700, // an illegal address
    702, // the time limit of a launch
    709, // the context was destroyed
    710, // an assertion
    714, // a corrupt stack
    715, // an illegal instruction
    716, // a misaligned address
    717, // an address of the wrong space
    718, // a program counter outside of any code
    719, // an unspecified failure of a launch
    721, // leaked tensor memory
    805, // MPS was shut down
    807, // MPS was shut down
    911, // a failure of another device
    999, // unknown
];

/// The consequence of an error that makes the context unusable for the rest of the process.
pub(crate) const AFTERWARDS: &str =
    "; CUDA does not allow this process to use the GPU again: open a new device in a new process";

impl Driver {
    /// Returns the error for a result that leaves the device usable.
    pub(crate) fn rejected(&self, operation: &'static str, error: DriverError) -> BackendError {
        let message = format!("{}{}", self.said(error), remedy(error.code));
        BackendError::Rejected { operation, message }
    }

    /// Returns the name of the function with the name and the text of its result.
    pub(crate) fn said(&self, error: DriverError) -> String {
        format!("{} returned {}", error.function, self.text(error.code))
    }
}

/// Returns whether a result makes the context unusable.
pub(crate) fn is_sticky(result: u32) -> bool {
    STICKY.contains(&result)
}

/// Returns whether a result means that the driver cannot load the code that the compiler made.
pub(crate) fn is_foreign_image(result: u32) -> bool {
    matches!(result, INVALID_IMAGE | NO_BINARY_FOR_GPU | UNSUPPORTED_PTX_VERSION)
}

/// Returns what to do about a result. The text begins with "; ", or is empty.
pub(crate) fn remedy(result: u32) -> &'static str {
    match result {
        OUT_OF_MEMORY => "; free memory, or close other programs that use the device",
        34 => "; the library found is a stub for building: put the driver's own before it in the library path",
        100 => "; check with nvidia-smi whether there is a device, and check CUDA_VISIBLE_DEVICES",
        101 => "; check CUDA_VISIBLE_DEVICES",
        214 | 220 | 226 => "; the hardware reports an error: check nvidia-smi -q and the system's log for Xid messages",
        46 | 802 => "; another process uses the device exclusively, or its fabric manager is not running yet",
        803 | 804 => "; the versions of the driver's kernel module and library differ: reboot, or update the driver",
        OUT_OF_RESOURCES => "; use fewer invocations in a workgroup, or less workgroup memory",
        702 => "; a device that drives a display stops kernels after some seconds: make the grid smaller",
        700 | 716 | 717 | 719 => "; only unchecked kernels can cause this: run them with checks to find the position",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_results_end_a_device() {
        assert!(is_sticky(700) && is_sticky(719) && is_sticky(702) && is_sticky(710));
        assert!(!is_sticky(0) && !is_sticky(OUT_OF_MEMORY) && !is_sticky(NOT_READY) && !is_sticky(OUT_OF_RESOURCES));
        assert!(!is_sticky(1) && is_foreign_image(222) && !is_foreign_image(700));
    }
}
