//! Invalid input: the error has the right kind and names the cause, and the device still works (checked after every
//! case).

mod binding;
#[cfg(target_arch = "wasm32")]
mod blocking;
mod launching;
mod memory;
mod source;

use crate::suite::case::Case;

pub(crate) const CASES: &[&[Case]] = &[
    source::CASES,
    binding::CASES,
    launching::CASES,
    memory::CASES,
    #[cfg(target_arch = "wasm32")]
    blocking::CASES,
];
