//! Selection of instructions: from Cranelift's IR to machine instructions over virtual registers.
//!
//! Blocks and their instructions are visited backwards, so that an instruction is only selected if a result of it is
//! used, and an instruction can take over the work of those that compute its operands: reading memory, adding to an
//! address, comparing.
//!
//! | file | content |
//! |---|---|
//! | `values`, `constants` | the registers of values, loads as operands; constants |
//! | `blocks` | the order of blocks; edges that need a block of their own |
//! | `flow` | branches, conditions, returns |
//! | `call` | calls, arguments |
//! | `intrinsic` | functions that are instructions |
//! | `memory`, `atomic` | addresses, loads and stores; atomics |
//! | `integer`, `bits`, `select` | scalar integers; counting bits; selection |
//! | `float` | arithmetic of floats, scalars and vectors |
//! | `lanes`, `shuffle` | single lanes of vectors; permutations |
//! | `spread` | scalars of constant memory in all lanes |
//! | `vector`, `compare`, `masks`, `widen` | integer vectors; comparisons; masks; width of lanes |
//! | `predicates`, `ternary` | masks in mask registers; logic of three operands, and rotations |
//! | `convert` | conversions between integers and floats |

mod atomic;
mod bits;
mod blocks;
mod call;
mod compare;
mod constants;
mod convert;
mod float;
mod flow;
mod integer;
mod intrinsic;
mod lanes;
mod masks;
mod memory;
mod predicates;
mod select;
mod shuffle;
mod spread;
mod ternary;
mod values;
mod vector;
mod widen;

use cranelift_codegen::Context;
use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{self, Opcode, Type, Value};
use regalloc2::{RegClass, VReg};
use rustc_hash::FxHashSet;

use super::constants::Pool;
use super::inst::Inst;
use super::op::{Length, Op};
use super::program::Program;
use super::reg::{Reg, Rm, Size};
use blocks::Order;
use values::Root;

/// The machine instructions of a function, before allocation.
#[derive(Debug)]
pub(super) struct Lowered {
    pub(super) program: Program,
    pub(super) pool: Pool,
    /// The size of the memory of stack slots in bytes.
    pub(super) stack: u32,
    /// The size of the arguments on the stack of all calls.
    pub(super) outgoing: u32,
}

/// The state of selection.
struct Lower<'a> {
    func: &'a ir::Function,
    program: Program,
    pool: Pool,
    /// By value: the value whose register holds it, too, and what defines that one.
    roots: SecondaryMap<Value, Root>,
    /// By value: its register, if some instruction uses it.
    registers: SecondaryMap<Value, Option<VReg>>,
    /// By value: the number of uses.
    uses: SecondaryMap<Value, u32>,
    /// By value: the number of branches whose condition it is.
    branches: SecondaryMap<Value, u32>,
    /// The masks that are in mask registers.
    predicates: FxHashSet<Value>,
    /// The vectors that are read again at each use.
    spreads: FxHashSet<Value>,
    /// By instruction: a number that grows with each instruction that may change memory.
    states: SecondaryMap<ir::Inst, u32>,
    /// By stack slot: its offset.
    slots: Vec<u32>,
    stack: u32,
    outgoing: u32,
    /// The machine instructions of the current instruction, in order.
    sequence: Vec<Inst>,
    /// The block and the state of memory of the current instruction.
    block: Option<ir::Block>,
    state: u32,
    /// Whether loads may become operands: not where an instruction is selected more than once.
    may_fold: bool,
}

/// Selects the instructions of an optimised function.
///
/// # Errors
/// The name of something that has no instructions here.
pub(super) fn lower(context: &Context) -> Result<Lowered, String> {
    let func = &context.func;
    let order = Order::new(context);
    let mut lower = Lower {
        func,
        program: Program::default(),
        pool: Pool::default(),
        roots: values::roots(func),
        registers: SecondaryMap::with_capacity(func.dfg.num_values()),
        uses: SecondaryMap::with_capacity(func.dfg.num_values()),
        branches: SecondaryMap::new(),
        predicates: FxHashSet::default(),
        spreads: FxHashSet::default(),
        states: SecondaryMap::with_capacity(func.dfg.num_insts()),
        slots: Vec::new(),
        stack: 0,
        outgoing: 0,
        sequence: Vec::new(),
        block: None,
        state: 0,
        may_fold: true,
    };
    for slot in func.sized_stack_slots.values() {
        let start = lower.stack.next_multiple_of(1 << slot.align_shift.min(6));
        lower.slots.push(start);
        lower.stack = start + slot.size;
    }
    let types = func.dfg.values().map(|value| func.dfg.value_type(value));
    lower.program.length = types.filter(|ty| is_in_vector(*ty)).map(length_of).max().unwrap_or_default();
    lower.count_uses();
    lower.find_predicates();
    lower.find_spreads(context);
    lower.blocks(&order)?;
    let Lower { program, pool, stack, outgoing, .. } = lower;
    Ok(Lowered { program, pool, stack, outgoing })
}

