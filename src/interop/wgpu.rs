//! Beside raw wgpu: its devices and buffers as ours, and ours as its own.
//!
//! What each side may do when is said [one level up](super).

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use anywarp_backend::{Backend, MemoryKind};
use anywarp_wgpu::{Options, Origin, WgpuBackend};

pub use anywarp_wgpu::Handles;
/// The release of wgpu that anywarp is built with: only its devices and buffers can be handed over.
pub use anywarp_wgpu::wgpu;

use super::{InteropError, refused, wanted};
use crate::buffer::UnifiedBuffer;
use crate::buffer::core::{Core, GuardToken};
use crate::buffer::uses::{Use, Uses};
use crate::device::{Device, DeviceOptions};
use crate::element::Element;
use crate::submit::Context;

/// A device on one that the program has already. Kernels run on its queue, in the order in which
/// either side submits.
///
/// What it can do is what `device` was requested with, not all that the adapter offers. Of its
/// callbacks none is touched. Where host and device share memory that is used only if the device has
/// `Features::MAPPABLE_PRIMARY_BUFFERS`. [`Device::selector`] names the GPU: opening that, or
/// [`Device::reopen`], gives a device of anywarp's own there.
///
/// ```
/// use anywarp::interop::wgpu::{self as beside, wgpu};
///
/// # fn main() -> anywarp::Result<()> {
/// # let Ok(opened) = anywarp::Device::open("vulkan") else { return Ok(()) };
/// # let beside::Handles { adapter, device, queue } = opened.wgpu()?;
/// // With the adapter, device and queue of a renderer:
/// let anywarp = beside::device(&adapter, device, queue)?;
/// let kernel = anywarp.kernel("
///     @group(0) @binding(0) var<storage, read_write> data: array<f32>;
///     @compute @workgroup_size(64)
///     fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] += 1.0; }")?;
/// # drop(kernel);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`InteropError::Device`]: the three do not belong together, the backend is one that anywarp does
/// not use (GL), or the device is lost.
pub fn device(adapter: &wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Result<Device, InteropError> {
    let name = adapter.get_info().name;
    let handles = Handles { adapter: adapter.clone(), device, queue };
    let backend = WgpuBackend::over(handles, Options::default())
        .map_err(|error| InteropError::Device { device: name.clone(), error })?;
    let selector = format!("{}:{name}", backend.caps().backend);
    Ok(Device::with(backend, selector, DeviceOptions::default()))
}

/// A buffer that wgpu code made on the same device, as one of anywarp's; nothing is copied. The
/// program keeps its own handle, and uses it only while the buffer is [lent](UnifiedBuffer::lend_wgpu)
/// or after it was dropped; commands that were submitted before are seen. One at a time: two
/// made of the same buffer would not know of each other.
///
/// What is missing in its usages cannot be done, and is refused where it is tried:
///
/// | usage | for |
/// |---|---|
/// | `STORAGE` | binding it to storage variables |
/// | `UNIFORM` | binding it to uniform variables |
/// | `INDIRECT` | [`Launch::indirect`](crate::Launch::indirect) |
/// | `COPY_SRC` | `read`, `update`, copying from it |
/// | `COPY_DST` | `write`, `update`, `fill`, copying to it |
/// | `MAP_READ` and `MAP_WRITE` | `read`, `write` and `update` without a copy, where [`Caps::unified`](crate::backend::Caps::unified) holds |
///
/// ```
/// use anywarp::interop::wgpu::{self as beside, wgpu};
///
/// # fn main() -> anywarp::Result<()> {
/// # let Ok(anywarp) = anywarp::Device::open("vulkan") else { return Ok(()) };
/// # let device = anywarp.wgpu()?.device;
/// let raw = device.create_buffer(&wgpu::BufferDescriptor {
///     label: None,
///     size: 4 * 1024,
///     usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
///     mapped_at_creation: false,
/// });
/// let vertices = beside::buffer::<[f32; 4]>(&anywarp, raw.clone())?;
/// assert_eq!(vertices.len(), 256);
/// assert_eq!(vertices.read()?[255], [0.0; 4]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`InteropError::OtherBackend`], [`InteropError::OtherDevice`], [`InteropError::Size`],
/// [`InteropError::Usages`], [`InteropError::Mapped`], or what the device says. A buffer of another
/// device is found out by a mistake that its own device is told of: it goes to the error callback
/// there.
pub fn buffer<T: Element>(device: &Device, buffer: wgpu::Buffer) -> Result<UnifiedBuffer<T>, InteropError> {
    let inner = &device.context;
    let backend = wgpu_of(inner)?;
    let (bytes, size) = (buffer.size(), size_of::<T>());
    let length = usize::try_from(bytes).ok().filter(|bytes| isize::try_from(*bytes).is_ok() && *bytes > 0);
    let length = length.filter(|bytes| bytes.is_multiple_of(4) && bytes.is_multiple_of(size)).map(|bytes| bytes / size);
    let length = length.ok_or(InteropError::Size { bytes, element: std::any::type_name::<T>(), size })?;
    let uses = uses_of(buffer.usage());
    if uses.is_empty() {
        return Err(InteropError::Usages { wanted: USAGES.iter().map(|(one, _)| one.name()).collect() });
    }
    match backend.origin(&buffer) {
        Origin::Ours => {}
        Origin::Mapped => return Err(InteropError::Mapped),
        Origin::Other => return Err(InteropError::OtherDevice { device: device.caps().name.clone() }),
    }
    let (memory, kind) = backend.adopt(&buffer).map_err(|error| refused(inner, error))?;
    inner.adopted(bytes);
    let core = Core::of(inner, memory, bytes, kind == MemoryKind::Shared, uses);
    core.others_wrote();
    Ok(UnifiedBuffer::of(core, length))
}

const USAGES: [(Use, wgpu::BufferUsages); 5] = [
    (Use::Storage, wgpu::BufferUsages::STORAGE),
    (Use::Uniform, wgpu::BufferUsages::UNIFORM),
    (Use::Indirect, wgpu::BufferUsages::INDIRECT),
    (Use::CopyFrom, wgpu::BufferUsages::COPY_SRC),
    (Use::CopyTo, wgpu::BufferUsages::COPY_DST),
];

fn uses_of(usages: wgpu::BufferUsages) -> Uses {
    Uses::of(USAGES.iter().filter(|(_, usage)| usages.contains(*usage)).map(|(one, _)| *one))
}

fn wgpu_of(device: &Context) -> Result<&WgpuBackend, InteropError> {
    wanted(device, "wgpu")
}

impl Device {
    /// The adapter, device and queue of wgpu that it runs on.
    ///
    /// Work that is submitted there comes after all that anywarp has handed over: see
    /// [`submit`](Self::submit).
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open_default()?;
    /// match device.wgpu() {
    ///     Ok(handles) => println!("{:?}", handles.adapter.get_info().backend),
    ///     Err(error) => println!("{error}"), // names the device and its backend
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`InteropError::OtherBackend`].
    pub fn wgpu(&self) -> Result<Handles, InteropError> {
        wgpu_of(&self.context).map(WgpuBackend::share)
    }
}

