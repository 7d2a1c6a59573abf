//! Devices, kernels and buffers.

use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

use anywarp::{DeviceOptions, UnifiedBuffer};
use js_sys::{Error, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use crate::launch::Launch;

/// A GPU of the browser.
#[wasm_bindgen]
pub struct Device {
    device: anywarp::Device,
}

/// A compiled kernel.
#[wasm_bindgen]
pub struct Kernel {
    kernel: anywarp::Kernel,
}

/// Memory of a device.
#[wasm_bindgen]
pub struct Buffer {
    pub(crate) shared: Rc<Memory>,
}

/// The memory of a buffer, which launches that are being built refer to as well.
pub(crate) struct Memory {
    buffer: RefCell<UnifiedBuffer<u8>>,
    /// The number of reads that have not ended.
    reads: Cell<usize>,
}

#[wasm_bindgen]
impl Device {
    /// Opens the browser's GPU.
    ///
    /// # Errors
    /// The browser has no usable GPU, or the script runs elsewhere, as in Node.
    pub async fn open() -> Result<Device, Error> {
        if !in_browser() {
            return Err(Error::new("found neither a page nor a worker of a browser: open the device there"));
        }
        let device = anywarp::Device::open_async(&DeviceOptions::default()).await.map_err(said)?;
        Ok(Self { device })
    }

    /// The browser's name for the GPU; often a placeholder.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn name(&self) -> String {
        self.device.caps().name.clone()
    }

    /// Compiles a kernel, a text in WGSL with one entry point.
    ///
    /// # Errors
    /// The text is not valid, or the device lacks a feature. The message has the line.
    pub fn kernel(&self, wgsl: &str) -> Result<Kernel, Error> {
        Ok(Kernel { kernel: self.device.kernel(wgsl).map_err(said)? })
    }

    /// Memory with a copy of these bytes. A typed array passes them as `new Uint8Array(array.buffer)`.
    ///
    /// # Errors
    /// The device has not enough memory.
    pub fn buffer(&self, bytes: &[u8]) -> Result<Buffer, Error> {
        Ok(Buffer::new(self.device.buffer_from(bytes).map_err(said)?))
    }

    /// Memory of so many bytes, which are zero.
    ///
    /// # Errors
    /// The device has not enough memory.
    pub fn zeros(&self, bytes: usize) -> Result<Buffer, Error> {
        Ok(Buffer::new(self.device.buffer(bytes).map_err(said)?))
    }
}

#[wasm_bindgen]
impl Kernel {
    /// Begins a launch.
    #[must_use]
    pub fn launch(&self) -> Launch {
        Launch::new(self.kernel.clone())
    }
}

#[wasm_bindgen]
impl Buffer {
    /// The size in bytes.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn size(&self) -> usize {
        // A launch borrows the buffer only while it is called, so it is free here.
        self.shared.buffer.borrow().len()
    }

    /// The bytes, after all work that writes them.
    ///
    /// The promise is refused if the device is lost. Until it is settled, launches that bind the buffer are refused.
    #[must_use]
    #[wasm_bindgen(unchecked_return_type = "Promise<Uint8Array>")]
    pub fn read(&self) -> Promise {
        // Counted at once: the future begins only when the script gives way, and a launch may come before.
        let read = Read::begin(&self.shared);
        future_to_promise(async move {
            let buffer = read.0.buffer.borrow();
            let bytes = buffer.read_async().await.map_err(said)?;
            Ok(Uint8Array::from(&bytes[..]).into())
        })
    }
}

impl Buffer {
    fn new(buffer: UnifiedBuffer<u8>) -> Self {
        Self { shared: Rc::new(Memory { buffer: RefCell::new(buffer), reads: Cell::new(0) }) }
    }
}

impl Memory {
    /// The buffer for a launch.
    ///
    /// # Errors
    /// A read has not ended, or the launch has bound the buffer to another variable.
    pub(crate) fn for_launch(&self) -> Result<RefMut<'_, UnifiedBuffer<u8>>, Error> {
        if self.reads.get() > 0 {
            return Err(Error::new("the buffer is being read: await its `read` first"));
        }
        self.buffer.try_borrow_mut().map_err(|_| Error::new("the buffer is bound to two variables: use two buffers"))
    }
}

/// A read that has not ended.
struct Read(Rc<Memory>);

impl Read {
    fn begin(memory: &Rc<Memory>) -> Self {
        memory.reads.set(memory.reads.get() + 1);
        Self(Rc::clone(memory))
    }
}

impl Drop for Read {
    fn drop(&mut self) {
        self.0.reads.set(self.0.reads.get() - 1);
    }
}

/// Whether the script belongs to a page or a worker. Elsewhere, wgpu panics.
fn in_browser() -> bool {
    let global = js_sys::global();
    ["Window", "WorkerGlobalScope"].iter().any(|class| js_sys::Reflect::has(&global, &(*class).into()) == Ok(true))
}

/// An error of JavaScript with the same message.
pub(crate) fn said(error: impl std::error::Error) -> Error {
    Error::new(&error.to_string())
}
