//! Code that the tests of several crates share and that needs no device. See `README.md`.

#![allow(missing_docs, reason = "fields and variants of an unpublished crate, whose names say enough")]

pub mod features;
pub mod files;
pub mod filetests;
pub mod hanging;
pub mod kernel_texts;
pub mod markdown;
pub mod onnx;
pub mod process;
pub mod random;
pub mod random_kernels;
