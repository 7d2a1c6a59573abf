//! The code that backends share on the host.
//!
//! | module or function | content |
//! |---|---|
//! | [`energy`] | the energy that a device has used |
//! | [`environment`] | reading environment variables |
//! | [`cache`] | compiled kernels on disk |
//! | [`threads`] | work spread over the processor's cores |
//! | [`validity`] | whether a recording keeps to the contract |
//! | [`Signature`] | the arguments that a dispatch of a kernel must pass |
//! | [`mapping`] | the host's access to a memory |
//! | [`Failure`], [`Poison`] | work that failed, and the memory that it has left undefined |
//! | [`store`] | copies of data that another device reads next |
//! | [`measure_copy_cost`] | the measured cost of copies between host and device |
//! | [`guarded`], [`panicked`] | panics of a backend's own code, as errors |

pub mod cache;
mod copy_cost;
pub mod energy;
pub mod environment;
mod failure;
pub mod mapping;
mod panic;
mod poison;
mod signature;
mod store;
pub mod threads;
pub mod validity;

pub use copy_cost::measure_copy_cost;
pub use failure::Failure;
pub use panic::{guarded, panicked};
pub use poison::{Poison, Report};
pub use signature::{Binding, Signature};
pub use store::store;
