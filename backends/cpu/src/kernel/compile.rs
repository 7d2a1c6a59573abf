//! Compiles a program to machine code.

use anywarp_backend::{BackendError, Mode, Program};

use super::kept;
use crate::checker::Checks;
use crate::kernel::Machine;
use crate::math::Functions;
use crate::{codegen, ir, lower};
use anywarp_host::guarded;

/// Compiles a program to machine code. Unless `mode` is plain, the code reports its operations.
///
/// # Errors
/// [`BackendError::Rejected`], with the line where it is known.
pub(crate) fn compile(program: &Program, mode: Mode, functions: Functions) -> Result<Machine, BackendError> {
    // If the compiler panics, only this program is refused.
    guarded("compiling", || {
        let mut function = lowered(program, mode)?;
        let sites = sites(program, &function);
        let checks = (mode != Mode::Plain).then(|| Checks::of(program, &mut function));
        if mode == Mode::Plain {
            ir::optimise::run(&mut function);
        }
        // Reports of a kernel with checks refer to tables that are made with it.
        let code = if mode == Mode::Plain {
            kept::code(&function, functions)?
        } else {
            codegen::compile(&function, functions).and_then(|object| object.link()).map_err(refused)?
        };
        Ok(Machine {
            entry: code.entry,
            frame_bytes: code.frame_bytes,
            workgroup_bytes: code.workgroup_bytes,
            sites,
            mode,
            checks,
            _owner: Box::new(code),
        })
    })
}

/// Returns the scalar program of a kernel before optimisation.
pub(crate) fn lowered(program: &Program, mode: Mode) -> Result<ir::Function, BackendError> {
    lower::lower(program, mode)
        .map_err(|error| refused(format!("{}{}", error.message, at(program, error.span.unwrap_or_default()))))
}

pub(crate) fn refused(message: String) -> BackendError {
    BackendError::Rejected { operation: "compiling", message }
}

fn sites(program: &Program, function: &ir::Function) -> Vec<String> {
    function.sites.iter().map(|site| at(program, site.span)).collect()
}

/// The position for an error message, such as ` at kernel.wgsl:7`; empty if the line is unknown.
fn at(program: &Program, span: naga::Span) -> String {
    let place = || program.source.as_deref()?.position(span.to_range()?.start);
    place().map_or_else(String::new, |place| format!(" at {}:{}", place.file, place.line))
}
