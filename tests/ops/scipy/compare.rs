//! Comparisons with bounds, and the greatest errors that they have found.

use std::collections::BTreeMap;
use std::fmt;

use crate::outcome::{TestResult, ensure};

/// The greatest errors, by what is compared.
pub(super) struct Found(BTreeMap<String, Worst>);

#[derive(Default)]
struct Worst {
    comparisons: usize,
    /// The greatest error as a share of its bound, and where it was.
    share: f64,
    place: String,
}

/// The comparisons of a file.
pub(super) struct Report {
    file: String,
    found: Found,
    failures: Vec<String>,
}

impl Found {
    pub(super) const fn new() -> Self {
        Self(BTreeMap::new())
    }

    fn add(&mut self, what: &str, other: Worst) {
        let worst = self.0.entry(what.to_owned()).or_default();
        worst.comparisons += other.comparisons;
        if other.share >= worst.share {
            (worst.share, worst.place) = (other.share, other.place);
        }
    }
}

impl Report {
    pub(super) fn new(file: String) -> Self {
        Self { file, found: Found::new(), failures: Vec::new() }
    }

    /// Adds the errors to those of other files; fails unless there are some and all are within their bounds.
    pub(super) fn end(self, all: &mut Found) -> TestResult {
        let has_compared = !self.found.0.is_empty();
        self.found.0.into_iter().for_each(|(what, worst)| all.add(&what, worst));
        ensure(self.failures.is_empty(), || self.failures.join("\n"))?;
        ensure(has_compared, || "nothing was compared".to_owned())
    }

    /// The root of the mean square of the differences, relative to that of the expected numbers.
    pub(super) fn root_mean_square(&mut self, what: &str, got: &[f64], wanted: &[f64], bound: f64) {
        let error: f64 = got.iter().zip(wanted).map(|(got, wanted)| (got - wanted).powi(2)).sum();
        let size: f64 = wanted.iter().map(|wanted| wanted.powi(2)).sum();
        self.add(what, [got.len(), wanted.len()], share(error.sqrt(), size.sqrt()), bound);
    }

    /// The greatest difference, relative to the greatest of the expected numbers.
    pub(super) fn greatest(&mut self, what: &str, got: &[f64], wanted: &[f64], bound: f64) {
        let size = wanted.iter().fold(0.0f64, |most, wanted| most.max(wanted.abs()));
        let error = got.iter().zip(wanted).map(|(got, wanted)| share(got - wanted, size)).fold(0.0, f64::max);
        self.add(what, [got.len(), wanted.len()], error, bound);
    }

    /// The greatest difference relative to the bound of its element, in units.
    pub(super) fn each(&mut self, what: &str, got: &[f64], wanted: &[f64], (bounds, unit): (&[f64], f64)) {
        let pairs = got.iter().zip(wanted).zip(bounds);
        let error = pairs.map(|((got, wanted), bound)| share(got - wanted, *bound)).fold(0.0, f64::max);
        self.add(what, [got.len().min(bounds.len()), wanted.len()], error, unit);
    }

    /// Adds an error under the part of `what` before a comma.
    fn add(&mut self, what: &str, [got, wanted]: [usize; 2], error: f64, bound: f64) {
        if got != wanted {
            return self.failures.push(format!("{what}: {got} numbers, expected {wanted}"));
        }
        if error > bound {
            self.failures.push(format!("{what}: an error of {error:e}, at most {bound:e}"));
        }
        let place = format!("{}: {what}, {error:.2e}", self.file);
        let family = what.split(',').next().unwrap_or(what);
        self.found.add(family, Worst { comparisons: 1, share: error / bound, place });
    }
}

/// A difference as a share of a size, which may be 0. NaN is beyond every bound.
fn share(difference: f64, size: f64) -> f64 {
    match difference.abs() {
        0.0 => 0.0,
        difference if difference.is_nan() => f64::INFINITY,
        difference => difference / size,
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, Worst { comparisons, share, place }) in &self.0 {
            writeln!(f, "{what}: {comparisons} compared, at most {share:.3} of the bound ({place})")?;
        }
        Ok(())
    }
}
