//! The clock of a ring, which in a browser is the page's.

#[cfg(not(target_arch = "wasm32"))]
pub(super) use std::time::Instant;
#[cfg(target_arch = "wasm32")]
pub(super) use web_time::Instant;
