//! Tuning: which values of its overrides a kernel is fastest with, and which kernels an operator.
//!
//! Comments in the WGSL list the values and restrict their combinations; see [`Space`]. A [`Search`] measures the
//! candidates of a space, or of anything else that a [`Judge`] can measure; a `Tuner` does so for a kernel on a device,
//! and an `OperatorTuner` for the operators of a call.

#[cfg(not(target_arch = "wasm32"))]
mod background;
mod error;
#[cfg(not(target_arch = "wasm32"))]
mod goal;
#[cfg(not(target_arch = "wasm32"))]
mod inside;
#[cfg(not(target_arch = "wasm32"))]
mod operator;
mod searching;
mod space;
#[cfg(not(target_arch = "wasm32"))]
mod spare;
#[cfg(not(target_arch = "wasm32"))] // a browser has no threads that wait
mod tuner;

pub use crate::kept::{Kept, Mode, Record, State};
#[cfg(not(target_arch = "wasm32"))]
pub use crate::kept::{Store, StoreError};
pub use crate::search::{Candidate, Dropped, Ended, Found, Judge, Search, Strategy, Trial};
#[cfg(not(target_arch = "wasm32"))]
pub use background::{Background, BackgroundTuner};
pub use error::TuneError;
#[cfg(not(target_arch = "wasm32"))]
pub use goal::Goal;
#[cfg(not(target_arch = "wasm32"))]
pub use operator::{Call, Contents, OperatorTuner, Results, TunedCall, TunedOperator, Workload};
pub use space::{Space, evaluate};
#[cfg(not(target_arch = "wasm32"))]
pub use spare::Spare;
#[cfg(not(target_arch = "wasm32"))]
pub use tuner::{Origin, Overrides, Progress, Row, Tuned, Tuner};
