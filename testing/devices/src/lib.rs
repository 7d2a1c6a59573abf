//! Code that tests on devices share: the devices of the machine, outcomes of cases, known bugs of drivers. See
//! `../README.md`.

#![allow(missing_docs, reason = "fields and variants of an unpublished crate, whose names say enough")]

pub mod counting;
pub mod driver_bugs;
pub mod outcome;
pub mod verdict;

#[cfg(not(target_arch = "wasm32"))]
pub mod cts;
#[cfg(not(target_arch = "wasm32"))]
pub mod libtest;
#[cfg(not(target_arch = "wasm32"))]
pub mod limited;
#[cfg(not(target_arch = "wasm32"))]
pub mod null_device;
#[cfg(target_arch = "wasm32")]
pub mod page;
#[cfg(not(target_arch = "wasm32"))]
pub mod targets;
#[cfg(not(target_arch = "wasm32"))]
pub mod trial;
