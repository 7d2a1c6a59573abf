//! Poisoned contents of a memory: failed work should have written them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Memory;
use crate::submit::failure::Failure;

/// The failure that poisons a memory. Submissions of several streams are completed in the order in
/// which they end, so the numbers say for which of them it holds.
pub(super) struct Poison {
    failure: Arc<Failure>,
    /// The submission of that work.
    from: u64,
    /// The submission since which the contents are whole again, or the failure was reported.
    until: u64,
}

impl Memory {
    /// Returns the failure that poisons the contents as a submission sees them.
    pub(crate) fn failure(&self, sequence: u64) -> Option<Arc<Failure>> {
        if !self.failed.load(Ordering::Acquire) {
            return None;
        }
        let state = self.state();
        let poison = state.poison.as_ref().filter(|poison| (poison.from..poison.until).contains(&sequence))?;
        Some(Arc::clone(&poison.failure))
    }

    /// Poisons the contents since a submission, unless an earlier one did.
    pub(crate) fn poison(&self, failure: &Arc<Failure>, sequence: u64) {
        let mut state = self.state();
        match &mut state.poison {
            Some(former) if (former.from..former.until).contains(&sequence) => former.until = u64::MAX,
            poison => *poison = Some(Poison { failure: Arc::clone(failure), from: sequence, until: u64::MAX }),
        }
        self.failed.store(true, Ordering::Release);
    }

    /// Ends the poison at a submission, which made the contents whole or reported the failure.
    pub(crate) fn clear_poison(&self, sequence: u64) {
        if !self.failed.load(Ordering::Acquire) {
            return;
        }
        if let Some(poison) = self.state().poison.as_mut().filter(|poison| poison.from <= sequence) {
            poison.until = poison.until.min(sequence);
        }
    }

    /// Takes the failure that poisons the contents, to report it; afterwards they count as whole.
    pub(crate) fn take_failure(&self) -> Option<Arc<Failure>> {
        if !self.failed.load(Ordering::Acquire) {
            return None;
        }
        let mut state = self.state();
        self.failed.store(false, Ordering::Release);
        state.poison.take().filter(|poison| poison.until == u64::MAX).map(|poison| poison.failure)
    }
}
