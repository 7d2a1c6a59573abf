//! The common parts of operators on rows of floats: softmax, norms and losses.
//!
//! | module | step |
//! |---|---|
//! | `elements` | the element types |
//! | `plan` | the invocations that compute a row, and the passes |
//! | `launch` | the kernels for each form of arrays |

pub(crate) mod elements;
pub(crate) mod launch;
#[cfg(all(test, feature = "cpu"))]
pub(crate) mod numbers;
pub(crate) mod plan;
