//! The compiler of a kernel's functions.

use std::sync::OnceLock;

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, ExternalName, Signature, UserFuncName, types};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CodegenError, CompiledCode, Context, FinalizedMachReloc, FinalizedRelocTarget};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use regalloc2::Ctx;

use super::isa::{self, Isa};
use super::lanes::Vectors;
use super::object::{self, Object, Piece, Reference, Sizes};
use super::ops::{Target, call_conv};
use super::{call, helper, kernel, sink};
use crate::emitter;
use crate::ir::{Function, Stmt};
use crate::math::Functions;

/// The limit in bytes on the stack that a kernel uses: small dispatches run on the caller's thread, whose stack may be
/// small.
const MAX_STACK: u32 = 512 << 10;

/// Returns the target for code generation: this processor, with all its extensions.
pub(crate) fn machine() -> Result<&'static OwnedTargetIsa, String> {
    static MACHINE: OnceLock<Result<OwnedTargetIsa, String>> = OnceLock::new();
    MACHINE
        .get_or_init(|| {
            let mut flags = settings::builder();
            let verifier = if cfg!(debug_assertions) { "true" } else { "false" };
            for (name, value) in
                [("opt_level", "speed"), ("enable_verifier", verifier), ("unwind_info", "false"), ("is_pic", "false")]
            {
                flags.set(name, value).map_err(|error| error.to_string())?;
            }
            let isa = cranelift_native::builder().map_err(str::to_owned)?;
            isa.finish(settings::Flags::new(flags)).map_err(|error| error.to_string())
        })
        .as_ref()
        .map_err(Clone::clone)
}

/// Whether fused multiply-add is an instruction of this processor.
pub(crate) fn has_fma() -> bool {
    machine().is_ok_and(|isa| isa.has_native_fma())
}

/// Generates the functions of a kernel: the kernel itself, with the signature of [`Entry`](crate::abi::Entry), then its callees.
fn generate(isa: &OwnedTargetIsa, kernel: &Function, functions: Functions, selected: Isa) -> (Vec<Context>, Sizes) {
    let vectors = Vectors::of(kernel, selected);
    let (target, frontend) = (Target::new(&**isa, functions, vectors), isa.frontend_config());
    let (learned, callees) = call::learn(kernel, vectors.lanes);
    let mut contexts: Vec<Context> = (0..=kernel.callees.len()).map(|_| Context::new()).collect();
    for (number, context) in contexts.iter_mut().enumerate() {
        context.func.name = UserFuncName::user(0, number as u32);
        context.func.signature = match number.checked_sub(1) {
            Some(callee) => callees.signature(callee, &target),
            None => entry(isa),
        };
    }
    let mut of_builder = FunctionBuilderContext::new();
    let builder = FunctionBuilder::new(&mut contexts[0].func, &mut of_builder);
    let sizes = kernel::generate(&learned, &callees, kernel, &target, frontend, builder);
    for callee in (0..kernel.callees.len()).rev() {
        let context = &mut contexts[call::number_in_code(callee as u32) as usize];
        let builder = FunctionBuilder::new(&mut context.func, &mut of_builder);
        callees.generate(callee, &target, frontend, builder);
    }
    (contexts, sizes)
}

