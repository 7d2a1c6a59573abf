//! The Cranelift IR and the machine code of a program as text, and the check that a program compiles.

use anywarp_backend::{BackendError, Mode, Program};

use crate::kernel::compile::{lowered, refused};
use crate::math::Functions;
use crate::{codegen, environment, ir};
use anywarp_host::guarded;

/// Returns the Cranelift IR of a program, before Cranelift's own optimisations.
///
/// # Errors
/// [`BackendError::Rejected`], with the line where it is known.
pub fn clif(program: &Program) -> Result<String, BackendError> {
    let text = written(program, codegen::clif)?;
    // Lines that define aliases are left out, because no other line of the text uses an alias.
    let alias = |line: &str| line.trim_start().split_once(" -> ").is_some_and(|(name, _)| !name.contains(' '));
    Ok(text.lines().filter(|line| !alias(line)).flat_map(|line| [line, "\n"]).collect())
}

/// Returns the machine code of a program for this processor, as text.
///
/// # Errors
/// [`BackendError::Rejected`], with the line where it is known.
pub fn assembly(program: &Program) -> Result<String, BackendError> {
    written(program, codegen::assembly)
}

/// Compiles a program and drops the machine code, to find out whether it can run on this processor. The program is
/// compiled as for a device of this mode.
///
/// # Errors
/// [`BackendError::Rejected`], with the line where it is known.
pub fn check(program: &Program, mode: Mode) -> Result<(), BackendError> {
    crate::kernel::compile::compile(program, mode, environment::functions()).map(drop)
}

fn written(
    program: &Program,
    write: fn(&ir::Function, Functions) -> Result<String, String>,
) -> Result<String, BackendError> {
    guarded("compiling", || {
        let mut function = lowered(program, Mode::Plain)?;
        ir::optimise::run(&mut function);
        let text = write(&function, environment::functions()).map_err(refused)?;
        let [x, y, z] = program.workgroup_size;
        Ok(format!("; {}, a loop over workgroups of {x} x {y} x {z}\n{}", program.name, text.trim_matches('\n')))
    })
}
