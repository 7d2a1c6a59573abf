//! Interop with raw wgpu: wgpu's devices and buffers for anywarp, and anywarp's devices and buffers for wgpu code.
//!
//! The rules for either side are in the [parent module](super).

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use anywarp_backend::{Backend, MemoryKind};
use anywarp_wgpu::{Options, Origin, WgpuBackend};

pub use anywarp_wgpu::Handles;
/// The version of wgpu that anywarp is built with: only its devices and buffers can be shared.
pub use anywarp_wgpu::wgpu;

use super::{InteropError, refused, wanted};
use crate::buffer::UnifiedBuffer;
use crate::buffer::core::{Core, GuardToken};
use crate::buffer::uses::{Use, Uses};
use crate::device::{Device, DeviceOptions};
use crate::element::Element;
use crate::submit::Context;

/// Creates a device on an existing wgpu device. Kernels run on its queue, in the order in which both sides submit.
///
/// The new device has the capabilities with which `device` was requested, not all that the adapter offers. The
/// callbacks of `device` are not changed. Host and device share memory only if the device has
/// `Features::MAPPABLE_PRIMARY_BUFFERS`. [`Device::selector`] names the GPU: opening that selector, or
/// [`Device::reopen`], creates a separate device of anywarp on this GPU.
///
/// ```
/// use anywarp::interop::wgpu::{self as interop, wgpu};
///
/// # fn main() -> anywarp::Result<()> {
/// # let Ok(opened) = anywarp::Device::open("vulkan") else { return Ok(()) };
/// # let interop::Handles { adapter, device, queue } = opened.wgpu()?;
/// // With the adapter, device and queue of a renderer:
/// let anywarp = interop::device(&adapter, device, queue)?;
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
/// [`InteropError::Device`] if `adapter`, `device` and `queue` do not belong together, the backend is one that anywarp
/// does not use (GL), or the device is lost.
pub fn device(adapter: &wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Result<Device, InteropError> {
    let name = adapter.get_info().name;
    let handles = Handles { adapter: adapter.clone(), device, queue };
    let backend = WgpuBackend::over(handles, Options::default())
        .map_err(|error| InteropError::Device { device: name.clone(), error })?;
    let selector = format!("{}:{name}", backend.caps().backend);
    Ok(Device::with(backend, selector, DeviceOptions::default()))
}

/// Wraps a buffer that wgpu code created on the same device; nothing is copied. The program keeps its own handle, and
/// may use it only while the returned buffer is [lent](UnifiedBuffer::lend_wgpu) or after the returned buffer was
/// dropped. The results of commands that were submitted before this call are visible. Create only one such wrapper at a
/// time: two wrappers of the same buffer are not synchronised.
///
/// Operations that need a missing usage are refused when they are attempted:
///
/// | usage | required for |
/// |---|---|
/// | `STORAGE` | binding it to storage variables |
/// | `UNIFORM` | binding it to uniform variables |
/// | `INDIRECT` | [`Launch::indirect`](crate::Launch::indirect) |
/// | `COPY_SRC` | `read`, `update`, copying from it |
/// | `COPY_DST` | `write`, `update`, `fill`, copying to it |
/// | `MAP_READ` and `MAP_WRITE` | `read`, `write` and `update` without a copy, if [`Caps::unified`](crate::backend::Caps::unified) is set |
///
/// ```
/// use anywarp::interop::wgpu::{self as interop, wgpu};
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
/// let vertices = interop::buffer::<[f32; 4]>(&anywarp, raw.clone())?;
/// assert_eq!(vertices.len(), 256);
/// assert_eq!(vertices.read()?[255], [0.0; 4]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`InteropError::OtherBackend`], [`InteropError::OtherDevice`], [`InteropError::Size`], [`InteropError::Usages`],
/// [`InteropError::Mapped`], or the device's error. A buffer of another device is detected by provoking an error on
/// that other device, whose error callback receives it.
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
    /// Returns the wgpu adapter, device and queue of the device.
    ///
    /// Work that is submitted to the queue runs after all work that anywarp has submitted: see
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
    /// [`InteropError::OtherBackend`] if the device does not run on wgpu.
    pub fn wgpu(&self) -> Result<Handles, InteropError> {
        wgpu_of(&self.context).map(WgpuBackend::share)
    }
}

/// A buffer that is lent to wgpu code; derefs to [`wgpu::Buffer`]. Dropping this guard ends the loan: before that,
/// submit all work that uses the buffer.
///
/// While this guard exists, launches and other guards of the buffer are refused.
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

/// Sharing with raw wgpu: see [`interop`](crate::interop).
impl<T: Element> UnifiedBuffer<T> {
    /// Lends the buffer to wgpu code that reads it. The host's changes are uploaded and pending commands are submitted
    /// first, so that commands submitted afterwards see the current data.
    ///
    /// The lent buffer has the usages `STORAGE`, `UNIFORM`, `INDIRECT`, `COPY_SRC` and `COPY_DST`; for other usages
    /// create the buffer with wgpu and wrap it with [`buffer`]. The size of the lent buffer may be rounded up.
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
    /// [`InteropError::OtherBackend`]; [`InteropError::Buffer`] while a guard exists, or if the work that produces the
    /// data failed.
    pub fn lend_wgpu(&self) -> Result<Lent<'_>, InteropError> {
        Lent::new(&self.core, false)
    }

    /// [`lend_wgpu`](Self::lend_wgpu) to wgpu code that writes the buffer: the host's copy is invalid afterwards.
    ///
    /// # Errors
    /// As [`lend_wgpu`](Self::lend_wgpu).
    pub fn lend_wgpu_mut(&mut self) -> Result<Lent<'_>, InteropError> {
        Lent::new(&self.core, true)
    }

    /// Converts the buffer into a `wgpu::Buffer`, permanently. The host's changes are uploaded and pending commands are
    /// submitted first. A [recording](crate::Recording) that uses the buffer continues to use it.
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
    /// As [`lend_wgpu`](Self::lend_wgpu); in that case the buffer is dropped.
    pub fn into_wgpu(self) -> Result<wgpu::Buffer, InteropError> {
        Ok(self.lend_wgpu()?.buffer.clone())
    }
}
