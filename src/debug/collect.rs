//! The transfer of debug output to the host.

use std::sync::Arc;

use anywarp_backend::{BackendError, MemoryKind, Recording, Region, Ticket};

use super::decode::decode;
use super::memory::{DebugMemory, Printers};
use super::output::DebugOutput;
use crate::submit::Context;
use crate::submit::staging::Block;

/// The target of the log lines.
const TARGET: &str = "anywarp::debug";

/// Waits for all work and takes its debug output.
pub(crate) fn output(device: &Arc<Context>, debug: &DebugMemory) -> Result<DebugOutput, BackendError> {
    let noted = |error: &BackendError| device.note(error);
    let Some((collecting, ticket)) = begin(device, debug).inspect_err(noted)? else {
        return Ok(DebugOutput::default());
    };
    ticket.wait().inspect_err(noted)?;
    Ok(debug.take_kept(collecting.finish().inspect_err(noted)?))
}

/// [`output`] without blocking.
pub(crate) async fn output_async(device: &Arc<Context>, debug: &DebugMemory) -> Result<DebugOutput, BackendError> {
    let noted = |error: &BackendError| device.note(error);
    let Some((collecting, ticket)) = begin(device, debug).inspect_err(noted)? else {
        return Ok(DebugOutput::default());
    };
    ticket.await.inspect_err(noted)?;
    Ok(debug.take_kept(collecting.finish().inspect_err(noted)?))
}

/// Whether debug output is logged.
pub(crate) fn is_logged() -> bool {
    log::log_enabled!(target: TARGET, log::Level::Info)
}

/// Fetches the debug output and logs it. On an error the output stays on the device.
pub(crate) fn log(device: &Arc<Context>, debug: &DebugMemory) {
    if let Ok(Some((collecting, ticket))) = begin(device, debug) {
        keep(debug, ticket.wait().and_then(|()| collecting.finish()));
    }
}

/// [`log`] without blocking.
pub(crate) async fn log_async(device: &Arc<Context>, debug: &DebugMemory) {
    if let Ok(Some((collecting, ticket))) = begin(device, debug) {
        keep(debug, ticket.await.and_then(|()| collecting.finish()));
    }
}

fn keep(debug: &DebugMemory, fetched: Result<DebugOutput, BackendError>) {
    match fetched {
        Ok(output) => debug.keep(output),
        Err(error) => log::warn!(target: TARGET, "the debug output of kernels could not be read: {error}"),
    }
}

/// Debug output that is being transferred to the host.
struct Collecting {
    device: Arc<Context>,
    block: Option<Block>,
    bytes: u64,
    printers: Printers,
}

impl Collecting {
    /// Logs the output and returns it.
    fn finish(self) -> Result<DebugOutput, BackendError> {
        let Some(block) = &self.block else { return Ok(DebugOutput::default()) };
        let host = self.device.backend.host(block.memory)?;
        let output = decode(&host.bytes()[..self.bytes as usize], &self.printers);
        for line in &output.lines {
            log::info!(target: TARGET, "{line}");
        }
        if output.dropped > 0 {
            log::warn!(target: TARGET, "{} calls were dropped: the debug memory is full", output.dropped);
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

/// Starts the transfer of the output and clears the debug memory. Returns `None` if no kernel that prints was ever
/// launched.
fn begin(device: &Arc<Context>, debug: &DebugMemory) -> Result<Option<(Collecting, Ticket)>, BackendError> {
    device.alive()?;
    let mut queue = device.queue();
    // Pending commands are submitted first. If they cannot be submitted, they stay recorded, and their output is
    // collected later.
    queue.flush()?;
    let Some(printed) = debug.used() else { return Ok(None) };
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
    // After a kernel was stopped, its results are poisoned, and the first copy of them may be refused. Its debug output
    // is still wanted, so the first copy is a dummy.
    recording.copy(Region { bytes: 4, ..printed }, Region { memory, offset: 0, bytes: 4 });
    recording.copy(printed, Region { memory, offset: 0, bytes: printed.bytes });
    recording.fill(printed, 0);
    // No stream tracks this submission, as a refusal of its first copy concerns no other work.
    queue.submit_apart(&recording)?;
    collecting.printers = debug.take_printers();
    drop(queue);
    let ticket = device.backend.map(memory)?;
    Ok(Some((collecting, ticket)))
}
