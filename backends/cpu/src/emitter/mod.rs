//! Generates machine code with AVX2 or AVX-512 for x86-64 from Cranelift's optimised IR: vectors of up to 512 bits.
//!
//! | file | content |
//! |---|---|
//! | `optimise` | Cranelift's optimiser |
//! | `lower` | selection of instructions, over virtual registers |
//! | `inst`, `op`, `reg` | the instructions, those with VEX and EVEX prefixes, and their operands |
//! | `intrinsic` | functions that are instructions, which Cranelift's IR lacks |
//! | `program` | a function of machine instructions; allocation of registers by `regalloc2` |
//! | `encode` | the bytes of instructions |
//! | `emit`, `branches` | the frame of a function; the order of blocks, and their branches |
//! | `constants` | the constants behind the code |
//! | `listing` | machine code as text |
//!
//! `DESIGN.md` beside this file says how it works.

mod branches;
mod constants;
mod emit;
mod encode;
mod inst;
mod intrinsic;
mod listing;
mod lower;
mod op;
mod optimise;
mod program;
mod reg;
#[cfg(test)]
mod tests;

use cranelift_codegen::Context;
use cranelift_codegen::isa::TargetIsa;

use crate::codegen::Piece;
pub(crate) use intrinsic::{Intrinsic, NAMESPACE};

/// A compiled function.
pub(crate) struct Compiled {
    pub(crate) piece: Piece,
    /// The size of the frame in bytes.
    pub(crate) frame_bytes: u32,
    /// The instructions as text, if they were asked for.
    pub(crate) listing: Option<String>,
}

/// Compiles a function that is built, but not optimised.
///
/// # Errors
/// The error of the optimiser or the allocator, or the name of an operation that has no instructions here, as text.
pub(crate) fn compile(isa: &dyn TargetIsa, context: &mut Context, with_listing: bool) -> Result<Compiled, String> {
    optimise::optimise(isa, context)?;
    finish(context, with_listing)
}

/// Compiles a function that is optimised.
fn finish(context: &mut Context, with_listing: bool) -> Result<Compiled, String> {
    context.compute_cfg();
    context.compute_domtree();
    context.compute_loop_analysis();
    let lower::Lowered { mut program, pool, stack, outgoing } = lower::lower(context)?;
    let output = program.allocate()?;
    let layout = emit::Layout::new(&mut program, &output, stack, outgoing);
    let listing = with_listing.then(|| listing::listing(&program, &output, &pool));
    let piece = emit::emit(&program, &output, &pool, &layout);
    Ok(Compiled { piece, frame_bytes: layout.bytes(), listing })
}
