//! The contract between anywarp and the devices it runs on.
//!
//! A backend is one implementation of [`Backend`]: eleven methods, each with its postcondition. Work is passed to it as
//! data: a [`Recording`] of [`Command`]s, each of which lists the [`Region`]s of memory that it reads and writes.
//! Barriers, waits, copies, profiling, snapshots and replay need only that data.
//!
//! | word | meaning |
//! |---|---|
//! | [`Caps`] | the identity and the capabilities of the device, as values |
//! | [`MemoryId`], [`MemoryKind`] | one allocation, and whether host or device may access it |
//! | [`Program`] | one entry point of a naga module, specialised and reflected |
//! | [`Validated`] | a module that naga's validator has accepted |
//! | [`Checks`], [`Proofs`] | the checks that a kernel is compiled with, and the proofs that some checks are needless |
//! | [`Source`] | the text that a program was made from, and the origin of its parts |
//! | [`Recording`] | commands in the order in which they take effect |
//! | [`Ticket`] | completion of submitted work: a blocking wait, a timeout, a waker |
//!
//! The crate contains only data and the trait [`Backend`]: no device, no `cfg`, no threads and no assembly, which a
//! test enforces. Code that backends share is in the crate `anywarp-host`.

mod backend;
mod baseline;
mod caps;
mod checks;
mod cost;
mod error;
mod finding;
mod hazards;
mod kind;
mod layout;
mod library;
mod memory;
mod mode;
mod observation;
mod product;
mod program;
mod proofs;
mod recording;
mod shown;
mod slot;
mod source;
mod statements;
mod ticket;
mod transform;
mod validated;
mod waker;

pub use backend::{Backend, Counters};
pub use caps::{Caps, CooperativeProduct, DeviceKind, Inbox, Limits, Persistent};
pub use checks::{Checks, Unchecked};
pub use cost::{CopyCost, OneWay};
pub use error::BackendError;
pub use finding::{Finding, FindingKind, Findings, Invocation, Other, Severity, Spot, Touch};
pub use kind::{BackendKind, UnknownBackend};
pub use layout::{Field, Layout, Scalar, ScalarKind, Shape};
pub use library::{Library, Precision, Routine};
pub use memory::{HostPiece, HostPieces, HostRange, MemoryId, MemoryKind};
pub use mode::Mode;
pub use observation::{
    BranchCounts, LaneCounts, Mix, Observations, ObservedAccess, ObservedBranch, ObservedBuffer, ObservedKernel,
    ObservedSpace, RequestCounts, WARP_SIZES,
};
pub use product::{Factor, ProductForm, ProductStrides, StoredMatrix};
pub use program::{
    Access, BindingClass, BindingInfo, Compilation, KernelId, KernelResources, Leave, Program, ResourceId,
};
pub use proofs::{FunctionProofs, Proofs, loops};
pub use recording::{Bound, Command, Dispatch, Grid, Recording, Region};
pub use slot::Slot;
pub use source::{Piece, Position, Source, SourceFile};
pub use statements::{for_each_block, for_each_block_mut, statements};
pub use ticket::{Clock, Completion, Ticket, Timing, Timings, Transfer};
pub use transform::{Scale, Transform};
pub use validated::{Refused, Validated};

pub use naga;
