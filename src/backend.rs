//! Facts about devices and kernels, as values, and the [`contract`] for custom backends.
//!
//! ```
//! use anywarp::Device;
//! use anywarp::backend::DeviceKind;
//!
//! for candidate in Device::enumerate() {
//!     if candidate.caps.kind == DeviceKind::Discrete {
//!         println!("{}: {} bytes in one buffer", candidate.caps.name, candidate.caps.limits.buffer_size);
//!     }
//! }
//! ```
//!
//! | names | returned by |
//! |---|---|
//! | [`Caps`], [`Limits`], [`CooperativeProduct`], [`DeviceKind`], [`BackendKind`], [`Capabilities`], [`Routine`], [`Precision`], [`CopyCost`], [`OneWay`], [`Persistent`], [`Inbox`] | [`Device::caps`](crate::Device::caps) |
//! | [`BackendError`], [`MemoryKind`], [`MemoryId`], [`KernelId`], [`Spot`] | [errors](crate::Error) |
//! | [`BindingInfo`], [`BindingClass`], [`Access`], [`ResourceId`], [`Layout`], [`Field`], [`Shape`], [`Scalar`], [`ScalarKind`] | [`Kernel::bindings`](crate::Kernel::bindings), [`Element`](crate::Element) |
//! | [`KernelResources`] | [`Kernel::resources`](crate::Kernel::resources) |
//! | [`Timings`], [`Timing`], [`Transfer`], [`Clock`] | [`Submission::timings`](crate::Submission::timings) |
//! | [`Counters`] | [`Device::stats`](crate::Device::stats) |
//! | [`Invocation`], [`Touch`], [`Other`] | [`Device::findings`](crate::Device::findings) |
//! | [`Observations`], [`ObservedKernel`], [`ObservedAccess`], [`ObservedBranch`], [`ObservedBuffer`], [`ObservedSpace`], [`RequestCounts`], [`BranchCounts`], [`LaneCounts`], [`Mix`], [`WARP_SIZES`] | [`Device::observations`](crate::Device::observations) |

pub use anywarp_backend::naga::valid::Capabilities;
pub use anywarp_backend::{
    Access, BackendError, BackendKind, BindingClass, BindingInfo, BranchCounts, Caps, Clock, CooperativeProduct,
    CopyCost, Counters, DeviceKind, Field, Inbox, Invocation, KernelId, KernelResources, LaneCounts, Layout, Limits,
    MemoryId, MemoryKind, Mix, Observations, ObservedAccess, ObservedBranch, ObservedBuffer, ObservedKernel,
    ObservedSpace, OneWay, Other, Persistent, Precision, RequestCounts, ResourceId, Routine, Scalar, ScalarKind, Shape,
    Spot, Timing, Timings, Touch, Transfer, UnknownBackend, WARP_SIZES,
};

/// The contract between anywarp and its backends: the crate `anywarp-backend`.
///
/// Use it to implement a [`Backend`](contract::Backend), whose devices are opened by
/// [`Device::from_backend`](crate::Device::from_backend), or to write a tool that translates a
/// [`Program`](contract::Program). A tool can depend on `anywarp-backend` directly instead.
pub use anywarp_backend as contract;
