//! Compares every operation with plain Rust: all combinations of edge values, as lanes and as scalars, on this machine
//! and on the minimal machine of its architecture.

mod cases;
mod inline;
mod known;
mod reference;
mod subgroup;
mod values;

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{
    AbiParam, ExternalName, Function, InstBuilder, MemFlagsData, Signature, UserFuncName, Value as Machine, types,
};
use cranelift_codegen::isa::{self, OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, FinalizedRelocTarget};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::Module;

use super::super::isa::Isa;
use super::super::lanes::Vectors;
use super::super::{code, link};
use super::{Calls, Emit, Parts, Target, call_conv, scalar_type};
use crate::abi::convention;
use crate::ir::Class;
use crate::math::Functions;

type LanesForm = Box<dyn Fn(&mut Emit, &[Parts]) -> Parts>;
type ScalarForm = Box<dyn Fn(&mut Emit, &[Machine]) -> Machine>;
type Reference = Box<dyn Fn(&[u64]) -> u64>;

/// The test of one operation. Operands and results are bits; booleans are 0 and 1.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) from: Vec<Class>,
    pub(super) to: Class,
    pub(super) lanes: LanesForm,
    pub(super) scalar: Option<ScalarForm>,
    pub(super) reference: Reference,
}

fn flags() -> settings::Flags {
    let mut flags = settings::builder();
    for (name, value) in [("opt_level", "speed"), ("enable_verifier", "true"), ("is_pic", "false")] {
        flags.set(name, value).unwrap();
    }
    settings::Flags::new(flags)
}

/// The targets whose code this machine can run, with the generator of machine code.
pub(super) fn machines() -> Vec<(&'static str, OwnedTargetIsa, Isa)> {
    let flags = flags();
    let native = cranelift_native::builder().unwrap().finish(flags.clone()).unwrap();
    let least = cranelift_native::builder_with_options(false).unwrap().finish(flags.clone()).unwrap();
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "there is no machine between the two"))]
    let mut machines = vec![("native", native.clone(), Isa::Baseline), ("least", least, Isa::Baseline)];
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("sse4.2") {
        let mut builder = cranelift_native::builder_with_options(false).unwrap();
        for feature in ["has_sse3", "has_ssse3", "has_sse41", "has_sse42"] {
            builder.enable(feature).unwrap();
        }
        machines.push(("sse4.2", builder.finish(flags).unwrap(), Isa::Baseline));
    }
    for (name, by) in [("avx2", Isa::Avx2), ("avx512", Isa::Avx512)] {
        if by.check().is_ok() {
            machines.push((name, native.clone(), by));
        }
    }
    machines
}

/// Memory for sixteen lanes, of which most machines use eight.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub(super) struct Memory(pub(super) [u64; 16]);

impl Memory {
    pub(super) const ZERO: Self = Self([0; 16]);
    /// The size in bytes.
    pub(super) const SIZE: i32 = 128;
}

convention! { [pub(super) type Compiled = unsafe] fn(out: *mut Memory, operands: *const Memory); }

/// Builds a function that reads its operands, one [`Memory`] each, and writes one result.
fn build(isa: &dyn TargetIsa, by: Isa, functions: Functions, emit: impl FnOnce(&mut Emit, [Machine; 2])) -> Function {
    let mut signature = Signature::new(call_conv(isa));
    signature.params.extend([AbiParam::new(isa.pointer_type()); 2]);
    let mut function = Function::with_name_signature(UserFuncName::default(), signature);
    let mut context = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(&mut function, &mut context);
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    builder.seal_block(block);
    let arguments = [builder.block_params(block)[0], builder.block_params(block)[1]];
    let mut calls = Calls::default();
    let vectors = match by {
        Isa::Baseline => Vectors::OF_128,
        Isa::Avx2 => Vectors::OF_256,
        Isa::Avx512 => Vectors::OF_512,
    };
    let target = Target::new(isa, functions, vectors);
    emit(&mut Emit { b: &mut builder, target: &target, calls: &mut calls }, arguments);
    builder.ins().return_(&[]);
    builder.finalize(isa.frontend_config());
    function
}

/// Compiles the function that [`build`] returns to code that can run.
pub(super) fn compile(module: &mut JITModule, by: Isa, emit: impl FnOnce(&mut Emit, [Machine; 2])) -> Compiled {
    compile_with(module, by, Functions::Precise, emit)
}

