//! Tuning: which values of its overrides a kernel is fastest with.
//!
//! Comments in the WGSL list the values and restrict their combinations; see [`Space`]. A [`Search`] measures the
//! candidates of a space, or of anything else that a [`Judge`] can measure.

mod error;
mod search;
mod space;

pub use error::TuneError;
pub use search::{Dropped, Ended, Found, Judge, Search, Strategy, Trial};
pub use space::{Candidate, Space};
