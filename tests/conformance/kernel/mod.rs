//! Kernels: bindings, values, features, workgroups and grids, each compared with plain Rust.

mod bindings;
mod composed;
mod counts;
mod empty;
mod features;
mod folding;
mod functions;
mod grids;
mod members;
mod parameters;
mod promises;
mod specialisation;
mod typed;
mod workgroups;

use crate::suite::case::Case;

pub(crate) const CASES: &[&[Case]] = &[
    bindings::CASES,
    composed::CASES,
    counts::CASES,
    empty::CASES,
    parameters::CASES,
    promises::CASES,
    specialisation::CASES,
    typed::CASES,
    features::CASES,
    workgroups::CASES,
    grids::CASES,
    folding::CASES,
    functions::CASES,
    members::CASES,
];
