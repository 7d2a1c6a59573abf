//! The common parts of operators that need sums over the elements of each channel: batch norm, and the derivatives of
//! group norm by its weights. Arrays have the shape `[examples, channels, elements of a channel]`.
//!
//! | module | step |
//! |---|---|
//! | `plan` | the parts of a channel, and the invocations that compute a part |
//! | `launch` | the kernels of the sums |

pub(crate) mod launch;
pub(crate) mod plan;
mod question;
