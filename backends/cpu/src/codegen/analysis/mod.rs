//! Analyses of a function before code generation, independent of Cranelift.

mod divergence;
mod live;
mod outline;
mod shape;

pub(crate) use divergence::{Facts, analyse};
pub(crate) use live::{Live, across_barriers};
pub(crate) use outline::{Outline, operands};
pub(crate) use shape::{Form, Shape, known_comparison, known_lanes, rows_divide};
