//! The parts that backends share on the host: everything beside the contract that is not the business of one machine.
//!
//! | module or function | what it holds |
//! |---|---|
//! | [`environment`] | how environment variables are read |
//! | [`cache`] | what compilers made, on disk, for every backend that can use it |
//! | [`threads`] | work spread over the processor's cores |
//! | [`validity`] | whether a recording keeps to the contract |
//! | [`Signature`] | what a dispatch of a kernel must give |
//! | [`mapping`] | the host's access to a memory |
//! | [`Failure`], [`Poison`] | work that failed, and the memory that it has left undefined |
//! | [`store`] | copies of what another device will read next |
//! | [`measure_copy_cost`] | what copies between host and device cost, measured |
//! | [`guarded`], [`panicked`] | panics of a backend's own code, as errors |

pub mod cache;
mod copy_cost;
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
