//! The middle end: optimises a module and proves checks unnecessary.

use std::sync::Arc;

use anywarp_backend::{BackendError, Caps, Checks, FunctionProofs, Program, Proofs, Refused, loops, statements};
use anywarp_middle::Circumstances;
use anywarp_middle::analysis::{LaunchProofs, prove};
use anywarp_middle::optimise::optimise;
use anywarp_wgsl::quiet;
use naga::{BinaryOperator, Block, Expression, Function, Module, Statement};

use crate::error::KernelError;

/// Fuses products with sums, if the device wants it. This is done once, before any optimisation: all programs that are
/// derived from the result have the same rounding.
pub(super) fn fuse(program: Program, caps: &Caps) -> Result<Program, KernelError> {
    if !caps.fused {
        return Ok(program);
    }
    let fused = anywarp_middle::fuse::products_with_sums(&program.module, program.module.info());
    let refused = |refused: Box<Refused>| KernelError::Compile {
        kernel: program.name.to_string(),
        device: caps.name.clone(),
        error: BackendError::Rejected { operation: "fusing products", message: format!("{:?}", refused.error) },
    };
    let module = program.module.clone().after_pass(fused).map_err(refused)?;
    Ok(Program { module, ..program })
}

/// Passes a program through the middle end, for a device with `caps`. Returns the program, and the proofs that hold in
/// launches that meet some conditions.
///
/// The program is unchanged with [`Checks::Driver`], on a device that reports every faulty access, and in a browser,
/// which inserts all checks itself. It is also unchanged if a pass fails or produces an invalid module, which is
/// logged.
pub(super) fn pass(program: Program, caps: &Caps) -> (Program, LaunchProofs) {
    if program.leave.checks == Checks::Driver || caps.checked || cfg!(target_arch = "wasm32") {
        return (program, LaunchProofs::default());
    }
    let name = &program.name;
    // Panics of a pass are caught, so that a fault in a pass costs only speed.
    let attempt = || passed(&program, &Circumstances::of(caps));
    let failed = match quiet::caught(attempt) {
        Ok(Ok(Passed { program, of_launches, gave_up })) => {
            if let Some(why) = gave_up {
                log::warn!("{name}: every access is checked, because {why}");
            }
            return (program, of_launches);
        }
        Ok(Err(reason)) => reason,
        Err(said) => format!("a pass panicked: {said}"),
    };
    log::error!("{name}: the middle end failed, and every access is checked: {failed}");
    (program, LaunchProofs::default())
}

/// Derives the program for launches with the circumstances `known`. It has the same bindings as `program`, even those
/// that it does not use.
pub(super) fn specialise(program: &Program, known: &Circumstances, caps: &Caps) -> Result<Program, KernelError> {
    let special = passed(program, known).map_err(|message| KernelError::Compile {
        kernel: program.name.to_string(),
        device: caps.name.clone(),
        error: BackendError::Rejected { operation: "compiling a variant", message },
    });
    special.map(|passed| passed.program)
}

/// An optimised program with its proofs.
struct Passed {
    program: Program,
    of_launches: LaunchProofs,
    /// The reason why the analysis gave up, if it did: then nothing is proven.
    gave_up: Option<&'static str>,
}

fn passed(program: &Program, known: &Circumstances) -> Result<Passed, String> {
    let faster = optimise(&program.module, program.module.info(), known);
    let module = program.module.clone().after_pass(faster).map_err(|refused| format!("{:?}", refused.error))?;
    let analysis = (program.leave.checks == Checks::Proven).then(|| prove(&module, module.info(), known));
    let gave_up = analysis.as_ref().and_then(|analysis| analysis.gave_up);
    let (proofs, of_launches) = analysis.map(|analysis| (Arc::new(analysis.proofs), analysis.of_launches)).unzip();
    let program = Program { module, proofs, ..program.clone() };
    Ok(Passed { program, of_launches: of_launches.unwrap_or_default(), gave_up })
}

/// Whether a specialised program leaves a compiler less work than the program it was made from.
pub(crate) fn spares_work(special: &Program, program: &Program) -> bool {
    let effort = |program: &Program| program.proofs.as_deref().map(|proofs| effort(&program.module, proofs));
    matches!((effort(special), effort(program)), (Some(special), Some(plain)) if special < plain)
}

/// The number of operations that further knowledge could save: checks, branches, loops, and divisions by numbers that
/// are not constant.
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
    let of_one = |statement: &Statement| match statement {
        Statement::If { .. } | Statement::Loop { .. } => 1,
        Statement::Switch { cases, .. } => cases.len(),
        _ => 0,
    };
    statements(block).map(|(statement, _)| of_one(statement)).sum()
}
