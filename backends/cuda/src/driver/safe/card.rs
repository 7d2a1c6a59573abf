//! Memory of the card that the host writes while kernels read it.

use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::sync::{Arc, OnceLock};

use anywarp_backend::BackendError;

use super::vulkan::Exporter;
use super::{Context, Device, PinnedMemory, Stream};

/// The bytes that are written and read back when memory is allocated.
const PROBED: u64 = 4096;

/// The unit of sizes, which is that of pages on every card.
const PAGE: u64 = 64 << 10;

/// The way to memory of one card, found at the first allocation.
#[derive(Default)]
pub(crate) struct Window {
    exporter: OnceLock<Result<Arc<Exporter>, String>>,
}

impl Window {
    /// Allocates zeroed memory on the card that the host can write, and checks that what it writes arrives. The context
    /// is current, and that of the device.
    ///
    /// # Errors
    /// [`BackendError::no_inbox`] with the reason why there is none, [`BackendError::Lost`].
    pub(crate) fn allocate(
        &self,
        context: &Arc<Context>,
        device: Device,
        bytes: u64,
    ) -> Result<PinnedMemory, BackendError> {
        let memory = self.reserve(context, device, bytes).map_err(|reason| BackendError::no_inbox(&reason))?;
        arrives(context, &memory)?;
        Ok(memory)
    }

    fn reserve(&self, context: &Arc<Context>, device: Device, bytes: u64) -> Result<PinnedMemory, String> {
        let open = || {
            let own = device.uuid(context.driver)?;
            Exporter::open(|uuid| uuid == own)
        };
        let exporter = self.exporter.get_or_init(open).as_ref().map_err(Clone::clone)?;
        let (exported, handle) = exporter.allocate(bytes.next_multiple_of(PAGE))?;
        PinnedMemory::import(context, exported, handle, bytes).map_err(|failed| context.driver.said(failed))
    }
}

/// Writes words, has the card copy them back, and zeroes the memory.
fn arrives(context: &Arc<Context>, memory: &PinnedMemory) -> Result<(), BackendError> {
    const OPERATION: &str = "allocating";
    let landing = PinnedMemory::allocate(context, PROBED, OPERATION)?;
    let landing = landing.ok_or_else(|| BackendError::no_inbox("there is no memory to check it"))?;
    let (words, landed) = (memory.as_words(), landing.as_words());
    let word = |number: usize| (number as u32).wrapping_mul(0x9e37_79b9) | 1;
    for (number, own) in words.iter().take(landed.len()).enumerate() {
        own.store(word(number), Ordering::Relaxed);
    }
    // Such memory is written through buffers of the processor, which this empties.
    fence(Ordering::SeqCst);
    let stream = Stream::create(context, OPERATION)?;
    stream.copy_to_host(landing.host(), memory.device())?;
    stream.synchronize(OPERATION)?;
    let arrived = |(number, landed): (usize, &AtomicU32)| landed.load(Ordering::Relaxed) == word(number);
    // The memory may have fewer words than are copied.
    if !landed.iter().take(words.len()).enumerate().all(arrived) {
        return Err(BackendError::no_inbox("what the host writes there does not arrive"));
    }
    for own in words {
        own.store(0, Ordering::Relaxed);
    }
    fence(Ordering::SeqCst);
    Ok(())
}
