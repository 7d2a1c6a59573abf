//! How what was printed comes to the host.

use std::sync::Arc;

use anywarp_backend::{BackendError, MemoryKind, Recording, Region, Ticket};

use super::decode::decode;
use super::memory::Printers;
use super::output::DebugOutput;
use crate::Device;
use crate::buffer::staging::Block;
use crate::device::DeviceInner;
use crate::error::Error;

impl Device {
    /// What kernels have printed since the last call: hands recorded work over, waits for all of it,
    /// and takes the output away.
    ///
    /// A kernel prints by calling a *debug function*: an empty function without a result, marked by
    /// the comment `// anywarp:debug` before it. Its parameters, scalars and vectors of 16 words at
    /// most, are what is printed. To other implementations of WGSL it is a function that does
    /// nothing.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// use anywarp::{DebugValue, Wgsl};
    ///
    /// let source = "\
    /// // anywarp:debug
    /// fn debug(label: u32, value: f32) {}
    ///
    /// @compute @workgroup_size(1)
    /// fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///     if id.x == 2 { debug(7, f32(id.x) / 4); }
    /// }";
    /// let kernel = device.kernel(Wgsl::new(source).file("main.wgsl"))?;
    /// kernel.launch().threads(64)?;
    ///
    /// let output = device.debug_output()?;
    /// assert_eq!(output.to_string(), "main.wgsl:6: debug(label = 7, value = 0.5) at [2, 0, 0]\n");
    /// assert_eq!(output.lines[0].arguments[1].value, DebugValue::F32(0.5));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// What a kernel printed before it was stopped is collected too; that it was stopped is told by
    /// [`synchronize`](Self::synchronize) and by reads of what it wrote.
    ///
    /// What nobody collects stays on the device, up to the size that `ANYWARP_DEBUG_BYTES` gives
    /// when the device is opened (1 MiB unless set); calls beyond it are counted
    /// ([`DebugOutput::dropped`]). Launches that print run one after the other. A kernel that calls
    /// no debug function pays nothing; one that does has one more storage buffer, and is larger and
    /// slower also where it prints nothing.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn debug_output(&self) -> Result<DebugOutput, Error> {
        let noted = |error: &BackendError| self.inner.stream.note(error);
        let Some((collecting, ticket)) = begin(&self.inner).inspect_err(noted)? else {
            return Ok(DebugOutput::default());
        };
        ticket.wait().inspect_err(noted)?;
        Ok(collecting.finish().inspect_err(noted)?)
    }

    /// [`debug_output`](Self::debug_output) without blocking. Output that is on its way when the
    /// future is dropped is lost.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// print!("{}", pollster::block_on(device.debug_output_async())?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub async fn debug_output_async(&self) -> Result<DebugOutput, Error> {
        let noted = |error: &BackendError| self.inner.stream.note(error);
        let Some((collecting, ticket)) = begin(&self.inner).inspect_err(noted)? else {
            return Ok(DebugOutput::default());
        };
        ticket.await.inspect_err(noted)?;
        Ok(collecting.finish().inspect_err(noted)?)
    }
}

/// Output on its way to the host.
struct Collecting {
    device: Arc<DeviceInner>,
    block: Option<Block>,
    bytes: u64,
    printers: Printers,
}

impl Collecting {
    fn finish(self) -> Result<DebugOutput, BackendError> {
        let Some(block) = &self.block else { return Ok(DebugOutput::default()) };
        let host = self.device.backend.host(block.memory)?;
        Ok(decode(&host.bytes()[..self.bytes as usize], &self.printers))
    }
}

impl Drop for Collecting {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.device.staging.release(block);
        }
    }
}

/// Fetches and clears. `None` if nothing that prints was ever launched.
fn begin(device: &Arc<DeviceInner>) -> Result<Option<(Collecting, Ticket)>, BackendError> {
    let mut pending = device.stream.lock();
    device.stream.alive()?;
    // Before anything else: what cannot be handed over stays recorded, and is collected later.
    device.stream.flush(&mut pending, &device.staging)?;
    let Some(printed) = device.debug.used() else { return Ok(None) };
    let block = device.staging.acquire(MemoryKind::Readback, printed.bytes)?;
    let memory = block.memory;
    let mut collecting = Collecting {
        device: Arc::clone(device),
        block: Some(block),
        bytes: printed.bytes,
        printers: Printers::default(),
    };
    device.backend.unmap(memory)?;
    let mut recording = Recording::new();
    // A kernel that was stopped leaves what it wrote in doubt, and the first copy of that may be
    // refused. What it printed before is just what somebody wants to see.
    recording.copy(Region { bytes: 4, ..printed }, Region { memory, offset: 0, bytes: 4 });
    recording.copy(printed, Region { memory, offset: 0, bytes: printed.bytes });
    recording.fill(printed, 0);
    // Not followed by the stream: whether the first copy was refused is nobody else's business.
    device.backend.submit(&recording)?;
    collecting.printers = device.debug.take_printers();
    drop(pending);
    let ticket = device.backend.map(memory)?;
    Ok(Some((collecting, ticket)))
}
