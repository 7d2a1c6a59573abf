//! The common parts of scans and of operators built on them.
//!
//! | module | holds |
//! |---|---|
//! | `element` | the types of elements and keys |
//! | `form` | the ways that callers can choose between |
//! | `kernel` | kernels made of the files `shaders/shared/scan_*.wgsl`, some of them replaced |
//! | `monoid` | the operation and its types, as one of these files |
//! | `operands` | arrays, their checks and their bindings |
//! | `sizes` | the uniform, and the tile |

pub(crate) mod element;
pub(crate) mod form;
pub(crate) mod kernel;
pub(crate) mod monoid;
pub(crate) mod operands;
pub(crate) mod sizes;