/// Like [`compile`], with functions that are computed in this way.
pub(super) fn compile_with(
    module: &mut JITModule,
    by: Isa,
    functions: Functions,
    emit: impl FnOnce(&mut Emit, [Machine; 2]),
) -> Compiled {
    let mut context = module.make_context();
    context.func = build(module.isa(), by, functions, emit);
    let piece = match by {
        Isa::Baseline => code::piece(module.isa(), &mut context),
        _ => crate::emitter::compile(module.isa(), &mut context, false).map(|compiled| compiled.piece),
    };
    let piece = piece.unwrap_or_else(|error| panic!("{error}\n{}", context.func));
    let id = link::define(module, &[piece]).unwrap();
    // SAFETY: the function was defined with this signature, and the module outlives its use.
    unsafe { std::mem::transmute(module.get_finalized_function(id)) }
}

/// Compiles for the other architecture, if this build of Cranelift supports it: the code is not run, but every
/// instruction must exist, and no routine of Cranelift may be needed.
pub(super) fn check_aarch64(case: &Case) {
    let Ok(builder) = isa::lookup_by_name("aarch64-unknown-linux-gnu") else { return };
    let isa = builder.finish(flags()).unwrap();
    let mut functions =
        vec![build(&*isa, Isa::Baseline, Functions::Precise, |emit, arguments| lanes_form(emit, case, arguments))];
    if case.scalar.is_some() {
        functions.push(build(&*isa, Isa::Baseline, Functions::Precise, |emit, arguments| {
            scalar_form(emit, case, arguments);
        }));
    }
    for function in functions {
        let mut context = Context::for_function(function);
        let code = context.compile(&*isa, &mut ControlPlane::default());
        let code = code.unwrap_or_else(|error| panic!("{} for aarch64: {:?}", case.name, error.inner));
        // Helpers of this crate have names of users.
        let is_helper = |target: &&FinalizedRelocTarget| {
            matches!(target, FinalizedRelocTarget::ExternalName(ExternalName::User(_)))
        };
        let others: Vec<_> =
            code.buffer.relocs().iter().map(|place| &place.target).filter(|own| !is_helper(own)).collect();
        assert!(others.is_empty(), "{} for aarch64 needs {others:?}", case.name);
    }
}

/// Creates a module for machine code.
pub(super) fn module(isa: OwnedTargetIsa) -> JITModule {
    link::module(&isa)
}

/// Stores eight values in the form that compiled code reads, and again in reverse for machines with sixteen lanes.
pub(super) fn store(class: Class, values: &[u64; 8]) -> Memory {
    let mut memory = Memory::ZERO;
    let all = values.iter().chain(values.iter().rev());
    if class.bytes() == 8 {
        for (to, value) in memory.0.iter_mut().zip(all) {
            *to = *value;
        }
        return memory;
    }
    for (lane, &value) in all.enumerate() {
        let word = if class == Class::Bool { (value as u32).wrapping_neg() } else { value as u32 };
        memory.0[lane / 2] |= u64::from(word) << (32 * (lane % 2));
    }
    memory
}

/// Reads the first eight values that compiled code has written.
pub(super) fn load(class: Class, memory: &Memory) -> [u64; 8] {
    std::array::from_fn(|lane| load_lane(class, memory, lane))
}

fn load_lane(class: Class, memory: &Memory, lane: usize) -> u64 {
    if class.bytes() == 8 {
        return memory.0[lane];
    }
    let word = (memory.0[lane / 2] >> (32 * (lane % 2))) as u32;
    match (class, word) {
        (Class::Bool, u32::MAX) => 1,
        (Class::Bool, 0) => 0,
        (Class::Bool, _) => panic!("{word:#x} is no mask"),
        _ => u64::from(word),
    }
}