/// The error for something that has no instructions here.
fn refused<T>(thing: impl std::fmt::Display) -> Result<T, String> {
    Err(format!("the emitter does not support {thing}"))
}

/// Whether values of a type are in vector registers.
fn is_in_vector(ty: Type) -> bool {
    ty.is_float() || ty.is_vector()
}

/// The length of the instructions on values of a type.
fn length_of(ty: Type) -> Length {
    match ty.bits() {
        0..=128 => Length::Xmm,
        256 => Length::Ymm,
        _ => Length::Zmm,
    }
}

/// Whether a vector has more than 128 bits.
fn is_long(ty: Type) -> bool {
    ty.bits() > 128
}

/// Whether a vector has 512 bits.
fn is_longest(ty: Type) -> bool {
    ty.bits() == 512
}

/// The size of operations on integers of a type; those of fewer than 32 bits use 32.
fn size_of(ty: Type) -> Size {
    if ty.bits() == 64 { Size::S64 } else { Size::S32 }
}

impl<'a> Lower<'a> {
    /// Selects instructions for `inst`, whose results are used, or which has an effect.
    fn instruction(&mut self, inst: ir::Inst) -> Result<(), String> {
        let opcode = self.func.dfg.insts[inst].opcode();
        let to_type = self.func.dfg.inst_results(inst).first().map(|result| self.func.dfg.value_type(*result));
        if to_type.is_some_and(|ty| ty.bits() > 512 || !ty.is_vector() && ty.bits() > 64 || ty == ir::types::F16) {
            return refused(format_args!("{opcode} of {}", to_type.unwrap_or(ir::types::INVALID)));
        }
        let vector = to_type.is_some_and(Type::is_vector);
        if self.func.dfg.inst_results(inst).first().is_some_and(|result| self.is_predicate(*result)) {
            return self.predicate_instruction(opcode, inst);
        }
        match opcode {
            Opcode::Load
            | Opcode::Store
            | Opcode::Uload8
            | Opcode::Sload8
            | Opcode::Istore8
            | Opcode::Uload16
            | Opcode::Sload16
            | Opcode::Istore16
            | Opcode::Uload32
            | Opcode::Sload32
            | Opcode::Istore32
            | Opcode::Uload8x8
            | Opcode::Sload8x8
            | Opcode::Uload16x4
            | Opcode::Sload16x4
            | Opcode::Uload32x2
            | Opcode::Sload32x2 => self.memory(opcode, inst),
            Opcode::AtomicRmw | Opcode::AtomicCas | Opcode::AtomicLoad | Opcode::AtomicStore | Opcode::Fence => {
                self.atomic(opcode, inst)
            }
            Opcode::Call | Opcode::CallIndirect => self.call(inst),
            Opcode::Icmp | Opcode::Fcmp if vector => self.compare_vectors(inst),
            Opcode::Icmp | Opcode::Fcmp | Opcode::VanyTrue | Opcode::VallTrue => self.condition_value(inst),
            Opcode::Select | Opcode::SelectSpectreGuard => self.select(inst),
            Opcode::Bitselect | Opcode::Blendv | Opcode::VhighBits | Opcode::Bmask => self.mask(opcode, inst),
            Opcode::Fadd
            | Opcode::Fsub
            | Opcode::Fmul
            | Opcode::Fdiv
            | Opcode::Sqrt
            | Opcode::Fma
            | Opcode::Fneg
            | Opcode::Fabs
            | Opcode::Fcopysign
            | Opcode::Fmin
            | Opcode::Fmax
            | Opcode::Ceil
            | Opcode::Floor
            | Opcode::Trunc
            | Opcode::Nearest => self.float(opcode, inst),
            Opcode::FcvtFromSint
            | Opcode::FcvtFromUint
            | Opcode::FcvtToSintSat
            | Opcode::FcvtToUintSat
            | Opcode::X86Cvtt2dq
            | Opcode::Fpromote
            | Opcode::Fdemote
            | Opcode::Fvdemote
            | Opcode::FvpromoteLow
            | Opcode::Bitcast => self.convert(opcode, inst),
            Opcode::Splat | Opcode::Insertlane | Opcode::Extractlane | Opcode::ScalarToVector => {
                self.lanes(opcode, inst)
            }
            Opcode::Shuffle | Opcode::Swizzle | Opcode::X86Pshufb => self.permutation(opcode, inst),
            Opcode::Snarrow
            | Opcode::Unarrow
            | Opcode::SwidenLow
            | Opcode::SwidenHigh
            | Opcode::UwidenLow
            | Opcode::UwidenHigh
            | Opcode::IaddPairwise => self.widen(opcode, inst),
            Opcode::Popcnt | Opcode::Clz | Opcode::Ctz | Opcode::Bitrev | Opcode::Bswap => self.bits(opcode, inst),
            _ if vector => self.vector(opcode, inst),
            _ => self.integer(opcode, inst),
        }
    }

