//! Measures what copies between host and device cost.

use std::time::{Duration, Instant};

use anywarp_backend::{Backend, BackendError, CopyCost, MemoryId, MemoryKind, OneWay, Recording, Region};

/// Bytes of the memories that are measured with.
const BYTES: u64 = 1 << 20;
/// More copies than one, to see what each of them takes.
const MORE: u64 = 64;
/// Bytes that those copy, apart from each other.
const SHORT: u64 = 256;
/// Where each of them begins behind the one before.
const SPACING: u64 = BYTES / (MORE + 1) / SHORT * SHORT;
/// The number of times that each is measured; the shortest counts, as the others were disturbed.
const ROUNDS: usize = 4;

/// Measures a device that is idle, in a few milliseconds.
///
/// # Errors
/// Those of the backend's methods.
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

/// One way, from the time that so many copies of so many bytes take.
fn one_way(copies: impl Fn(u64, u64) -> Result<Duration, BackendError>) -> Result<OneWay, BackendError> {
    let one = copies(1, SHORT)?;
    let many = copies(MORE + 1, SHORT)?;
    let long = copies(1, BYTES)?;
    let command = many.saturating_sub(one) / MORE as u32;
    // A nanosecond at least: a clock that does not move must not make a rate of infinity.
    let moving = long.saturating_sub(one).max(Duration::from_nanos(1));
    Ok(OneWay { command, rate: (BYTES - SHORT) as f64 / moving.as_secs_f64() })
}

/// Freed when it is dropped.
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

/// The shortest time in which the device gets so many copies, from when the host writes them.
fn up(
    backend: &dyn Backend,
    source: MemoryId,
    target: MemoryId,
    copies: u64,
    bytes: u64,
) -> Result<Duration, BackendError> {
    let mut recording = Recording::new();
    for index in 0..copies {
        // As they are staged: one behind the other.
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

/// The shortest time in which the host gets so many copies.
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
