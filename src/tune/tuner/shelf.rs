//! The kept results of one kernel on one device, for one bucket of sizes.

use std::fmt::Write;

use anywarp_host::cache::Fingerprint;

use super::table::{self, Row};
use super::{Tuner, names};
use crate::error::KernelError;
use crate::tune::{Candidate, Goal, Record, Space, State, Store};

pub(super) struct Shelf {
    store: Option<Store>,
    /// A record with the device, the kernel and the sizes, from which all others are made.
    blank: Record,
}

impl Shelf {
    pub(super) fn new(tuner: &Tuner<'_>, store: Option<Store>) -> Result<Self, KernelError> {
        let blank = Record::blank(tuner.device.caps(), kernel(tuner)?, bucket(&tuner.key));
        Ok(Self { store, blank })
    }

    /// The kept winner and the rows of all candidates; `None` if there is none, or it is not among the candidates.
    pub(super) fn find(&self, space: &Space, candidates: &[Candidate]) -> Option<(usize, Vec<Row>)> {
        let kept = match self.store.as_ref()?.read() {
            Ok(kept) => kept,
            Err(error) => {
                log::warn!("{error}");
                return None;
            }
        };
        for problem in &kept.problems {
            log::warn!("a result of tuning is ignored: {problem}");
        }
        let ours: Vec<Record> = kept.records.into_iter().filter(|record| self.is_ours(record)).collect();
        let record_of = |at: usize| {
            let values = space.describe(&candidates[at]);
            ours.iter().find(|record| record.values == values)
        };
        let won = (0..candidates.len()).filter(|at| record_of(*at).is_some_and(|record| record.state == State::Best));
        let winner = won.max_by_key(|at| record_of(*at).map(|record| record.at))?;
        let kept = |at| table::kept(record_of(at));
        let rows = table::rows(&names(space, candidates), winner, Goal::of(&ours), kept);
        Some((winner, rows))
    }

    /// Keeps the rows of a search, the first of which is the winner's.
    pub(super) fn keep(&self, rows: &[Row]) {
        let Some(store) = &self.store else { return };
        let tried = rows.iter().enumerate().filter(|(_, row)| row.rounds > 0 || row.dropped.is_some());
        let records: Vec<Record> = tried.map(|(place, row)| self.record(place == 0, row)).collect();
        if let Err(error) = store.add(&records) {
            log::warn!("{error}");
        }
    }

    fn record(&self, is_best: bool, row: &Row) -> Record {
        let state = match &row.dropped {
            Some(dropped) => State::Dropped(dropped.to_string()),
            None if is_best => State::Best,
            None => State::Measured,
        };
        let (values, time, energy) = (row.values.clone(), row.time, row.energy);
        Record { values, time, energy, rounds: row.rounds, state, ..self.blank.clone() }
    }

    fn is_ours(&self, record: &Record) -> bool {
        let parts = |of: &Record| {
            [&of.device, &of.driver, &of.version, &of.kernel, &of.sizes].map(|part| part.as_str().to_owned())
        };
        parts(record) == parts(&self.blank)
    }
}

/// The kernel's name, and the fingerprint of its texts and options: all that the results depend on, apart from the
/// values of the parameters.
fn kernel(tuner: &Tuner<'_>) -> Result<String, KernelError> {
    let program = tuner.wgsl.program(tuner.device.caps())?;
    let text = program.source.as_ref().map(|source| source.text().to_owned()).unwrap_or_default();
    let mut fingerprint = Fingerprint::default();
    let _ = write!(fingerprint, "{text:?} {} {:?} {:?}", program.entry_point, program.leave, tuner.wgsl.overrides);
    if tuner.goal != Goal::Time {
        let _ = write!(fingerprint, " {:?}", tuner.goal);
    }
    Ok(format!("{} {fingerprint}", program.name))
}

/// Sizes rounded up to powers of two: `1024x64`; `-` without sizes.
fn bucket(sizes: &[u64]) -> String {
    let rounded = |size: &u64| if *size == 0 { 0 } else { size.checked_next_power_of_two().unwrap_or(u64::MAX) };
    let sizes: Vec<String> = sizes.iter().map(|size| rounded(size).to_string()).collect();
    if sizes.is_empty() { "-".to_owned() } else { sizes.join("x") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up() {
        assert_eq!(bucket(&[]), "-");
        assert_eq!(bucket(&[1, 1000, 1024, 1025, 0]), "1x1024x1024x2048x0");
        assert_eq!(bucket(&[u64::MAX]), u64::MAX.to_string());
    }
}