    fn push(&mut self, inst: Inst) {
        self.sequence.push(inst);
    }

    fn new_register(&mut self, class: RegClass) -> VReg {
        let reg = VReg::new(self.program.registers, class);
        self.program.registers += 1;
        reg
    }

    fn new_int(&mut self) -> Reg {
        Reg::Virtual(self.new_register(RegClass::Int))
    }

    fn new_vector(&mut self) -> Reg {
        Reg::Virtual(self.new_register(RegClass::Float))
    }

    /// The operands of an instruction.
    fn arguments(&self, inst: ir::Inst) -> &'a [Value] {
        self.func.dfg.inst_args(inst)
    }

    fn argument<const N: usize>(&self, inst: ir::Inst) -> [Value; N] {
        let arguments = self.arguments(inst);
        std::array::from_fn(|index| arguments[index])
    }

    fn type_of(&self, value: Value) -> Type {
        self.func.dfg.value_type(value)
    }

    /// The type of the first result.
    fn result_type(&self, inst: ir::Inst) -> Type {
        self.func.dfg.value_type(self.func.dfg.first_result(inst))
    }

    /// The register of the first result.
    fn result(&mut self, inst: ir::Inst) -> Reg {
        self.register_of(self.func.dfg.first_result(inst))
    }

    /// Emits a vector instruction; the result is in a new register.
    fn v(&mut self, op: Op, length: Length, a: Reg, b: Rm) -> Reg {
        let to = self.new_vector();
        self.v_to(to, op, length, a, b);
        to
    }

    fn v_to(&mut self, to: Reg, op: Op, length: Length, a: Reg, b: Rm) {
        self.push(Inst::V { op, length, to, a: Some(a), b, c: None, imm: None });
    }

    /// Like [`Self::v`], with a constant in the instruction.
    fn v_imm(&mut self, op: Op, length: Length, a: Reg, b: Rm, imm: u8) -> Reg {
        let to = self.new_vector();
        self.push(Inst::V { op, length, to, a: Some(a), b, c: None, imm: Some(imm) });
        to
    }

    /// Emits an instruction with one source.
    fn v1_to(&mut self, to: Reg, op: Op, length: Length, b: Rm, imm: Option<u8>) {
        self.push(Inst::V { op, length, to, a: None, b, c: None, imm });
    }

    fn v1(&mut self, op: Op, length: Length, b: Rm, imm: Option<u8>) -> Reg {
        let to = self.new_vector();
        self.v1_to(to, op, length, b, imm);
        to
    }

    /// Emits a selection by the sign bits of a mask: `b` where it is set, otherwise `a`.
    fn blend_to(&mut self, to: Reg, op: Op, length: Length, a: Reg, b: Rm, mask: Reg) {
        self.push(Inst::V { op, length, to, a: Some(a), b, c: Some(mask), imm: None });
    }
}
