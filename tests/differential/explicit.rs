//! Kernels whose text contains the bounds checks that the middle end finds necessary.

use anywarp_backend::Proofs;
use anywarp_middle::Circumstances;
use anywarp_middle::analysis::prove;
use anywarp_middle::explicit::explicit;
use anywarp_middle::optimise::optimise;
use naga::back::wgsl::{WriterFlags, write_string};
use naga::front::wgsl::parse_str;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, WithSpan};

use crate::run::Failure;

/// Returns the text of the kernel with bounds checks, so that all its accesses are in range.
///
/// # Errors
///
/// [`Failure::Error`] if one of the steps refuses the kernel.
pub(crate) fn wgsl(text: &str) -> Result<String, Failure> {
    let module = parse_str(text).map_err(|error| {
        Failure::Error(format!("differential.wgsl is not valid WGSL\n{}", error.emit_to_string(text)))
    })?;
    let info = valid(&module).map_err(|error| {
        Failure::Error(format!("differential.wgsl is not valid WGSL\n{}", error.emit_to_string(text)))
    })?;
    let (module, info) = match optimise(&module, &info, &Circumstances::default()) {
        Some(faster) => {
            let info = made(&faster, "faster", text)?;
            (faster, info)
        }
        None => (module, info),
    };
    let checked = explicit(&module, &info, &proofs(&module, &info)).unwrap_or(module);
    let info = made(&checked, "checked", text)?;
    write_string(&checked, &info, WriterFlags::empty())
        .map_err(|error| Failure::Error(format!("the checked module cannot be written: {error}")))
}

/// The facts that the middle end proves about the module.
fn proofs(module: &Module, info: &ModuleInfo) -> Proofs {
    prove(module, info, &Circumstances::default()).proofs
}

/// Validates a module that a pass made.
fn made(module: &Module, what: &str, text: &str) -> Result<ModuleInfo, Failure> {
    valid(module)
        .map_err(|error| Failure::Error(format!("the {what} module is not valid: {}", error.emit_to_string(text))))
}

fn valid(module: &Module) -> Result<ModuleInfo, WithSpan<naga::valid::ValidationError>> {
    Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module)
}
