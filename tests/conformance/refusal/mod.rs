//! Bad input: the error is the right one and names the right things, and the device goes on
//! working (which is checked after every case).

mod binding;
mod launching;
mod memory;
mod source;

use crate::case::Case;

pub(crate) const CASES: &[&[Case]] = &[source::CASES, binding::CASES, launching::CASES, memory::CASES];
