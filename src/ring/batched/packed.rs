//! Slots of many actors in one transfer: they travel side by side, and kernels move them from and to their places.
//!
//! A transfer of its own for the slots of each actor would cost some microseconds each. One of all slots at once would
//! take slots along that senders write meanwhile, and a kernel could handle a message that is not counted as sent.

use std::ops::Range;
use std::sync::atomic::AtomicU32;

use super::super::waits::Waits;
use super::copies::{load, read, store, write};
use crate::buffer::UnifiedBuffer;
use crate::device::Device;
use crate::error::Error;
use crate::kernel::{Kernel, Launch, Wgsl};
use crate::submit::Destination;

/// The kernels. A list has the numbers of slots, then, for the way to the device, the words of these slots.
const TEXT: &str = "
struct Slots { count: u32, words: u32 }
@group(0) @binding(0) var<uniform> slots: Slots;
@group(0) @binding(1) var<storage, read> list: array<u32>;
@group(0) @binding(2) var<storage, read_write> memory: array<u32>;
@group(0) @binding(3) var<storage, read_write> packed: array<u32>;

@compute @workgroup_size(64)
fn unpack(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= slots.count * slots.words { return; }
    memory[list[id.x / slots.words] * slots.words + id.x % slots.words] = list[slots.count + id.x];
}

@compute @workgroup_size(64)
fn pack(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= slots.count * slots.words { return; }
    packed[id.x] = memory[list[id.x / slots.words] * slots.words + id.x % slots.words];
}";

/// The most words of a list: devices limit the length of a binding, browsers to 128 MiB.
const MOST_WORDS: usize = 1 << 24;

/// The kernels of a device that move slots.
pub(super) struct Mover {
    device: Device,
    unpack: Kernel,
    pack: Kernel,
}

/// The host's words of all actors in one direction.
#[derive(Clone, Copy)]
pub(super) struct Mirror<'a> {
    pub(super) words: &'a [AtomicU32],
    /// The words of a slot.
    pub(super) stride: usize,
}

impl Mirror<'_> {
    fn slot(self, number: u32) -> Range<usize> {
        let start = number as usize * self.stride;
        start..start + self.stride
    }
}

/// Numbers of slots that lie on the device, too.
pub(super) struct List<'a> {
    slots: &'a [u32],
    memory: UnifiedBuffer<u32>,
}

/// A launch of one of the kernels.
fn move_slots<'a>(
    kernel: &Kernel,
    slots: &[u32],
    mirror: Mirror<'_>,
    list: &'a UnifiedBuffer<u32>,
    memory: &'a mut UnifiedBuffer<u32>,
) -> Launch<'a> {
    let launch = kernel.launch().set("slots.count", slots.len() as u32).set("slots.words", mirror.stride as u32);
    launch.bind("list", list).bind("memory", memory)
}

impl Mover {
    pub(super) fn new(device: &Device) -> Result<Self, Error> {
        let kernel = |entry| device.kernel(Wgsl::new(TEXT).file("ring slots").entry(entry));
        Ok(Self { device: device.clone(), unpack: kernel("unpack")?, pack: kernel("pack")? })
    }

    /// Copies slots to the device. `slots` are their numbers among those of all actors. Returns them for the replies.
    pub(super) async fn send<'a>(
        &self,
        waits: Waits,
        slots: &'a [u32],
        mirror: Mirror<'_>,
        memory: &mut UnifiedBuffer<u32>,
    ) -> Result<Vec<List<'a>>, Error> {
        let mut lists = Vec::new();
        for slots in slots.chunks(MOST_WORDS / (1 + mirror.stride)) {
            let words = slots.len() * mirror.stride;
            let mut list = self.device.scratch::<u32>(slots.len() + words, &Destination::Own)?;
            let mut target = write(waits, &mut list, 0..slots.len() + words).await?;
            let (numbers, content) = target.split_at_mut(slots.len());
            numbers.copy_from_slice(slots);
            for (target, slot) in content.chunks_exact_mut(mirror.stride).zip(slots) {
                load(target, mirror.words, mirror.slot(*slot));
            }
            drop(target);
            move_slots(&self.unpack, slots, mirror, &list, memory).threads(words)?;
            lists.push(List { slots, memory: list });
        }
        Ok(lists)
    }

    /// Copies slots of the device to the host.
    pub(super) async fn receive(
        &self,
        waits: Waits,
        lists: Vec<List<'_>>,
        mirror: Mirror<'_>,
        memory: &mut UnifiedBuffer<u32>,
    ) -> Result<(), Error> {
        for List { slots, memory: list } in lists {
            let words = slots.len() * mirror.stride;
            let mut packed = self.device.scratch::<u32>(words, &Destination::Own)?;
            move_slots(&self.pack, slots, mirror, &list, memory).bind("packed", &mut packed).threads(words)?;
            let packed = read(waits, &packed, 0..words).await?;
            for (source, slot) in packed.chunks_exact(mirror.stride).zip(slots) {
                store(source, mirror.words, mirror.slot(*slot));
            }
        }
        Ok(())
    }
}
