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

/// Where the log has what kernels print.
const TARGET: &str = "anywarp::debug";

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
    /// Each line goes to the log as well, at level `info` with the target `anywarp::debug`, when it
    /// comes to the host. While somebody listens to that target (`RUST_LOG=anywarp::debug=info` with
    /// `env_logger`), [`synchronize`](Self::synchronize) brings it there too; the next call of this
    /// method still returns it, up to 65 536 lines.
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
        let noted = |error: &BackendError| self.inner.timeline.note(error);
        if let Some((collecting, ticket)) = begin(&self.inner).inspect_err(noted)? {
            ticket.wait().inspect_err(noted)?;
            let output = collecting.finish().inspect_err(noted)?;
            return Ok(self.inner.debug.take_kept(output));
        }
        Ok(DebugOutput::default())
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
        let noted = |error: &BackendError| self.inner.timeline.note(error);
        if let Some((collecting, ticket)) = begin(&self.inner).inspect_err(noted)? {
            ticket.await.inspect_err(noted)?;
            let output = collecting.finish().inspect_err(noted)?;
            return Ok(self.inner.debug.take_kept(output));
        }
        Ok(DebugOutput::default())
    }

    /// Brings what was printed to the log, if somebody listens. What cannot be fetched now is not
    /// lost: it stays on the device.
    pub(crate) fn log_debug_output(&self) {
        if !log::log_enabled!(target: TARGET, log::Level::Info) {
            return;
        }
        if let Ok(Some((collecting, ticket))) = begin(&self.inner) {
            self.keep(ticket.wait().and_then(|()| collecting.finish()));
        }
    }

    /// [`log_debug_output`](Self::log_debug_output) without blocking.
    pub(crate) async fn log_debug_output_async(&self) {
        if !log::log_enabled!(target: TARGET, log::Level::Info) {
            return;
        }
        if let Ok(Some((collecting, ticket))) = begin(&self.inner) {
            self.keep(ticket.await.and_then(|()| collecting.finish()));
        }
    }

    fn keep(&self, fetched: Result<DebugOutput, BackendError>) {
        match fetched {
            Ok(output) => self.inner.debug.keep(output),
            Err(error) => log::warn!(target: TARGET, "what kernels printed could not be read: {error}"),
        }
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
    /// Logs it and gives it away.
    fn finish(self) -> Result<DebugOutput, BackendError> {
        let Some(block) = &self.block else { return Ok(DebugOutput::default()) };
        let host = self.device.backend.host(block.memory)?;
        let output = decode(&host.bytes()[..self.bytes as usize], &self.printers);
        for line in &output.lines {
            log::info!(target: TARGET, "{line}");
        }
        if output.dropped > 0 {
            log::warn!(target: TARGET, "{} calls found no room and were dropped", output.dropped);
        }
        Ok(output)
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
    device.timeline.alive()?;
    let mut pending = device.timeline.lock();
    // Before anything else: what cannot be handed over stays recorded, and is collected later.
    device.timeline.flush(&mut pending, &device.staging)?;
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
