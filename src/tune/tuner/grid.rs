//! The grid of a candidate, and the values that it may depend on.

use std::cell::RefCell;

use crate::kernel::{Extent, Launch};
use crate::submit::Submission;
use crate::tune::{Candidate, Space, TuneError};

/// The values of the overrides of one candidate, by their names.
#[derive(Clone, Debug)]
pub struct Overrides {
    pairs: Vec<(String, f64)>,
    /// The first name that was asked for and does not exist.
    unknown: RefCell<Option<String>>,
}

impl Overrides {
    pub(super) fn new(space: &Space, candidate: &Candidate) -> Self {
        let pairs = space.names().map(str::to_owned).zip(candidate.values().iter().copied()).collect();
        Self { pairs, unknown: RefCell::default() }
    }

    /// The value of an override as a size: rounded down, and at least 1, so that it can be divided by. An unknown name
    /// gives 1 here, and an error of [`Tuner::run`](super::Tuner::run).
    #[must_use]
    pub fn size(&self, name: &str) -> usize {
        (self.value(name) as usize).max(1)
    }

    /// The value of an override. An unknown name gives 1 here, and an error of [`Tuner::run`](super::Tuner::run).
    #[must_use]
    pub fn value(&self, name: &str) -> f64 {
        match self.pairs.iter().find(|(known, _)| known == name) {
            Some((_, value)) => *value,
            None => {
                self.unknown.borrow_mut().get_or_insert_with(|| name.to_owned());
                1.0
            }
        }
    }

    /// All names with their values, in the order of the space.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, f64)> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// The error of the first unknown name, if any.
    pub(super) fn check(&self) -> Result<(), TuneError> {
        let Some(name) = self.unknown.borrow().clone() else { return Ok(()) };
        let known = self.pairs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        Err(TuneError::UnknownInGrid { name, known })
    }
}

/// The extent as a function of the overrides.
type Function<'a> = Box<dyn Fn(&Overrides) -> Extent + 'a>;

pub(super) enum Grid<'a> {
    Threads(Function<'a>),
    Groups(Function<'a>),
}

impl Grid<'_> {
    pub(super) fn extent(&self, overrides: &Overrides) -> Extent {
        match self {
            Self::Threads(extent) | Self::Groups(extent) => extent(overrides),
        }
    }

    pub(super) fn launch(&self, launch: Launch<'_>, overrides: &Overrides) -> crate::Result<Submission> {
        let extent = self.extent(overrides);
        Ok(match self {
            Self::Threads(_) => launch.threads(extent)?,
            Self::Groups(_) => launch.groups(extent)?,
        })
    }
}
