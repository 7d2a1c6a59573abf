//! Analyses of a function before code generation, independent of Cranelift.

mod divergence;
mod lanes;
mod live;
mod outline;
mod reach;
mod shape;

pub(crate) use divergence::{Facts, analyse};
pub(crate) use lanes::{known_comparison, known_lanes};
pub(crate) use live::{Live, across_barriers};
pub(crate) use outline::{Outline, operands};
pub(crate) use reach::groups_where;
pub(crate) use shape::{Form, Shape, rows_divide};
