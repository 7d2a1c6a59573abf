//! Cranelift's optimiser, for functions that may have vectors of more than 128 bits.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::TargetIsa;

/// Optimises a function.
///
/// Rules of the e-graph that have a constant as their result, such as `x + -x = 0`, only make vectors of up to
/// 128 bits and panic for longer ones. Values become equal during the pass, so no test of the function before it finds
/// all these cases. A function with longer vectors that meets such a rule is compiled without the e-graph.
///
/// # Errors
/// The error of the optimiser as text.
pub(super) fn optimise(isa: &dyn TargetIsa, context: &mut Context) -> Result<(), String> {
    if !has_long_vectors(&context.func) {
        return run(isa, context);
    }
    // Without unwinding, a panic would end the process.
    if cfg!(panic = "unwind") {
        let before = context.func.clone();
        if let Ok(result) = catch_unwind(AssertUnwindSafe(|| run(isa, context))) {
            return result;
        }
        *context = Context::for_function(before);
    }
    without_rules(isa, context)
}

fn run(isa: &dyn TargetIsa, context: &mut Context) -> Result<(), String> {
    context.optimize(isa, &mut ControlPlane::default()).map_err(|error| error.to_string())
}

/// The passes of [`Context::optimize`] except the e-graph.
pub(super) fn without_rules(isa: &dyn TargetIsa, context: &mut Context) -> Result<(), String> {
    context.verify_if(isa).map_err(|error| error.to_string())?;
    context.compute_cfg();
    context.compute_domtree();
    context.eliminate_unreachable_code(isa).map_err(|error| error.to_string())?;
    context.remove_constant_phis(isa).map_err(|error| error.to_string())?;
    context.func.dfg.resolve_all_aliases();
    Ok(())
}

fn has_long_vectors(function: &Function) -> bool {
    function.dfg.values().any(|value| function.dfg.value_type(value).bits() > 128)
}
