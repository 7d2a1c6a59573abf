//! Lowers naga IR to the scalar program of [`crate::ir`].
//!
//! Called functions are inlined, unless the kernel would become too long ([`inlining`]); vectors, matrices, arrays and
//! structs are split into scalars. A value is the list of its scalars or, where that list would be long, an immutable
//! copy in private memory ([`value`]). A pointer is a root, a constant offset and the dynamic indices of its path
//! ([`pointer`]). Variables that are reached by constant paths only become registers ([`plan`]).
//!
//! | file | content |
//! |---|---|
//! | `kernel` | one entry point as a whole; the limits |
//! | `shape`, `types` | sizes and offsets of types in each kind of memory |
//! | `value`, `pointer` | the results of expressions |
//! | `memory`, `copy` | loads and stores; those of large types, as loops |
//! | `constants`, `globals`, `inputs` | values that exist before the first statement |
//! | `inlining`, `callee` | the choice of functions that are not inlined, and their calls |
//! | `plan`, `variables` | the choice of variables that are registers; initial values |
//! | `expr`, `access`, `stmt`, `control`, `call` | expressions, statements, control flow, inlining |
//! | `atomics`, `subgroup`, `cooperative` | operations of several invocations |
//! | `checks` | positions of the source; reports to the checker |
//! | `pure` | arithmetic: operators, built-in functions, conversions |

mod access;
mod atomics;
mod call;
mod callee;
mod checks;
mod constants;
mod control;
mod cooperative;
mod copy;
mod error;
mod expr;
mod globals;
mod inlining;
mod inputs;
mod kernel;
mod memory;
mod plan;
mod pointer;
mod pure;
mod shape;
mod stmt;
mod subgroup;
#[cfg(test)]
pub(crate) mod tests;
mod types;
mod value;
mod variables;

pub(crate) use kernel::lower;
#[cfg(test)]
pub(crate) use {inlining::Budget, kernel::lower_within};
