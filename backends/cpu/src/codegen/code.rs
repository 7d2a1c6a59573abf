//! Machine code in memory, and the compiler that writes it.

use std::sync::{Arc, OnceLock};

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, Signature, UserFuncName, types};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module};

use super::ops::Target;
use super::{call, kernel};
use crate::abi::Entry;
use crate::ir::{Function, Stmt};
use crate::math::Functions;

/// The limit in bytes on the stack that a kernel uses: small dispatches run on the caller's thread, whose stack may be
/// small.
const MAX_STACK: u32 = 512 << 10;

/// A compiled kernel. Dropping it frees its machine code.
pub(crate) struct Code {
    /// The machine function of the kernel, valid as long as this `Code`.
    pub(crate) entry: Entry,
    /// The required size of [`Frame::private`](crate::abi::Frame) in bytes.
    pub(crate) frame_bytes: usize,
    /// The required size of [`Frame::workgroup`](crate::abi::Frame) in bytes.
    pub(crate) workgroup_bytes: usize,
    module: Option<JITModule>,
}

/// The memory in bytes that a kernel needs, as in [`Code`].
pub(super) struct Sizes {
    pub(super) frame_bytes: usize,
    pub(super) workgroup_bytes: usize,
}

// SAFETY: after the build the module is not used any more, except that `drop` frees it.
unsafe impl Send for Code {}
// SAFETY: the module is not used after the build; the entry depends only on its arguments and the memory they point to.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: every caller of `entry` keeps this `Code` alive, so the machine code is not running now.
            unsafe { module.free_memory() };
        }
    }
}

/// Returns the target for code generation: this processor, with all its extensions.
fn machine() -> Result<&'static OwnedTargetIsa, String> {
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

/// Generates the functions of a kernel: the kernel itself, with the signature of [`Entry`], then its callees.
fn generate(isa: &OwnedTargetIsa, kernel: &Function, functions: Functions) -> (Vec<Context>, Sizes) {
    let (target, frontend) = (Target::new(&**isa, functions), isa.frontend_config());
    let (learned, callees) = call::learn(kernel);
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

/// Returns the signature of [`Entry`].
fn entry(isa: &OwnedTargetIsa) -> Signature {
    let mut signature = Signature::new(isa.default_call_conv());
    signature.params.push(AbiParam::new(isa.pointer_type()));
    signature.params.extend([AbiParam::new(types::I32); 4]);
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

/// Returns the Cranelift IR of a kernel's functions, as text.
pub(super) fn clif(kernel: &Function, functions: Functions) -> Result<String, String> {
    let (contexts, _) = generate(machine()?, kernel, functions);
    let texts = contexts.into_iter().map(|mut context| {
        context.func.dfg.resolve_all_aliases();
        context.func.display().to_string()
    });
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

/// Returns the machine code of a kernel's functions, as text.
pub(super) fn assembly(kernel: &Function, functions: Functions) -> Result<String, String> {
    let isa = machine()?;
    let (contexts, _) = generate(isa, kernel, functions);
    let texts = contexts.into_iter().map(|mut context| {
        context.set_disasm(true);
        let code = context.compile(&**isa, &mut ControlPlane::default()).map_err(|error| error.inner.to_string())?;
        code.vcode.clone().ok_or_else(|| "Cranelift returned no disassembly".to_owned())
    });
    Ok(texts.collect::<Result<Vec<_>, String>>()?.join("\n"))
}

/// Compiles a kernel.
pub(super) fn build(kernel: &Function, functions: Functions) -> Result<Code, String> {
    let isa = machine()?;
    let (mut contexts, sizes) = generate(isa, kernel, functions);
    let builder = JITBuilder::with_isa(Arc::clone(isa), cranelift_module::default_libcall_names());
    let mut module = JITModule::new(builder);
    let refused = match define(&mut module, kernel, &mut contexts) {
        Ok(id) => {
            let address = module.get_finalized_function(id);
            // SAFETY: the function was built with the signature of `Entry`.
            let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
            let Sizes { frame_bytes, workgroup_bytes } = sizes;
            return Ok(Code { entry, frame_bytes, workgroup_bytes, module: Some(module) });
        }
        Err(refused) => refused,
    };
    // SAFETY: no pointer into the module was returned.
    unsafe { module.free_memory() };
    Err(refused)
}

/// Compiles all functions of a kernel; returns the id of the kernel's own function.
fn define(module: &mut JITModule, kernel: &Function, contexts: &mut [Context]) -> Result<FuncId, String> {
    let failed = |error: cranelift_module::ModuleError| format!("{error:?}");
    let mut ids = Vec::with_capacity(contexts.len());
    for (number, context) in contexts.iter().enumerate() {
        let id = module.declare_anonymous_function(&context.func.signature).map_err(failed)?;
        debug_assert_eq!(id.as_u32() as usize, number, "calls name functions by their number");
        ids.push(id);
    }
    let mut stack = Vec::with_capacity(contexts.len());
    for (id, context) in ids.iter().zip(&mut *contexts) {
        module.define_function(*id, context).map_err(failed)?;
        let frame = context.compiled_code().and_then(|code| code.buffer.frame_layout());
        stack.push(frame.map_or(0, |frame| frame.frame_to_fp_offset));
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
    module.finalize_definitions().map_err(failed)?;
    Ok(ids[0])
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
