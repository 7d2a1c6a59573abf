//! What is learned about a function before code is made of it. Pure: no Cranelift in here.

mod divergence;
mod live;
mod outline;
mod shape;

pub(crate) use divergence::{Facts, analyse};
pub(crate) use live::{Live, across_barriers};
pub(crate) use outline::{Outline, operands};
pub(crate) use shape::{Form, Shape, rows_divide};
