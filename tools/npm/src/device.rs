//! Devices, kernels and buffers.

use std::cell::RefCell;
use std::rc::Rc;

use anywarp::{DeviceOptions, UnifiedBuffer};
use js_sys::Error;
use wasm_bindgen::prelude::*;

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
    pub(crate) shared: Rc<RefCell<UnifiedBuffer<u8>>>,
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
        Ok(Buffer { shared: Rc::new(RefCell::new(self.device.buffer_from(bytes).map_err(said)?)) })
    }

    /// Memory of so many bytes, which are zero.
    ///
    /// # Errors
    /// The device has not enough memory.
    pub fn zeros(&self, bytes: usize) -> Result<Buffer, Error> {
        Ok(Buffer { shared: Rc::new(RefCell::new(self.device.buffer(bytes).map_err(said)?)) })
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
    ///
    /// # Errors
    /// The buffer is in use.
    #[wasm_bindgen(getter)]
    pub fn size(&self) -> Result<usize, Error> {
        Ok(self.shared.try_borrow().map_err(|_| in_use())?.len())
    }

    /// The bytes, after all work that writes them.
    ///
    /// # Errors
    /// The device is lost. Until the promise is fulfilled, launches that bind the buffer are refused.
    pub async fn read(&self) -> Result<Vec<u8>, Error> {
        let shared = Rc::clone(&self.shared);
        let buffer = shared.try_borrow().map_err(|_| in_use())?;
        let bytes = buffer.read_async().await.map_err(said)?;
        Ok(bytes.to_vec())
    }
}

/// Whether the script belongs to a page or a worker. Elsewhere, wgpu panics.
fn in_browser() -> bool {
    let global = js_sys::global();
    ["Window", "WorkerGlobalScope"].iter().any(|class| js_sys::Reflect::has(&global, &(*class).into()) == Ok(true))
}

pub(crate) fn in_use() -> Error {
    Error::new("the buffer is being read, or is bound twice: await its `read`, or use two buffers")
}

/// An error of JavaScript with the same message.
pub(crate) fn said(error: impl std::error::Error) -> Error {
    Error::new(&error.to_string())
}
