//! Machine code in memory, and the compiler that puts it there.

use std::sync::{Arc, OnceLock};

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, UserFuncName, types};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetFrontendConfig};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::Module;

use super::ops::Target;
use crate::abi::Entry;

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

/// Builds the function of a kernel, whose signature is that of [`Entry`].
fn function(
    isa: &OwnedTargetIsa,
    generate: impl FnOnce(&Target, TargetFrontendConfig, FunctionBuilder<'_>) -> Sizes,
) -> (Context, Sizes) {
    let mut context = Context::new();
    context.func.signature.call_conv = isa.default_call_conv();
    context.func.signature.params.push(AbiParam::new(isa.pointer_type()));
    context.func.signature.params.extend([AbiParam::new(types::I32); 4]);
    context.func.signature.returns.push(AbiParam::new(types::I32));
    context.func.name = UserFuncName::user(0, 0);

    let mut of_builder = FunctionBuilderContext::new();
    let builder = FunctionBuilder::new(&mut context.func, &mut of_builder);
    let sizes = generate(&Target::new(&**isa), isa.frontend_config(), builder);
    (context, sizes)
}

/// The function that `generate` builds, as Cranelift writes it down.
pub(super) fn clif(
    generate: impl FnOnce(&Target, TargetFrontendConfig, FunctionBuilder<'_>) -> Sizes,
) -> Result<String, String> {
    let (mut context, _) = function(machine()?, generate);
    context.func.dfg.resolve_all_aliases();
    Ok(context.func.display().to_string())
}

/// The machine code of the function that `generate` builds, as Cranelift writes it down.
pub(super) fn assembly(
    generate: impl FnOnce(&Target, TargetFrontendConfig, FunctionBuilder<'_>) -> Sizes,
) -> Result<String, String> {
    let isa = machine()?;
    let (mut context, _) = function(isa, generate);
    context.set_disasm(true);
    let code = context.compile(&**isa, &mut ControlPlane::default()).map_err(|error| error.inner.to_string())?;
    code.vcode.clone().ok_or_else(|| "Cranelift wrote nothing down".to_owned())
}

/// Compiles the function that `generate` builds.
pub(super) fn build(
    generate: impl FnOnce(&Target, TargetFrontendConfig, FunctionBuilder<'_>) -> Sizes,
) -> Result<Code, String> {
    let isa = machine()?;
    let builder = JITBuilder::with_isa(Arc::clone(isa), cranelift_module::default_libcall_names());
    let mut module = JITModule::new(builder);
    let (mut context, sizes) = function(isa, generate);
    let failed = |error: cranelift_module::ModuleError| format!("{error:?}");
    let id = module.declare_anonymous_function(&context.func.signature).map_err(failed)?;
    module.define_function(id, &mut context).map_err(failed)?;
    let frame = context.compiled_code().and_then(|code| code.buffer.frame_layout());
    if let Some(bytes) = frame.map(|frame| frame.frame_to_fp_offset).filter(|bytes| *bytes > MOST_STACK) {
        // SAFETY: nothing of the module was handed out.
        unsafe { module.free_memory() };
        return Err(format!(
            "its values need {} KiB of stack at once, more than {}: split it, or keep values in arrays",
            bytes >> 10,
            MOST_STACK >> 10
        ));
    }
    module.finalize_definitions().map_err(failed)?;
    let address = module.get_finalized_function(id);
    // SAFETY: the function was built with the signature of `Entry`.
    let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
    Ok(Code { entry, frame_bytes: sizes.frame_bytes, workgroup_bytes: sizes.workgroup_bytes, module: Some(module) })
}
