//! Buffers: reads return the data that host or device wrote, for every element type.

mod access;
mod elements;
mod guards;
mod scratch;
mod slices;
mod traffic;
mod transfers;

use crate::suite::case::Case;

pub(crate) const CASES: &[&[Case]] =
    &[elements::CASES, access::CASES, slices::CASES, transfers::CASES, traffic::CASES, guards::CASES, scratch::CASES];
