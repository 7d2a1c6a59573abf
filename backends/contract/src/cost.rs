//! What copies cost, measured.

use std::time::{Duration, Instant};

use crate::{Backend, BackendError, MemoryId, MemoryKind, Recording, Region};

/// Bytes of the memories that are measured with.
const BYTES: u64 = 1 << 20;
/// More copies than one, to see what each of them takes.
const MORE: u64 = 64;
/// Bytes that those copy, apart from each other.
const SHORT: u64 = 256;
/// Of so many times the shortest counts: the others were disturbed.
const ROUNDS: usize = 4;

/// What copies from the device to the host cost, measured when the device was opened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyCost {
    /// What one more copy in a submission takes, however short.
    pub command: Duration,
    /// Bytes a second, once a copy has begun.
    pub rate: f64,
}

impl CopyCost {
    /// The longest gap, in bytes, that is cheaper to copy along than to leave out: a copy that goes on over
    /// it takes no longer than a second one.
    ///
    /// ```
    /// # use std::time::Duration;
    /// let cost = anywarp_backend::CopyCost { command: Duration::from_micros(2), rate: 10e9 };
    /// assert_eq!(cost.gap(), 20_000);
    /// ```
    #[must_use]
    pub fn gap(&self) -> u64 {
        (self.command.as_secs_f64() * self.rate) as u64
    }

    /// Measures a device that is idle, in a millisecond or two.
    ///
    /// # Errors
    /// Those of the backend's methods.
    pub fn measure(backend: &dyn Backend) -> Result<Self, BackendError> {
        let source = backend.allocate(BYTES, MemoryKind::Device, "anywarp probe")?;
        let measured = backend.allocate(BYTES, MemoryKind::Readback, "anywarp probe").and_then(|target| {
            let measured = Self::between(backend, source, target);
            backend.free(target);
            measured
        });
        backend.free(source);
        measured
    }

    fn between(backend: &dyn Backend, source: MemoryId, target: MemoryId) -> Result<Self, BackendError> {
        let spacing = BYTES / (MORE + 1) / SHORT * SHORT;
        let one = shortest(backend, source, target, 1, spacing, SHORT)?;
        let many = shortest(backend, source, target, MORE + 1, spacing, SHORT)?;
        let long = shortest(backend, source, target, 1, BYTES, BYTES)?;
        let command = many.saturating_sub(one) / MORE as u32;
        // A nanosecond at least: a clock that does not move must not make a rate of infinity.
        let moving = long.saturating_sub(one).max(Duration::from_nanos(1));
        Ok(Self { command, rate: (BYTES - SHORT) as f64 / moving.as_secs_f64() })
    }
}

/// The shortest time in which the host gets so many copies.
fn shortest(
    backend: &dyn Backend,
    source: MemoryId,
    target: MemoryId,
    copies: u64,
    spacing: u64,
    bytes: u64,
) -> Result<Duration, BackendError> {
    let mut recording = Recording::new();
    for index in 0..copies {
        let at = |memory| Region { memory, offset: index * spacing, bytes };
        recording.copy(at(source), at(target));
    }
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        backend.submit(&recording)?;
        backend.map(target)?.wait()?;
        best = best.min(start.elapsed());
        backend.unmap(target)?;
    }
    Ok(best)
}
