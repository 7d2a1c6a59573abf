//! NVIDIA's driver, in three layers, which contain the unsafe code that calls the driver.
//!
//! | layer | content |
//! |---|---|
//! | `sys` | types of cuda.h and the table of functions, loaded once |
//! | `result` | each function as a method that returns a `Result`; unsafe where a handle or an address must be valid |
//! | `safe` | handles that own their resources, ranges within their memory, and calls that take these |
//!
//! | other files | content |
//! |---|---|
//! | `error` | the meaning of result codes, and which of them end a device |
//! | `submissions` | the numbers of submissions, and the kernels named when a device is lost |
//! | `version` | the version of the driver, as text |
//! | `fake` | a driver without a GPU, for tests |

mod error;
#[cfg(test)]
pub(crate) mod fake;
mod result;
mod safe;
mod submissions;
mod sys;
mod version;

pub(crate) use safe::{
    Arguments, Attribute, CapturedGraph, Context, Device, DeviceBlock, DeviceMemory, DeviceSlice, Event,
    ExecutableGraph, HostSlice, LaunchShape, Module, Needs, PinnedMemory, PinnedWords, Pointers, Pool, Stream, Window,
};
pub(crate) use sys::Driver;
