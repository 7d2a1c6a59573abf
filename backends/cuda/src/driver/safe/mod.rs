//! Handles that own their resources, and calls that take such handles: safe for the rest of the crate.
//!
//! | file | content |
//! |---|---|
//! | `context`, `device` | one device's context: making it current, losing it; a device by its number |
//! | `pool`, `block`, `slice` | device memory, from the pool or outside of it; ranges of memory |
//! | `pinned` | host memory that the device can reach |
//! | `card`, `vulkan` | memory of the card that the host can write; `no_vulkan` stands in for `vulkan` where there is no way |
//! | `stream`, `copy`, `event` | the order of work; copies and fills; points to wait for |
//! | `module`, `launch` | loaded machine code; its launches and their arguments |
//! | `graph` | captured commands that are launched by one call |
//!
//! Each `SAFETY` comment in this layer refers to one of these four reasons:
//!
//! 1. **Handles.** A handle is created by the driver, is stored in a private field of one value, and is destroyed when
//!    that value is dropped. The driver's functions may be called from any thread, so every such value is `Send` and
//!    `Sync`; the context is never destroyed.
//! 2. **Ranges.** A [`DeviceSlice`] or [`HostSlice`] is only made from a whole allocation or from another slice, and
//!    never reaches beyond it. So every copy and fill stays within memory that was allocated here.
//! 3. **Time.** Work runs after the call that enqueues it, so no borrow can last until the work has ended. The work's
//!    resources are freed in a safe order instead: device memory is passed by value to its pool, and freed in the order
//!    of a stream that comes after all uses (`Queue::release`); `DeferredFrees` keeps pinned memory, modules and graphs
//!    until all earlier submissions have ended. While the host holds bytes of pinned memory, `Memory` refuses work that
//!    uses this memory.
//! 4. **Kernels.** Machine code comes from this crate's own translation, which also lists the parameters, and a
//!    recording builds the [`Arguments`] of a launch from that list. The addresses in the arguments are the starts of
//!    ranges (reason 2), the lengths of runtime-sized arrays are arguments too, and the translated code accesses only
//!    bytes of these ranges. For code that was translated without checks, the kernel's author has promised the same by
//!    `Unchecked::promise`.

mod block;
mod card;
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
#[cfg_attr(not(target_os = "linux"), path = "no_vulkan.rs")]
mod vulkan;

pub(crate) use block::DeviceBlock;
pub(crate) use card::Window;
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
