//! A call at a small size on `cpu:checked`.

use super::{Contents, Workload};
use crate::device::Device;
use crate::error::Error;
use crate::ops::Reason;
use crate::ops::choices::session::{ANY_SIZES, Trial, observe};

/// The call, with its device.
pub(super) struct SmallCall {
    device: Device,
    call: Box<dyn Workload>,
}

impl SmallCall {
    pub(super) fn new(call: impl Fn(&Device) -> Result<Box<dyn Workload>, Error>) -> Result<Self, Error> {
        let device = Device::open("cpu:checked")?;
        let call = call(&device)?;
        Ok(Self { device, call })
    }

    /// Runs the call with a candidate and returns its results, or a finding as text; no results if the operator cannot run
    /// the candidate there.
    ///
    /// # Errors
    /// The error of the call.
    pub(super) fn check(
        &mut self,
        operator: &str,
        candidate: &str,
    ) -> Result<Result<Option<Vec<Contents>>, String>, Error> {
        let [operator, sizes, candidate] = [operator, ANY_SIZES, candidate].map(str::to_owned);
        let trial = Trial { operator, sizes, candidate };
        let (recorded, decisions) = observe(std::slice::from_ref(&trial), || self.call.record());
        let recording = recorded?;
        if !decisions.iter().any(|taken| taken.reason == Reason::Tried && taken.chosen == trial.candidate) {
            return Ok(Ok(None));
        }
        let errors = self.device.findings().errors().count();
        self.call.reset(false)?;
        recording.submit()?.wait()?;
        let results = self.call.results()?;
        Ok(match self.device.findings().errors().nth(errors) {
            Some(finding) => Err(format!("a finding of cpu:checked: {finding}")),
            None => Ok(Some(results)),
        })
    }
}
