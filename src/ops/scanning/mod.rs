//! The common parts of scans and of operators built on them.
//!
//! | module | contents |
//! |---|---|
//! | `element` | the types of elements and keys |
//! | `form` | the forms between which callers can choose |
//! | `kernel` | kernels made of the files `shaders/shared/scan_*.wgsl`, some of them replaced |
//! | `monoid` | the operation and its types, as one of these files |
//! | `operands` | arrays, their checks and their bindings |
//! | `sizes` | the uniform buffer of sizes, and the sizes of a tile |
//! | `target` | the properties of a device on which a choice depends |

pub(crate) mod element;
pub(crate) mod form;
pub(crate) mod kernel;
pub(crate) mod monoid;
pub(crate) mod operands;
pub(crate) mod sizes;
pub(crate) mod target;
