//! The middle end: a module made faster, and what is proven of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use anywarp_backend::{Caps, Checks, FunctionProofs, Program, Proofs, loops};
use anywarp_middle::Circumstances;
use anywarp_middle::analysis::prove;
use anywarp_middle::optimise::optimise;
use anywarp_wgsl::module;
use naga::valid::ModuleInfo;
use naga::{BinaryOperator, Block, Expression, Function, Module, Statement};

/// What a backend is given in the place of a module.
pub(crate) struct Passed {
    pub(crate) module: Module,
    pub(crate) info: ModuleInfo,
    pub(crate) proofs: Option<Arc<Proofs>>,
}

/// Puts a valid module through the middle end, for a device with `caps`.
///
/// With [`Checks::Driver`] it stays as it is, as it does where every access is reported, and in a browser, which
/// makes all checks by itself. It stays so, too, if a pass makes something that is not valid: that is logged.
pub(crate) fn pass(name: &str, module: Module, info: ModuleInfo, caps: &Caps, checks: Checks) -> Passed {
    if checks == Checks::Driver || caps.checked || cfg!(target_arch = "wasm32") {
        return Passed { module, info, proofs: None };
    }
    let circumstances = Circumstances::of(caps);
    // A mistake in a pass costs speed, no more.
    let attempt = || -> Result<Passed, String> {
        let (module, info) = match optimise(&module, &info, &circumstances) {
            Some(faster) => {
                let info = module::validate(&faster).map_err(|error| format!("{error:?}"))?;
                (faster, info)
            }
            None => (module.clone(), info.clone()),
        };
        let proofs = matches!(checks, Checks::Proven).then(|| {
            let analysis = prove(&module, &info, &circumstances);
            if let Some(why) = analysis.gave_up {
                log::warn!("{name}: every access is checked, because {why}");
            }
            Arc::new(analysis.proofs)
        });
        Ok(Passed { module, info, proofs })
    };
    let failed = match catch_unwind(AssertUnwindSafe(attempt)) {
        Ok(Ok(passed)) => return passed,
        Ok(Err(reason)) => reason,
        Err(_) => "a pass panicked".to_owned(),
    };
    log::error!("{name}: the middle end failed, and every access is checked: {failed}");
    Passed { module, info, proofs: None }
}

/// The program for launches of which this is known; `None` if that spares it nothing. Its bindings stay the same,
/// used or not.
pub(super) fn specialised(program: &Program, known: &Circumstances) -> Result<Option<Program>, String> {
    let Some(proofs) = &program.proofs else { return Ok(None) };
    let optimised = optimise(&program.module, &program.info, known);
    let (module, info) = match optimised {
        Some(module) => {
            let info = module::validate(&module).map_err(|error| format!("{error:?}"))?;
            (Arc::new(module), Arc::new(info))
        }
        None => (Arc::clone(&program.module), Arc::clone(&program.info)),
    };
    let proven = prove(&module, &info, known).proofs;
    if effort(&module, &proven) >= effort(&program.module, proofs) {
        return Ok(None);
    }
    Ok(Some(Program { module, info, proofs: Some(Arc::new(proven)), ..program.clone() }))
}

/// What a compiler could do without, if it knew more: checks, branches, loops, divisors that are no constants.
fn effort(module: &Module, proofs: &Proofs) -> usize {
    let functions = module.functions.iter().map(|(handle, function)| effort_of(function, proofs.function(handle)));
    let entries = module.entry_points.iter().map(|entry| effort_of(&entry.function, &proofs.entry));
    functions.chain(entries).sum()
}

fn effort_of(function: &Function, proofs: &FunctionProofs) -> usize {
    let costs = |expression: naga::Handle<Expression>| match function.expressions[expression] {
        Expression::Access { .. } => !proofs.in_range(expression),
        Expression::Binary { op: BinaryOperator::Divide | BinaryOperator::Modulo, right, .. } => {
            !matches!(function.expressions[right], Expression::Literal(_) | Expression::Constant(_))
        }
        _ => false,
    };
    let expressions = function.expressions.iter().filter(|(handle, _)| costs(*handle)).count();
    let endless = (0..loops(function).len()).filter(|number| !proofs.ends(*number)).count();
    expressions + endless + branches(&function.body)
}

fn branches(block: &Block) -> usize {
    let within = |statement: &Statement| match statement {
        Statement::Block(inner) => branches(inner),
        Statement::If { accept, reject, .. } => 1 + branches(accept) + branches(reject),
        Statement::Switch { cases, .. } => cases.iter().map(|case| 1 + branches(&case.body)).sum(),
        Statement::Loop { body, continuing, .. } => 1 + branches(body) + branches(continuing),
        _ => 0,
    };
    block.iter().map(within).sum()
}