/// Whether the bits are a NaN of the class.
pub(super) fn is_nan(class: Class, bits: u64) -> bool {
    match class {
        Class::F32 => f32::from_bits(bits as u32).is_nan(),
        Class::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

fn scalar_form(emit: &mut Emit, case: &Case, [out, operands]: [Machine; 2]) {
    let flags = MemFlagsData::new().with_notrap();
    let operands: Vec<Machine> = (0i32..)
        .zip(&case.from)
        .map(|(index, &class)| {
            let ty = if class == Class::Bool { types::I32 } else { scalar_type(class) };
            let value = emit.b.ins().load(ty, flags, operands, index * Memory::SIZE);
            if class != Class::Bool {
                return value;
            }
            let value = emit.b.ins().ireduce(types::I8, value);
            emit.b.ins().band_imm_u(value, 1)
        })
        .collect();
    let result = case.scalar.as_ref().unwrap()(emit, &operands);
    let result = if case.to == Class::Bool { emit.b.ins().bmask(types::I32, result) } else { result };
    emit.b.ins().store(flags, result, out, 0);
}

fn lanes_form(emit: &mut Emit, case: &Case, [out, operands]: [Machine; 2]) {
    let operands: Vec<Parts> = (0i32..)
        .zip(&case.from)
        .map(|(index, &class)| emit.load_parts(class, operands, index * Memory::SIZE))
        .collect();
    let result = (case.lanes)(emit, &operands);
    emit.store_parts(&result, out, 0);
}

/// All combinations of the operands' values, in groups of eight. The last group is filled with repetitions.
fn combinations(case: &Case) -> Vec<Vec<[u64; 8]>> {
    let lists: Vec<Vec<u64>> = case.from.iter().map(|&class| values::of(class, case.from.len())).collect();
    let total: usize = lists.iter().map(Vec::len).product();
    let pick = |mut number: usize| -> Vec<u64> {
        let digit = |list: &Vec<u64>| {
            let value = list[number % list.len()];
            number /= list.len();
            value
        };
        lists.iter().map(digit).collect()
    };
    (0..total)
        .step_by(8)
        .map(|first| {
            let picked: [Vec<u64>; 8] = std::array::from_fn(|lane| pick((first + lane).min(total - 1)));
            (0..lists.len()).map(|operand| std::array::from_fn(|lane| picked[lane][operand])).collect()
        })
        .collect()
}

/// Compiles all cases for all machines, runs them, and compares the results with the reference.
pub(super) fn check(cases: &[Case]) {
    cases.iter().for_each(check_aarch64);
    for (machine, isa, by) in machines() {
        let mut module = module(isa);
        for case in cases {
            let lanes = compile(&mut module, by, |emit, arguments| lanes_form(emit, case, arguments));
            let scalar = case
                .scalar
                .is_some()
                .then(|| compile(&mut module, by, |emit, arguments| scalar_form(emit, case, arguments)));
            for operands in combinations(case) {
                compare((machine, by), case, lanes, scalar, &operands);
            }
        }
        // SAFETY: no pointer into the code is left.
        unsafe { module.free_memory() };
    }
}

fn compare((machine, by): (&str, Isa), case: &Case, lanes: Compiled, scalar: Option<Compiled>, operands: &[[u64; 8]]) {
    let run = |code: Compiled, memory: &[Memory]| {
        let mut out = Memory::ZERO;
        // SAFETY: the code reads this number of operands and writes one result.
        unsafe { code(&mut out, memory.as_ptr()) };
        out
    };
    let memory: Vec<Memory> = case.from.iter().zip(operands).map(|(&class, values)| store(class, values)).collect();
    let results = run(lanes, &memory);
    for lane in 0..8 {
        let inputs: Vec<u64> = operands.iter().map(|values| values[lane]).collect();
        let expected = (case.reference)(&inputs);
        let same = |found: u64| found == expected || is_nan(case.to, found) && is_nan(case.to, expected);
        let again = (by == Isa::Avx512).then_some(15 - lane);
        for lane in std::iter::once(lane).chain(again) {
            let found = load_lane(case.to, &results, lane);
            assert!(
                same(found),
                "{} as lanes ({machine}) of {inputs:x?}: {found:x} instead of {expected:x} in lane {lane}",
                case.name
            );
        }
        if let Some(scalar) = scalar {
            let memory: Vec<Memory> =
                case.from.iter().zip(&inputs).map(|(&class, &value)| store(class, &[value; 8])).collect();
            let found = load_lane(case.to, &run(scalar, &memory), 0);
            assert!(
                same(found),
                "{} as scalar ({machine}) of {inputs:x?}: {found:x} instead of {expected:x}",
                case.name
            );
        }
    }
}