/// Returns the signature of [`Entry`](crate::abi::Entry).
fn entry(isa: &OwnedTargetIsa) -> Signature {
    let mut signature = Signature::new(call_conv(isa.as_ref()));
    signature.params.push(AbiParam::new(isa.pointer_type()));
    signature.params.extend([AbiParam::new(types::I32); 4]);
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

/// Returns the Cranelift IR of a kernel's functions, as text.
pub(super) fn clif(kernel: &Function, functions: Functions) -> Result<String, String> {
    let (contexts, _) = generate(machine()?, kernel, functions, isa::selected()?);
    let texts = contexts.into_iter().map(|mut context| {
        context.func.dfg.resolve_all_aliases();
        context.func.display().to_string()
    });
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

/// Returns the machine code of a kernel's functions, as text.
pub(super) fn assembly(kernel: &Function, functions: Functions) -> Result<String, String> {
    let isa = machine()?;
    let selected = isa::selected()?;
    let (contexts, _) = generate(isa, kernel, functions, selected);
    let texts = contexts.into_iter().map(|mut context| {
        if selected != Isa::Baseline {
            return emitter::compile(&**isa, &mut context, true).map(|compiled| compiled.listing.unwrap_or_default());
        }
        let code = compile_by_cranelift(&**isa, &mut context, true)?;
        code.vcode.ok_or_else(|| "Cranelift returned no disassembly".to_owned())
    });
    Ok(texts.collect::<Result<Vec<_>, String>>()?.join("\n"))
}

/// Compiles a kernel for the selected instructions.
pub(super) fn compile(kernel: &Function, functions: Functions) -> Result<Object, String> {
    compile_for(kernel, functions, isa::selected()?)
}

/// Compiles a kernel for these instructions, which this processor must have.
pub(super) fn compile_for(kernel: &Function, functions: Functions, selected: Isa) -> Result<Object, String> {
    let isa = machine()?;
    let (mut contexts, sizes) = generate(isa, kernel, functions, selected);
    let (mut pieces, mut stack) = (Vec::with_capacity(contexts.len()), Vec::with_capacity(contexts.len()));
    for context in &mut contexts {
        let (piece, frame_bytes) = match selected {
            Isa::Baseline => {
                let code = compile_by_cranelift(&**isa, context, false)?;
                let frame = code.buffer.frame_layout().map_or(0, |frame| frame.frame_to_fp_offset);
                (piece_of(&code, context)?, frame)
            }
            Isa::Avx2 | Isa::Avx512 => {
                let compiled = emitter::compile(&**isa, context, false)?;
                (compiled.piece, compiled.frame_bytes)
            }
        };
        pieces.push(piece);
        stack.push(frame_bytes);
        // Frees the memory of the function's instructions early.
        context.clear();
    }
    let bytes = deepest_stack(kernel, &stack);
    if bytes > MAX_STACK {
        return Err(format!(
            "the kernel needs {} KiB of stack, but at most {} KiB are possible: split it, or keep values in arrays",
            bytes >> 10,
            MAX_STACK >> 10
        ));
    }
    Ok(Object { functions: pieces, sizes })
}

/// Compiles one function by Cranelift.
#[cfg(test)]
pub(crate) fn piece(isa: &dyn TargetIsa, context: &mut Context) -> Result<Piece, String> {
    let code = compile_by_cranelift(isa, context, false)?;
    piece_of(&code, context)
}

/// Compiles one function by Cranelift, as `Context::compile` does, with reads at their first use.
fn compile_by_cranelift(isa: &dyn TargetIsa, context: &mut Context, listing: bool) -> Result<CompiledCode, String> {
    let text = |error: CodegenError| error.to_string();
    context.optimize(isa, &mut ControlPlane::default()).map_err(text)?;
    sink::reads(&mut context.func);
    context.verify_if(isa).map_err(|errors| errors.to_string())?;
    let (mut registers, mut control) = (Ctx::default(), ControlPlane::default());
    let Context { func, domtree, .. } = &*context;
    let code = isa.compile_function(func, domtree, &mut registers, listing, &mut control).map_err(text)?;
    Ok(code.apply_params(&func.params))
}

/// Returns the machine code of a function.
fn piece_of(code: &CompiledCode, context: &Context) -> Result<Piece, String> {
    let references = code.buffer.relocs().iter().map(|place| reference(place, context)).collect::<Result<_, _>>()?;
    Ok(Piece { alignment: code.buffer.alignment, code: code.code_buffer().to_vec(), references })
}

/// Returns a place that receives an address.
fn reference(place: &FinalizedMachReloc, context: &Context) -> Result<Reference, String> {
    let &FinalizedMachReloc { offset, kind, addend, ref target } = place;
    let target = match target {
        FinalizedRelocTarget::Func(offset) => object::Target::Own(*offset),
        FinalizedRelocTarget::ExternalName(ExternalName::User(name)) => {
            let name = &context.func.params.user_named_funcs()[*name];
            match name.namespace {
                helper::NAMESPACE => object::Target::Helper(name.index),
                _ => object::Target::Function(name.index),
            }
        }
        FinalizedRelocTarget::ExternalName(other) => return Err(format!("machine code refers to {other:?}")),
    };
    Ok(Reference { offset, kind, target, addend })
}

/// Everything that machine code depends on besides its kernel, as text.
pub(super) fn origin() -> Result<String, String> {
    let isa = machine()?;
    let own: Vec<String> = isa.isa_flags().iter().map(ToString::to_string).collect();
    let (selected, gathers) = (isa::selected()?, isa::gathers_fast());
    let flags = (isa.triple(), isa.flags(), own.join(" "));
    Ok(format!("{} {selected:?} {gathers} {} {} {}", cranelift_codegen::VERSION, flags.0, flags.1, flags.2))
}

/// The stack size in bytes of a kernel with all its callees, from the sizes of the functions.
fn deepest_stack(kernel: &Function, stack: &[u32]) -> u32 {
    // A callee calls only functions before it in `callees`.
    let mut with_callees: Vec<u32> = Vec::with_capacity(kernel.callees.len());
    for (number, function) in kernel.callees.iter().chain([kernel]).enumerate() {
        let own = if number == kernel.callees.len() { stack[0] } else { stack[number + 1] };
        let deepest = called(&function.body).map(|callee| with_callees[callee as usize]).max();
        with_callees.push(own.saturating_add(deepest.unwrap_or(0)).saturating_add(64));
    }
    with_callees.pop().unwrap_or(0)
}

/// Returns the numbers of the functions that statements call.
fn called(list: &[Stmt]) -> Box<dyn Iterator<Item = u32> + '_> {
    Box::new(list.iter().flat_map(|statement| match statement {
        Stmt::Call { callee, .. } => Box::new(std::iter::once(*callee)) as Box<dyn Iterator<Item = u32>>,
        Stmt::If { accept, reject, .. } => Box::new(called(accept).chain(called(reject))),
        Stmt::Block { body, .. } | Stmt::Loop { body, .. } => called(body),
        _ => Box::new(std::iter::empty()),
    }))
}
