//! Grids that a device cannot dispatch directly.

use anywarp_backend::{BackendError, Caps, Program};

use super::{limits, reflect};
use crate::error::KernelError;
use crate::kernel::passes::fold_grid::fold_grid;

/// Derives the program for folded grids from `program`. Its last binding is the logical grid.
pub(super) fn fold(program: &Program, caps: &Caps) -> Result<Program, KernelError> {
    let failed = |message: String| KernelError::Compile {
        kernel: program.name.to_string(),
        device: caps.name.clone(),
        error: BackendError::Rejected { operation: "folding the grid", message },
    };
    let at = reflect::next_binding(&program.bindings, caps);
    let folded = fold_grid(&program.module, &program.entry_point, at).map_err(|error| failed(error.to_string()))?;
    let module = program.module.clone().after_pass(Some(folded)).map_err(|error| failed(error.to_string()))?;
    let program = reflect::with_module(program, module);
    limits::check(&program, caps)?;
    Ok(program)
}
