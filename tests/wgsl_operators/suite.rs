//! The cases of the suite. Another test runs the cases, too, to collect the kernels: this file is the module
//! `operator_suite` at the root of that test.

mod accuracy;
mod atomics;
mod builtins;
mod control;
mod conversions;
mod edges;
mod operators;
mod program;
mod scalar;
mod subgroups;
mod sweep;
pub(crate) mod table;
mod unparsed;
mod want;

use table::Case;

/// All cases.
pub(crate) fn cases() -> impl Iterator<Item = Case> {
    [
        operators::cases(),
        conversions::cases(),
        builtins::cases(),
        atomics::cases(),
        subgroups::cases(),
        control::cases(),
        unparsed::cases(),
    ]
    .into_iter()
    .flatten()
}
