//! Machine code in memory, and the compiler that puts it there.

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

/// Bytes of stack that a kernel may use: small work runs on the caller's thread, whose stack may be
/// small, too.
const MOST_STACK: u32 = 512 << 10;

/// A compiled kernel. Its machine code goes when this is dropped.
pub(crate) struct Code {
    /// The kernel.
    pub(crate) entry: Entry,
    /// Bytes of [`Frame::private`](crate::abi::Frame) that it needs.
    pub(crate) frame_bytes: usize,
    /// Bytes of [`Frame::workgroup`](crate::abi::Frame) that it needs.
    pub(crate) workgroup_bytes: usize,
    module: Option<JITModule>,
}

/// What a kernel needs beside its code.
pub(super) struct Sizes {
    pub(super) frame_bytes: usize,
    pub(super) workgroup_bytes: usize,
}

// SAFETY: the module is only kept to be freed; nothing in it is used after it was built.
unsafe impl Send for Code {}
// SAFETY: as above; the entry is a pure function of its arguments and the memory they point to.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: whoever runs `entry` holds this `Code`, so nobody runs it now.
            unsafe { module.free_memory() };
        }
    }
}

/// The machine that code is made for: this one, with all its extensions.
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

/// The functions of a kernel: its own, whose signature is that of [`Entry`], then those that it calls.
fn functions(isa: &OwnedTargetIsa, kernel: &Function) -> (Vec<Context>, Sizes) {
    let (target, frontend) = (Target::new(&**isa), isa.frontend_config());
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

/// The signature of [`Entry`].
fn entry(isa: &OwnedTargetIsa) -> Signature {
    let mut signature = Signature::new(isa.default_call_conv());
    signature.params.push(AbiParam::new(isa.pointer_type()));
    signature.params.extend([AbiParam::new(types::I32); 4]);
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

/// The functions of a kernel, as Cranelift writes them down.
pub(super) fn clif(kernel: &Function) -> Result<String, String> {
    let (contexts, _) = functions(machine()?, kernel);
    let texts = contexts.into_iter().map(|mut context| {
        context.func.dfg.resolve_all_aliases();
        context.func.display().to_string()
    });
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

/// The machine code of a kernel's functions, as Cranelift writes it down.
pub(super) fn assembly(kernel: &Function) -> Result<String, String> {
    let isa = machine()?;
    let (contexts, _) = functions(isa, kernel);
    let texts = contexts.into_iter().map(|mut context| {
        context.set_disasm(true);
        let code = context.compile(&**isa, &mut ControlPlane::default()).map_err(|error| error.inner.to_string())?;
        code.vcode.clone().ok_or_else(|| "Cranelift wrote nothing down".to_owned())
    });
    Ok(texts.collect::<Result<Vec<_>, String>>()?.join("\n"))
}

/// Compiles a kernel.
pub(super) fn build(kernel: &Function) -> Result<Code, String> {
    let isa = machine()?;
    let (mut contexts, sizes) = functions(isa, kernel);
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
    // SAFETY: nothing of the module was handed out.
    unsafe { module.free_memory() };
    Err(refused)
}

/// Makes machine code of all functions; returns the kernel's own.
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
        // Its instructions are many.
        context.clear();
    }
    let bytes = deepest_stack(kernel, &stack);
    if bytes > MOST_STACK {
        return Err(format!(
            "its values need {} KiB of stack at once, more than {}: split it, or keep values in arrays",
            bytes >> 10,
            MOST_STACK >> 10
        ));
    }
    module.finalize_definitions().map_err(failed)?;
    Ok(ids[0])
}

/// Bytes of stack of a kernel with all that it calls, from those of each function.
fn deepest_stack(kernel: &Function, stack: &[u32]) -> u32 {
    // A function calls only those before it.
    let mut with_callees: Vec<u32> = Vec::with_capacity(kernel.callees.len());
    for (number, function) in kernel.callees.iter().chain([kernel]).enumerate() {
        let own = if number == kernel.callees.len() { stack[0] } else { stack[number + 1] };
        let deepest = called(&function.body).map(|callee| with_callees[callee as usize]).max();
        with_callees.push(own.saturating_add(deepest.unwrap_or(0)).saturating_add(64));
    }
    with_callees.pop().unwrap_or(0)
}

/// The functions that statements call.
fn called(list: &[Stmt]) -> Box<dyn Iterator<Item = u32> + '_> {
    Box::new(list.iter().flat_map(|statement| match statement {
        Stmt::Call { callee, .. } => Box::new(std::iter::once(*callee)) as Box<dyn Iterator<Item = u32>>,
        Stmt::If { accept, reject, .. } => Box::new(called(accept).chain(called(reject))),
        Stmt::Block { body, .. } | Stmt::Loop { body, .. } => called(body),
        _ => Box::new(std::iter::empty()),
    }))
}
