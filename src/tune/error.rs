//! Errors of tuning.

use crate::error::{Classified, Error, ErrorClass};

anywarp_backend::debug_as_display!(TuneError);

/// A space that cannot be read, or a kernel that cannot be tuned.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// A tuning comment, or a restriction given in Rust, is wrong.
    #[error("{file}:{line}: {message}\n{excerpt}")]
    Comment {
        /// The file as named by the user.
        file: String,
        /// The number of the line, counted from 1.
        line: u32,
        /// The expected notation and what was found.
        message: String,
        /// The line, with a caret below the place of the problem.
        excerpt: String,
    },
    /// The default values violate a restriction.
    #[error(
        "the default values ({values}) violate the restriction '{restriction}': change the defaults or the restriction"
    )]
    Default {
        /// The default values.
        values: String,
        /// The restriction as written.
        restriction: String,
    },
    /// The space has too many combinations.
    #[error("the space has {combinations} combinations of values, the limit is {limit}: list fewer values")]
    TooLarge {
        /// The number of combinations, before restrictions.
        combinations: u64,
        /// The greatest number allowed.
        limit: u64,
    },
    /// A parameter has no values or occurs twice.
    #[error("parameter '{name}': expected {expected}, got {given}")]
    Parameter {
        /// The name of the override.
        name: String,
        /// The expected property.
        expected: &'static str,
        /// The value that was given.
        given: String,
    },
    /// A restriction or another expression names an override that is no parameter.
    #[error("the expression '{restriction}' names '{name}', which is no parameter of the space; it has {known}")]
    Unknown {
        /// The restriction or expression as written.
        restriction: String,
        /// The unknown name.
        name: String,
        /// The names of the parameters.
        known: String,
    },
    /// A tuner has no grid.
    #[error("the grid is missing: give it by `threads`, `groups`, `threads_by` or `groups_by`")]
    NoGrid,
    /// The function of a grid asks for an override that is no parameter.
    #[error("the grid depends on '{name}', which is no parameter of the space; it has {known}")]
    UnknownInGrid {
        /// The unknown name.
        name: String,
        /// The names of the parameters.
        known: String,
    },
    /// A call runs no operator with several candidates.
    #[error("nothing to tune: no operator of the call has several candidates for these sizes on this device")]
    NoChoice,
    /// The device does not count its energy, or its counter stands still.
    #[error(
        "the energy of a candidate cannot be measured: {device} has no counter of energy that this program can read and \
         that advances; expected an NVIDIA card with its management library, an Intel card on Linux, or a processor \
         whose counters in /sys/class/powercap this user may read: leave out the goal, so that times are compared"
    )]
    NoEnergy {
        /// The device.
        device: String,
    },
    /// A comparison inside the program measures times only.
    #[error("`inside` compares the times of steps and cannot be used with the goal `Energy`: leave out one of the two")]
    EnergyInside,
    /// A device cannot be opened a second time.
    #[error(
        "the device for measurements cannot be opened: expected '{selector}' to be the program's device, got {got}: tune \
         calls with `Spare` on the program's own handle"
    )]
    OtherHandle {
        /// The name by which the device was opened.
        selector: String,
        /// The device that this name opens.
        got: String,
    },
    /// The thread of a tuner cannot be started.
    #[error("the thread of the tuner cannot be started: {reason}: tune calls with `Spare` on a thread of the program")]
    NoThread {
        /// The reason of the operating system.
        reason: String,
    },
    /// The tuner was dropped before its search ended.
    #[error("the tuner was dropped before its search ended")]
    Stopped,
    /// The default candidate fails, so that there is nothing to compare the others with.
    #[error("the default candidate cannot be measured: {reason}")]
    DefaultFailed {
        /// The reason.
        reason: String,
    },
}

impl Classified for TuneError {
    fn class(&self) -> ErrorClass {
        ErrorClass::Programmer
    }
}

impl From<TuneError> for Error {
    fn from(error: TuneError) -> Self {
        Self::part(error)
    }
}
