//! Epochs of a data set with numbered samples.

use std::sync::Arc;

use super::{Fields, Plan, Samples, Source, Target, Terms, call};
use crate::loader::error::{Fault, LoaderError};
use crate::loader::order::shuffled;
use crate::loader::{Dataset, Lengths};

/// A data set with numbered samples.
pub(in crate::loader) struct Indexed<D>(pub(in crate::loader) Arc<D>);

impl<D: Dataset> Source<D::Fields> for Indexed<D> {
    fn lengths(&self) -> Lengths<D::Fields> {
        self.0.lengths()
    }

    fn is_indexed(&self) -> bool {
        true
    }

    fn plan(&self, epoch: u64, terms: &Terms) -> Result<Arc<dyn Plan<D::Fields>>, LoaderError> {
        let samples = self.0.len();
        let order = terms.shuffle.map(|seed| shuffled(samples, seed, epoch)).transpose();
        let order = order.map_err(|_| LoaderError::TooManySamples { samples })?.map(Arc::new);
        let whole = samples / terms.batch_size;
        let jobs = if terms.drop_last { whole } else { samples.div_ceil(terms.batch_size) } as u64;
        Ok(Arc::new(Epoch { dataset: Arc::clone(&self.0), order, samples, batch_size: terms.batch_size, jobs }))
    }
}

struct Epoch<D> {
    dataset: Arc<D>,
    order: Option<Arc<Vec<usize>>>,
    /// The number of samples at the start of the epoch.
    samples: usize,
    batch_size: usize,
    jobs: u64,
}

impl<D> Epoch<D> {
    fn samples(&self, job: u64) -> Samples {
        let start = (job as usize).saturating_mul(self.batch_size).min(self.samples);
        let end = start.saturating_add(self.batch_size).min(self.samples);
        Samples { order: self.order.clone(), range: start..end, shard: None }
    }
}

impl<D: Dataset> Plan<D::Fields> for Epoch<D> {
    fn is_over(&self, job: u64) -> bool {
        job >= self.jobs
    }

    fn lanes(&self) -> Option<u64> {
        None
    }

    fn most(&self, job: u64) -> usize {
        self.samples(job).len()
    }

    /// Does nothing: the next batch has other samples.
    fn refused(&self, _job: u64) {}

    fn read(&self, job: u64, target: &mut Target<'_, D::Fields>) -> Result<Samples, Fault> {
        let samples = self.samples(job);
        let fault = |index, cause| Fault::Sample { sample: Some(index), shard: None, cause };
        let first = samples.iter().next().unwrap_or_default();
        let now = call(|| Ok(self.dataset.len())).map_err(|cause| fault(first, cause))?;
        for (at, index) in samples.iter().enumerate() {
            if index >= now {
                return Err(Fault::Shrunk { sample: index, expected: self.samples, now });
            }
            if (target.cancelled)() {
                return Ok(Samples { order: None, range: 0..0, shard: None });
            }
            let slots = D::Fields::sample(target.open, target.lengths, at);
            call(|| self.dataset.read(index, slots)).map_err(|cause| fault(index, cause))?;
        }
        Ok(samples)
    }
}
