//! Measures the cost of copies between host and device.

use std::time::{Duration, Instant};

use anywarp_backend::{Backend, BackendError, CopyCost, MemoryId, MemoryKind, OneWay, Recording, Region};

/// Size of the memories used for measuring, in bytes.
const BYTES: u64 = 1 << 20;
/// The difference in the number of short copies between two submissions: the difference in their times is the fixed
/// cost of this many copies.
const MORE: u64 = 64;
/// Size of each short copy, in bytes.
const SHORT: u64 = 256;
/// Distance between the starts of two successive short copies, in bytes.
const SPACING: u64 = BYTES / (MORE + 1) / SHORT * SHORT;
/// The number of repetitions of each measurement; the shortest time counts, because other work disturbed the longer
/// ones.
const ROUNDS: usize = 4;

/// Measures the cost of copies to and from an idle device, in a few milliseconds.
///
/// # Errors
/// The errors of the backend's methods.
pub fn measure_copy_cost(backend: &dyn Backend) -> Result<CopyCost, BackendError> {
    let mut memories = Memories { backend, all: Vec::new() };
    let device = memories.allocate(MemoryKind::Device)?;
    let upload = memories.allocate(MemoryKind::Upload)?;
    let readback = memories.allocate(MemoryKind::Readback)?;
    Ok(CopyCost {
        up: one_way(|copies, bytes| up(backend, upload, device, copies, bytes))?,
        down: one_way(|copies, bytes| down(backend, device, readback, copies, bytes))?,
    })
}

/// The cost of copies in one direction; `copies` returns the time for a number of copies of a number of bytes each.
fn one_way(copies: impl Fn(u64, u64) -> Result<Duration, BackendError>) -> Result<OneWay, BackendError> {
    let one = copies(1, SHORT)?;
    let many = copies(MORE + 1, SHORT)?;
    let long = copies(1, BYTES)?;
    let command = many.saturating_sub(one) / MORE as u32;
    // The time is at least a nanosecond, because a clock of low resolution must not result in an infinite rate.
    let moving = long.saturating_sub(one).max(Duration::from_nanos(1));
    Ok(OneWay { command, rate: (BYTES - SHORT) as f64 / moving.as_secs_f64() })
}

/// Memories that are freed on drop.
struct Memories<'a> {
    backend: &'a dyn Backend,
    all: Vec<MemoryId>,
}

impl Memories<'_> {
    fn allocate(&mut self, kind: MemoryKind) -> Result<MemoryId, BackendError> {
        let memory = self.backend.allocate(BYTES, kind, "anywarp probe")?;
        self.all.push(memory);
        Ok(memory)
    }
}

impl Drop for Memories<'_> {
    fn drop(&mut self) {
        self.all.iter().for_each(|memory| self.backend.free(*memory));
    }
}

/// The shortest time for this number of copies to the device, including the host's writes.
fn up(
    backend: &dyn Backend,
    source: MemoryId,
    target: MemoryId,
    copies: u64,
    bytes: u64,
) -> Result<Duration, BackendError> {
    let mut recording = Recording::new();
    for index in 0..copies {
        // The ranges in the staging memory are contiguous, as in an upload.
        let from = Region { memory: source, offset: index * bytes, bytes };
        recording.copy(from, Region { memory: target, offset: index * SPACING, bytes });
    }
    let written = vec![1; (copies * bytes) as usize];
    shortest(|| {
        backend.map(source)?.wait()?;
        backend.host(source)?.bytes_mut()[..written.len()].copy_from_slice(&written);
        backend.unmap(source)?;
        backend.submit(&recording)?.wait()
    })
}

/// The shortest time for this number of copies to the host.
fn down(
    backend: &dyn Backend,
    source: MemoryId,
    target: MemoryId,
    copies: u64,
    bytes: u64,
) -> Result<Duration, BackendError> {
    let mut recording = Recording::new();
    for index in 0..copies {
        let at = |memory| Region { memory, offset: index * SPACING, bytes };
        recording.copy(at(source), at(target));
    }
    shortest(|| {
        backend.submit(&recording)?;
        backend.map(target)?.wait()?;
        backend.unmap(target)
    })
}

fn shortest(copy: impl Fn() -> Result<(), BackendError>) -> Result<Duration, BackendError> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        copy()?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}
