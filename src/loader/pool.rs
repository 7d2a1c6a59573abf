//! Batches' memory, used again and again.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::fields::Fields;
use crate::device::Device;
use crate::error::BufferError;

/// Where memory is one, a batch can be written only when the device has done with the one before it
/// in the same memory: so that many rest before they are taken again.
const RESTING: usize = 2;

struct Idle<F: Fields> {
    /// In the order in which they were given back.
    sets: VecDeque<(usize, F::Set)>,
    /// Sets for whole batches that exist, here or out.
    whole: usize,
}

/// The memory that the batches of one loader have in turns.
pub(super) struct Pool<F: Fields> {
    device: Device,
    lengths: F::Lengths,
    batch_size: usize,
    resting: usize,
    /// Beyond this, memory is not kept.
    most: usize,
    idle: Mutex<Idle<F>>,
}

impl<F: Fields> Pool<F> {
    /// For batches of `batch_size`, of which `ahead` are loaded ahead of the consumer, who has one.
    pub(super) fn new(device: &Device, lengths: F::Lengths, batch_size: usize, ahead: usize) -> Self {
        let resting = if device.caps().unified { RESTING } else { 0 };
        let most = ahead.saturating_add(1 + resting);
        let idle = Mutex::new(Idle { sets: VecDeque::new(), whole: 0 });
        Self { device: device.clone(), lengths, batch_size, resting, most, idle }
    }

    fn idle(&self) -> MutexGuard<'_, Idle<F>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lengths(&self) -> F::Lengths {
        self.lengths
    }

    /// Memory for a batch of `samples`.
    pub(super) fn take(&self, samples: usize) -> Result<F::Set, BufferError> {
        let mut idle = self.idle();
        // What a recording that is kept names stays what it is. Nobody but it could name it once more.
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

    /// Takes memory back.
    pub(super) fn give(&self, samples: usize, set: F::Set) {
        let mut idle = self.idle();
        idle.sets.push_back((samples, set));
        let beyond = if idle.sets.len() > self.most { idle.sets.pop_front() } else { None };
        drop(idle);
        if let Some((samples, _freed)) = beyond {
            self.lost(samples);
        }
    }

    /// Notes that memory was not given back.
    pub(super) fn lost(&self, samples: usize) {
        if samples == self.batch_size {
            let mut idle = self.idle();
            idle.whole = idle.whole.saturating_sub(1);
        }
    }
}
