//! What elementwise operations and reductions share.
//!
//! | module | step |
//! |---|---|
//! | `types`, `parameters` | the list of parameters, read once |
//! | `arguments` | what a call is given |
//! | `shape`, `view` | broadcasting; dimensions joined; strides |
//! | `call` | arguments meet parameters: types, lengths, devices |
//! | `binding` | where arrays lie in what kernels bind |
//! | `preface` | what every generated kernel begins with |
//! | `places` | the uniform of counts, sizes and steps: one list for text and launch |
//! | `kept` | kernels that were made before need no text |
//! | `reference` | what the results must be, in plain Rust |
//! | `assigned` | each output is given a value on every path |
//! | `text` | generated WGSL whose errors show the caller's own lines |

pub(crate) mod arguments;
pub(crate) mod assigned;
pub(crate) mod binding;
pub(crate) mod call;
pub(crate) mod kept;
pub(crate) mod parameters;
pub(crate) mod places;
pub(crate) mod preface;
#[cfg(test)]
pub(crate) mod reference;
pub(crate) mod shape;
pub(crate) mod text;
pub(crate) mod types;
mod view;
