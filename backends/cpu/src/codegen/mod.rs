//! Generates machine code from the scalar program, through Cranelift.
//!
//! Eight invocations, or 16 of short kernels, run as one *lane group*. A value that is the same in all of them is a scalar. A value that grows
//! from lane to lane by a constant is a scalar and a stride. All other values are vectors (`analysis`). Divergent
//! control flow runs both sides under a mask of active lanes (`flow`).
//!
//! The code of a kernel is one function, plus those that are not inlined (`call`): a loop over workgroups around a loop
//! over lane groups around the kernel's body (`kernel`). Control flow around barriers runs once for a workgroup, around
//! loops over the lane groups between barriers (`joint`). Where invocations may part there, a lane group leaves the body
//! at a barrier, saves its live values, and resumes when all groups have arrived (`barrier`).

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
mod helper;
mod hoist;
mod implied;
mod intrinsic;
mod isa;
mod joint;
mod kernel;
mod lanes;
mod likely;
mod link;
mod load;
mod masks;
mod memory;
mod object;
mod ops;
mod place;
mod sink;
mod store;
#[cfg(test)]
pub(crate) mod tests;
mod vectors;

pub(crate) use code::has_fma;
#[cfg(test)]
pub(crate) use code::{machine, piece};
pub(crate) use helper::NAMESPACE as HELPERS;
pub(crate) use isa::Isa;
pub(crate) use link::Code;
#[cfg(test)]
pub(crate) use link::{define, module};
pub(crate) use object::{Object, Piece, Reference, Target};
pub(crate) use ops::Stand;
#[cfg(test)]
pub(crate) use ops::call_conv;

use crate::ir::Function;
use crate::math::Functions;

/// Compiles a function to machine code, which is not linked yet.
///
/// # Errors
/// Cranelift's error, as text.
pub(crate) fn compile(function: &Function, functions: Functions) -> Result<Object, String> {
    #[cfg(debug_assertions)]
    crate::ir::verify::verify(function)?;
    code::compile(function, functions)
}

/// Everything that machine code depends on besides its function, as text.
///
/// # Errors
/// Cranelift's error, as text.
pub(crate) fn origin() -> Result<String, String> {
    code::origin()
}

/// Returns the Cranelift IR of a function.
///
/// # Errors
/// Cranelift's error, as text.
pub(crate) fn clif(function: &Function, functions: Functions) -> Result<String, String> {
    code::clif(function, functions)
}

/// Returns the machine code of a function, as text.
///
/// # Errors
/// Cranelift's error, as text.
pub(crate) fn assembly(function: &Function, functions: Functions) -> Result<String, String> {
    code::assembly(function, functions)
}
