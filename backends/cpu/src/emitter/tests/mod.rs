//! Functions of Cranelift's IR, compiled and run.

mod intrinsics;
mod lanes;
mod rules;
mod spread;
mod wide;

use cranelift_codegen::Context;
use cranelift_codegen::ir::{
    AbiParam, ExtFuncData, ExternalName, Function, InstBuilder, MemFlagsData, Signature, Type, UserExternalName,
    UserFuncName, Value, types,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use super::intrinsic::{Intrinsic, NAMESPACE};
use crate::abi::convention;
use crate::codegen::{Isa, call_conv, define, machine, module, piece};

/// The generator of a function's machine code.
#[derive(Clone, Copy)]
enum By {
    /// Cranelift, with vectors of 128 bits.
    Baseline,
    Avx2,
    /// The emitter, after Cranelift's optimiser without the e-graph.
    Avx2WithoutRules,
}

/// The memory of one operand or result.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Memory([u8; 32]);

/// The number of operands of each function.
const OPERANDS: usize = 4;

convention! { [type Entry = unsafe] fn(out: *mut Memory, operands: *const Memory); }

/// Builds a function that reads operands and writes a result.
fn context(isa: &dyn TargetIsa, build: impl FnOnce(&mut FunctionBuilder, Value, Value)) -> Context {
    let mut signature = Signature::new(call_conv(isa));
    signature.params.extend([AbiParam::new(types::I64); 2]);
    let mut function = Function::with_name_signature(UserFuncName::default(), signature);
    let mut of_builder = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut function, &mut of_builder);
    let block = b.create_block();
    b.append_block_params_for_function_params(block);
    b.switch_to_block(block);
    b.seal_block(block);
    let (out, from) = (b.block_params(block)[0], b.block_params(block)[1]);
    build(&mut b, out, from);
    b.ins().return_(&[]);
    b.finalize(isa.frontend_config());
    Context::for_function(function)
}

/// Compiles a function that reads operands and writes a result, and runs it on each list of operands. `None` if this
/// machine lacks the instructions.
fn run(
    by: By,
    operands: &[[Memory; OPERANDS]],
    build: impl FnOnce(&mut FunctionBuilder, Value, Value),
) -> Option<Vec<Memory>> {
    if Isa::Avx2.check().is_err() {
        return None;
    }
    let isa = machine().unwrap();
    let mut context = context(&**isa, build);
    let compiled = compile_by(by, &**isa, &mut context);
    let piece = compiled.unwrap_or_else(|error| panic!("{error}\n{}", context.func));
    let mut module = module(isa);
    let id = define(&mut module, &[piece]).unwrap();
    // SAFETY: the function was defined with this signature, and the module outlives its use.
    let entry: Entry = unsafe { std::mem::transmute(module.get_finalized_function(id)) };
    let results = operands.iter().map(|operands| {
        let mut out = Memory([0xa5; 32]);
        // SAFETY: the function reads up to this number of operands, and writes one result.
        unsafe { entry(&mut out, operands.as_ptr()) };
        out
    });
    let results = results.collect();
    // SAFETY: no pointer into the code is left.
    unsafe { module.free_memory() };
    Some(results)
}

fn compile_by(by: By, isa: &dyn TargetIsa, context: &mut Context) -> Result<crate::codegen::Piece, String> {
    match by {
        By::Baseline => piece(isa, context),
        By::Avx2 => super::compile(isa, context, true).map(|compiled| compiled.piece),
        By::Avx2WithoutRules => {
            super::optimise::without_rules(isa, context)?;
            super::finish(context, true).map(|compiled| compiled.piece)
        }
    }
}

fn load(b: &mut FunctionBuilder, ty: Type, from: Value, offset: i32) -> Value {
    b.ins().load(ty, MemFlagsData::new().with_notrap(), from, offset)
}

fn store(b: &mut FunctionBuilder, value: Value, to: Value, offset: i32) {
    b.ins().store(MemFlagsData::new().with_notrap(), value, to, offset);
}

/// Calls a function that is an instruction.
fn intrinsic(b: &mut FunctionBuilder, function: Intrinsic, ty: Type, operands: &[Value]) -> Value {
    let mut signature = Signature::new(call_conv(machine().unwrap().as_ref()));
    signature.params.extend(operands.iter().map(|operand| AbiParam::new(b.func.dfg.value_type(*operand))));
    signature.returns.push(AbiParam::new(ty));
    let signature = b.import_signature(signature);
    let name = b.func.declare_imported_user_function(UserExternalName::new(NAMESPACE, function.number()));
    let name = ExternalName::user(name);
    let function = b.import_function(ExtFuncData { name, signature, colocated: false, patchable: false });
    let call = b.ins().call(function, operands);
    b.inst_results(call)[0]
}

/// Lists of operands with edge values of integers and floats, and with arbitrary bits.
fn operands() -> Vec<[Memory; OPERANDS]> {
    const EDGES: [u32; 16] = [
        0,
        1,
        u32::MAX,
        1 << 31,
        i32::MAX as u32,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x4f00_0000,
        0xcf00_0001,
        0x0080_0000,
        0x8000_0001,
        0x3fe0_0000,
        0x41e0_0000,
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as u32
    };
    (0..300)
        .map(|round| {
            std::array::from_fn(|_| {
                let mut memory = Memory([0; 32]);
                for word in memory.0.chunks_exact_mut(4) {
                    let bits = next();
                    let value = if round % 3 == 0 { bits } else { EDGES[bits as usize % EDGES.len()] };
                    word.copy_from_slice(&value.to_le_bytes());
                }
                memory
            })
        })
        .collect()
}
