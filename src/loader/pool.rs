//! The memory of batches, which is reused.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::fields::Fields;
use crate::device::Device;
use crate::error::BufferError;
use crate::submit::Scope;

/// The number of sets (each the buffers of one batch) that stay unused in the pool while a set is taken from it, with
/// unified memory: a batch can be written only after the device has finished with the previous one in the same memory.
const RESTING: usize = 2;

struct Idle<F: Fields> {
    /// The unused sets, each with its number of samples, in the order in which they were returned.
    sets: VecDeque<(usize, F::Set)>,
    /// The number of existing sets for whole batches, in the pool or in use.
    whole: usize,
}

/// The memory that the batches of one loader use in turn.
pub(super) struct Pool<F: Fields> {
    device: Device,
    lengths: F::Lengths,
    batch_size: usize,
    resting: usize,
    /// The greatest number of unused sets that the pool keeps; if another one is returned, the oldest one is freed.
    most: usize,
    idle: Mutex<Idle<F>>,
}

impl<F: Fields> Pool<F> {
    /// A pool for batches of `batch_size` samples. `ahead` batches are loaded ahead of the consumer, and the consumer
    /// holds one more.
    pub(super) fn new(device: &Device, lengths: F::Lengths, batch_size: usize, ahead: usize) -> Self {
        let resting = if device.caps().unified { RESTING } else { 0 };
        let most = ahead.saturating_add(1 + resting);
        let idle = Mutex::new(Idle { sets: VecDeque::new(), whole: 0 });
        Self { device: device.clone(), lengths, batch_size, resting, most, idle }
    }

    /// Begins a part of the loader's time, for timelines.
    pub(super) fn scope(&self, name: &str) -> Scope {
        self.device.context.scope(name)
    }

    fn idle(&self) -> MutexGuard<'_, Idle<F>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lengths(&self) -> F::Lengths {
        self.lengths
    }

    /// Takes memory for a batch of `samples` samples.
    pub(super) fn take(&self, samples: usize) -> Result<F::Set, BufferError> {
        let mut idle = self.idle();
        // A set that a recording still uses is not free: its contents must not change.
        let is_free = |set: &(usize, F::Set)| set.0 == samples && !F::is_held(&set.1);
        let fitting = idle.sets.iter().filter(|set| is_free(set)).count();
        let is_whole = samples == self.batch_size;
        if fitting > self.resting || !is_whole || idle.whole >= self.most {
            let oldest = idle.sets.iter().position(is_free);
            if let Some((_, set)) = oldest.and_then(|at| idle.sets.remove(at)) {
                return Ok(set);
            }
        }
        idle.whole += usize::from(is_whole);
        drop(idle);
        let set = F::allocate(&self.device, self.lengths, samples);
        if set.is_err() {
            self.lost(samples);
        }
        set
    }

    /// Returns memory to the pool.
    pub(super) fn give(&self, samples: usize, set: F::Set) {
        let mut idle = self.idle();
        idle.sets.push_back((samples, set));
        let beyond = if idle.sets.len() > self.most { idle.sets.pop_front() } else { None };
        drop(idle);
        if let Some((samples, _freed)) = beyond {
            self.lost(samples);
        }
    }

    /// Reduces the number of existing sets by one set that does not return to the pool.
    pub(super) fn lost(&self, samples: usize) {
        if samples == self.batch_size {
            let mut idle = self.idle();
            idle.whole = idle.whole.saturating_sub(1);
        }
    }
}
