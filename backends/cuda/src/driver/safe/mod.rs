//! Handles that own what they name, and calls that take these: safe for the rest of the crate.
//!
//! | file | what is in it |
//! |---|---|
//! | `context`, `device` | one device's context: made current, lost; a device by its number |
//! | `pool`, `block`, `slice` | device memory, from the pool or beside it; ranges of it |
//! | `pinned` | memory of the host that the device reaches |
//! | `stream`, `copy`, `event` | the order of work; copies and fills; points to wait for |
//! | `module`, `launch` | loaded machine code; its launches and their arguments |
//! | `graph` | commands captured, and run as one |
//!
//! Each `SAFETY` comment below refers to one of four reasons:
//!
//! 1. **Handles.** A handle is made by the driver, lies in a private field of one value, and is destroyed when
//!    that value is dropped. The driver's functions may be called from any thread, so every such value is
//!    `Send` and `Sync`; the context is never destroyed.
//! 2. **Ranges.** A [`DeviceSlice`] or [`HostSlice`] is only made from a whole allocation or from another slice, and
//!    never reaches beyond it. So whatever is copied or filled lies in memory that was allocated here.
//! 3. **Time.** Work runs after the call that enqueues it, so no borrow can cover it. What it uses is freed in an
//!    order instead: device memory goes back by value, on the stream that the queue found to be behind all
//!    uses (`Queue::release`); pinned memory, modules and graphs are kept by `DeferredFrees` until the
//!    submissions that were made before have ended. While the host has bytes of pinned memory in its hands, `Memory`
//!    refuses work that uses it.
//! 4. **Kernels.** Machine code comes from this crate's own translation, which also lists the parameters, and a
//!    recording makes the [`Arguments`] of a launch from that list. The addresses among them are those of ranges as in 2,
//!    with their lengths, and the translated code keeps its accesses within them. Code that was translated without checks
//!    keeps the promise that its author gave by `Unchecked::promise`.

mod block;
mod context;
mod copy;
mod device;
mod event;
mod graph;
mod launch;
mod module;
mod pinned;
mod pool;
mod slice;
mod stream;

pub(crate) use block::DeviceBlock;
pub(crate) use context::Context;
pub(crate) use device::{Attribute, Device};
pub(crate) use event::Event;
pub(crate) use graph::{CapturedGraph, ExecutableGraph};
pub(crate) use launch::{Arguments, LaunchShape, Pointers};
pub(crate) use module::{Module, Needs};
pub(crate) use pinned::{PinnedMemory, PinnedWords};
pub(crate) use pool::{DeviceMemory, Pool};
pub(crate) use slice::{DeviceSlice, HostSlice};
pub(crate) use stream::Stream;
