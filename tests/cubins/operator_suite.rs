//! The suite `operators`: its modules and all its cases.

#![allow(dead_code, unused_imports, reason = "the suite's own test uses the rest")]

#[path = "../operators/accuracy.rs"]
pub(crate) mod accuracy;
#[path = "../operators/atomics/mod.rs"]
pub(crate) mod atomics;
#[path = "../operators/builtins/mod.rs"]
pub(crate) mod builtins;
#[path = "../operators/control/mod.rs"]
pub(crate) mod control;
#[path = "../operators/conversions.rs"]
pub(crate) mod conversions;
#[path = "../operators/edges.rs"]
pub(crate) mod edges;
#[allow(clippy::duplicate_mod, reason = "the module in `cts` is private")]
#[path = "../support/harness.rs"]
pub(crate) mod harness;
#[path = "../operators/operators.rs"]
pub(crate) mod operators;
#[path = "../operators/program.rs"]
pub(crate) mod program;
#[path = "../operators/scalar.rs"]
pub(crate) mod scalar;
#[path = "../operators/subgroups/mod.rs"]
pub(crate) mod subgroups;
#[path = "../operators/sweep.rs"]
pub(crate) mod sweep;
#[path = "../operators/table.rs"]
pub(crate) mod table;
#[path = "../operators/unparsed.rs"]
pub(crate) mod unparsed;
#[path = "../operators/want.rs"]
pub(crate) mod want;

use crate::conformance_suite::Run;

/// All cases of `operators`.
pub(crate) fn operators() -> Vec<Run> {
    let cases = [
        operators::cases(),
        conversions::cases(),
        builtins::cases(),
        atomics::cases(),
        subgroups::cases(),
        control::cases(),
        unparsed::cases(),
    ];
    let run = |table::Case { name, run }| -> Run {
        (format!("operators::{name}"), Box::new(move |device| drop(run(device))))
    };
    cases.into_iter().flatten().map(run).collect()
}
