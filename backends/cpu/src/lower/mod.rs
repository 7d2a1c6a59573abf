//! naga IR becomes the scalar program of [`crate::ir`].
//!
//! Functions that are called are inlined, unless the kernel would become too long ([`inlining`]); vectors, matrices,
//! arrays and structs are taken apart. A value is the list of its scalars, or, where that list would be long, an
//! immutable copy in private memory ([`value`]). A pointer is a root, a constant offset and the dynamic indices on the
//! way ([`pointer`]). Variables that are reached only by constant paths become registers ([`plan`]).
//!
//! | file | concept |
//! |---|---|
//! | `kernel` | one entry point from begin to end; the limits |
//! | `shape`, `types` | sizes and offsets of types in each kind of memory |
//! | `value`, `pointer` | what expressions evaluate to |
//! | `memory`, `copy` | loads and stores; those of large types, as loops |
//! | `constants`, `globals`, `inputs` | what exists before the first statement |
//! | `inlining`, `callee` | which functions stay functions; how those are called |
//! | `plan`, `variables` | which variables are registers; their first values |
//! | `expr`, `access`, `stmt`, `control`, `call` | expressions, statements, control flow, inlining |
//! | `atomics`, `subgroup`, `cooperative` | what invocations do together |
//! | `checks` | places of the source |
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
