//! Built-in functions.

mod geometry;
mod integers;
mod matrices;
mod packing;
mod rounding;
mod samples;
mod transcendental;

use crate::operator_suite::table::{Case, Componentwise};

pub(crate) fn cases() -> Vec<Case> {
    let tables: &[&[Componentwise]] = &[rounding::TABLE, transcendental::TABLE, integers::TABLE];
    let componentwise = tables.iter().copied().flatten();
    let mut cases: Vec<Case> = componentwise.flat_map(|function| function.cases("builtins")).collect();
    cases.extend(rounding::cases());
    cases.extend(geometry::cases());
    cases.extend(integers::cases());
    cases.extend(matrices::cases());
    cases.extend(packing::cases());
    cases
}
