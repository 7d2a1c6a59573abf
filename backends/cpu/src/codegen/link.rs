//! Machine code in memory.

use std::sync::Arc;

use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError, ModuleReloc, ModuleRelocTarget};

use super::code::machine;
use super::helper::Helper;
use super::object::{Object, Piece, Reference, Target};
use crate::abi::Entry;

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

impl Object {
    /// Copies the machine code to executable memory, with the addresses of this process.
    ///
    /// # Errors
    /// The error of the linker, as text.
    pub(crate) fn link(&self) -> Result<Code, String> {
        let mut module = module(machine()?);
        let refused = match define(&mut module, &self.functions) {
            Ok(id) => {
                let address = module.get_finalized_function(id);
                // SAFETY: the function was built with the signature of `Entry`.
                let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
                let (frame_bytes, workgroup_bytes) = (self.sizes.frame_bytes, self.sizes.workgroup_bytes);
                return Ok(Code { entry, frame_bytes, workgroup_bytes, module: Some(module) });
            }
            Err(refused) => refused,
        };
        // SAFETY: no pointer into the module was returned.
        unsafe { module.free_memory() };
        Err(refused)
    }
}

/// An empty module, which knows the addresses of helpers.
pub(crate) fn module(isa: &OwnedTargetIsa) -> JITModule {
    let mut builder = JITBuilder::with_isa(Arc::clone(isa), cranelift_module::default_libcall_names());
    builder.symbol_lookup_fn(Box::new(|symbol| Some(Helper::of_number(symbol.parse().ok()?)?.address())));
    JITModule::new(builder)
}

/// Defines functions, which may call each other; returns the id of the first one.
pub(crate) fn define(module: &mut JITModule, functions: &[Piece]) -> Result<FuncId, String> {
    let signature = module.make_signature();
    let mut ids = Vec::with_capacity(functions.len());
    for _ in functions {
        ids.push(module.declare_anonymous_function(&signature).map_err(failed)?);
    }
    for (piece, id) in functions.iter().zip(&ids) {
        let mut places = Vec::with_capacity(piece.references.len());
        for Reference { offset, kind, target, addend } in piece.references.iter().copied() {
            let name = match target {
                Target::Own(offset) => ModuleRelocTarget::FunctionOffset(*id, offset),
                Target::Function(number) => {
                    let function = ids.get(number as usize).ok_or("machine code refers to a missing function")?;
                    ModuleRelocTarget::from(*function)
                }
                Target::Helper(number) => {
                    Helper::of_number(number).ok_or("machine code refers to a missing helper")?;
                    // The same name has the same id each time. Signatures matter to Cranelift's IR only.
                    let helper = module.declare_function(&number.to_string(), Linkage::Import, &signature);
                    ModuleRelocTarget::from(helper.map_err(failed)?)
                }
            };
            places.push(ModuleReloc { offset, kind, name, addend });
        }
        module.define_function_bytes(*id, u64::from(piece.alignment), &piece.code, &places).map_err(failed)?;
    }
    module.finalize_definitions().map_err(failed)?;
    ids.first().copied().ok_or_else(|| "no function".to_owned())
}

fn failed(error: ModuleError) -> String {
    format!("{error:?}")
}
