//! From the scalar program to machine code, through Cranelift.
//!
//! Eight invocations run as one *lane group*. What is the same in all of them is a scalar, what
//! grows from lane to lane by a constant is a scalar and a stride, and only the rest are vectors
//! (`analysis`). Divergent control flow runs both sides under a mask of active lanes (`flow`).
//!
//! The code of a kernel is one function, with those that are not inlined (`call`): a loop over workgroups around a loop over lane groups
//! around the kernel's body (`kernel`). A barrier is where a lane group leaves the body, saving
//! what it still needs, and is taken up again when all groups have arrived (`barrier`): the parts
//! of the body between barriers are each a loop over the workgroup's invocations.

mod agree;
pub(crate) mod analysis;
mod atomic;
mod barrier;
mod call;
mod checks;
mod code;
mod early;
mod flow;
mod generator;
mod hoist;
mod kernel;
mod likely;
mod load;
mod memory;
mod ops;
mod place;
mod store;
#[cfg(test)]
pub(crate) mod tests;
mod vectors;

pub(crate) use code::Code;

use crate::ir::Function;

/// Makes machine code of a function.
///
/// # Errors
/// What Cranelift refused, as text.
pub(crate) fn compile(function: &Function) -> Result<Code, String> {
    #[cfg(debug_assertions)]
    crate::ir::verify::verify(function)?;
    code::build(function)
}

/// The Cranelift IR of a function.
///
/// # Errors
/// What Cranelift refused, as text.
pub(crate) fn clif(function: &Function) -> Result<String, String> {
    code::clif(function)
}

/// The machine code of a function, as text.
///
/// # Errors
/// What Cranelift refused, as text.
pub(crate) fn assembly(function: &Function) -> Result<String, String> {
    code::assembly(function)
}
