//! The search of candidates, with errors of tuning.

use super::{Candidate, Found, Judge, Search, TuneError};

impl Search {
    /// Searches. Candidate 0 is the default: it wins if no other one is more than 3 % faster. At the end the winner and the
    /// default are measured again, in turn, and only these times decide between the two.
    ///
    /// # Errors
    /// [`TuneError::DefaultFailed`] if the default candidate fails, or there are no candidates.
    pub fn run(&self, candidates: &[Candidate], judge: &mut impl Judge) -> Result<Found, TuneError> {
        self.find(candidates, judge).map_err(|reason| TuneError::DefaultFailed { reason })
    }
}