/// A buffer in the hands of wgpu code; derefs to [`wgpu::Buffer`]. Dropping it takes the buffer back:
/// submit before.
///
/// While it lives launches and guards of the buffer are refused.
pub struct Lent<'a> {
    buffer: wgpu::Buffer,
    core: Arc<Core>,
    written: bool,
    _token: GuardToken,
    _borrow: PhantomData<&'a mut ()>,
}

impl Lent<'_> {
    fn new(core: &Arc<Core>, written: bool) -> Result<Self, InteropError> {
        let backend = wgpu_of(&core.device)?;
        let token = core.lend()?;
        let buffer = backend.lend(core.memory).map_err(|error| refused(&core.device, error))?;
        Ok(Self { buffer, core: Arc::clone(core), written, _token: token, _borrow: PhantomData })
    }
}

impl Deref for Lent<'_> {
    type Target = wgpu::Buffer;

    fn deref(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if self.written {
            self.core.others_wrote();
        }
        if let Ok(backend) = wgpu_of(&self.core.device) {
            backend.take_back(self.core.memory);
        }
    }
}

impl fmt::Debug for Lent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent").field("buffer", &self.buffer).field("written", &self.written).finish_non_exhaustive()
    }
}

/// Hand-over to raw wgpu: see [`interop`](crate::interop).
impl<T: Element> UnifiedBuffer<T> {
    /// Lends the buffer to wgpu code that reads it. What the host has newer is uploaded and recorded
    /// work is handed over first, so that commands submitted from here on see it.
    ///
    /// It has the usages `STORAGE`, `UNIFORM`, `INDIRECT`, `COPY_SRC` and `COPY_DST`; for others
    /// create it with wgpu and make it a [`buffer`] here. Its size may be rounded up.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// # let Ok(device) = anywarp::Device::open("vulkan") else { return Ok(()) };
    /// # let handles = device.wgpu()?;
    /// let x = device.buffer_from(&[1.0f32; 64])?;
    /// let mut y = device.buffer::<f32>(64)?;
    /// {
    ///     let (x, y) = (x.lend_wgpu()?, y.lend_wgpu_mut()?);
    ///     let mut encoder = handles.device.create_command_encoder(&Default::default());
    ///     encoder.copy_buffer_to_buffer(&x, 0, &y, 0, 256);
    ///     handles.queue.submit([encoder.finish()]);
    /// }
    /// assert_eq!(*y.read()?, [1.0; 64]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`InteropError::OtherBackend`]; [`InteropError::Buffer`] while a guard is alive, or where the
    /// work that produces the data failed.
    pub fn lend_wgpu(&self) -> Result<Lent<'_>, InteropError> {
        Lent::new(&self.core, false)
    }

    /// [`lend_wgpu`](Self::lend_wgpu) to wgpu code that writes it: whatever the host had counts as old
    /// afterwards.
    ///
    /// # Errors
    /// As [`lend_wgpu`](Self::lend_wgpu).
    pub fn lend_wgpu_mut(&mut self) -> Result<Lent<'_>, InteropError> {
        Lent::new(&self.core, true)
    }

    /// Gives the buffer away for good, with all that the host has newer uploaded and recorded work
    /// handed over. A kept [recording](crate::Recording) that names it goes on using it.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// # let Ok(device) = anywarp::Device::open("vulkan") else { return Ok(()) };
    /// let raw = device.buffer_from(&[1.0f32; 64])?.into_wgpu()?;
    /// assert_eq!(raw.size(), 256);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`lend_wgpu`](Self::lend_wgpu); the buffer is dropped then.
    pub fn into_wgpu(self) -> Result<wgpu::Buffer, InteropError> {
        Ok(self.lend_wgpu()?.buffer.clone())
    }
}
