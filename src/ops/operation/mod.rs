//! The common parts of elementwise operations and reductions.
//!
//! | module | step |
//! |---|---|
//! | `types`, `parameters` | the list of parameters, parsed once |
//! | `arguments` | the arguments of a call |
//! | `shape`, `view` | broadcasting; joining of dimensions; strides |
//! | `operand` | an argument with its parameter |
//! | `call` | checks of arguments against parameters: types, lengths, devices |
//! | `binding` | the positions of arrays within bindings |
//! | `preface` | the beginning of every generated kernel |
//! | `places` | the uniform of counts, sizes and steps: one list for text and launch |
//! | `identity` | neutral elements: texts, or Rust numbers |
//! | `infinity` | the name `inf` in the caller's texts |
//! | `kept` | keys of cached kernels |
//! | `reference` | the correct results, in plain Rust |
//! | `assigned` | the check that each output is assigned on every path |
//! | `text` | generated WGSL whose errors show the caller's own lines |

pub(crate) mod arguments;
pub(crate) mod assigned;
pub(crate) mod binding;
pub(crate) mod call;
pub(crate) mod identity;
pub(crate) mod infinity;
pub(crate) mod kept;
pub(crate) mod operand;
pub(crate) mod parameters;
pub(crate) mod places;
pub(crate) mod preface;
#[cfg(test)]
pub(crate) mod reference;
pub(crate) mod shape;
pub(crate) mod text;
pub(crate) mod types;
mod view;
