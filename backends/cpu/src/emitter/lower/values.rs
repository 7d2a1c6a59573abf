//! The registers of values, and loads as operands.

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::entity::packed_option::{PackedOption, ReservedValue};
use cranelift_codegen::ir::{self, DataFlowGraph, Function, InstructionData, Opcode, Type, Value, ValueDef};
use regalloc2::{RegClass, VReg};

use super::{Lower, is_in_vector};
use crate::emitter::inst::Inst;
use crate::emitter::op::{self, Op};
use crate::emitter::reg::{MASKS, Mem, Reg, Rm, Rmi, Size};

/// The value whose register holds another value, and the instruction whose first result it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    value: Value,
    definition: PackedOption<ir::Inst>,
}

/// Finds the root of each value: conversions that change no bit have no instruction.
pub(super) fn roots(func: &Function) -> SecondaryMap<Value, Root> {
    let dfg = &func.dfg;
    let none = Root { value: Value::reserved_value(), definition: None.into() };
    let mut roots = SecondaryMap::with_default(none);
    roots.resize(dfg.num_values());
    for value in dfg.values() {
        roots[value] = root(dfg, value);
    }
    roots
}

fn root(dfg: &DataFlowGraph, value: Value) -> Root {
    let mut value = dfg.resolve_aliases(value);
    loop {
        let ValueDef::Result(inst, number) = dfg.value_def(value) else {
            return Root { value, definition: None.into() };
        };
        let ty = dfg.value_type(value);
        let from = match dfg.insts[inst] {
            InstructionData::LoadNoOffset { opcode: Opcode::Bitcast, arg, .. }
                if is_in_vector(ty) == is_in_vector(dfg.value_type(arg)) =>
            {
                arg
            }
            InstructionData::Unary { opcode: Opcode::Ireduce, arg } if dfg.value_type(arg).bits() <= 64 => arg,
            InstructionData::BinaryImm8 { opcode: Opcode::Extractlane, arg, imm: 0 } if ty.is_float() => arg,
            _ => return Root { value, definition: (number == 0).then_some(inst).into() },
        };
        value = dfg.resolve_aliases(from);
    }
}

impl Lower<'_> {
    /// The value whose register holds this value, too.
    pub(super) fn root(&self, value: Value) -> Value {
        self.roots[value].value
    }

    /// Counts the uses of all values.
    pub(super) fn count_uses(&mut self) {
        for block in self.func.layout.blocks() {
            for inst in self.func.layout.block_insts(block) {
                let dfg = &self.func.dfg;
                // An instruction without machine instructions is no use of its operand; the uses of its result are.
                let stands_for_operand =
                    dfg.inst_results(inst).first().is_some_and(|result| self.root(*result) != *result);
                if stands_for_operand {
                    continue;
                }
                for value in dfg.inst_values(inst) {
                    let root = self.root(value);
                    self.uses[root] += 1;
                }
                if let InstructionData::Brif { arg, .. } = dfg.insts[inst] {
                    let root = self.root(arg);
                    self.branches[root] += 1;
                }
            }
        }
    }

    pub(super) fn is_used_once(&self, value: Value) -> bool {
        self.uses[self.root(value)] == 1
    }

    /// Whether all uses of a value are conditions of branches.
    pub(super) fn only_decides(&self, value: Value) -> bool {
        let root = self.root(value);
        self.uses[root] == self.branches[root]
    }

    /// The instruction that defines a value, after conversions without instructions; `None` for parameters of blocks.
    pub(super) fn definition(&self, value: Value) -> Option<ir::Inst> {
        self.roots[value].definition.expand()
    }

    /// The operands of the definition of a value, if it has an opcode and the type of the value.
    pub(super) fn defined_by<const N: usize>(&self, opcode: Opcode, value: Value) -> Option<[Value; N]> {
        let inst = self.definition(value)?;
        let same_type = self.type_of(self.root(value)) == self.type_of(value);
        (same_type && self.func.dfg.insts[inst].opcode() == opcode).then(|| self.argument(inst))
    }

    /// Like [`Self::defined_by`], if this is the only use of the value.
    pub(super) fn made_by<const N: usize>(&self, opcode: Opcode, value: Value) -> Option<[Value; N]> {
        if self.is_used_once(value) { self.defined_by(opcode, value) } else { None }
    }

    /// Whether a value is defined in the current block.
    pub(super) fn is_here(&self, value: Value) -> bool {
        self.definition(value).is_some_and(|inst| self.func.layout.inst_block(inst) == self.block)
    }

    /// The register of a value that an instruction defines, without asking for constants.
    pub(super) fn virtual_of(&mut self, value: Value) -> VReg {
        let root = self.root(value);
        if let Some(reg) = self.registers[root] {
            return reg;
        }
        let class = if self.predicates.contains(&root) {
            MASKS
        } else if is_in_vector(self.type_of(root)) {
            RegClass::Float
        } else {
            RegClass::Int
        };
        let reg = self.new_register(class);
        self.registers[root] = Some(reg);
        reg
    }

    pub(super) fn register_of(&mut self, value: Value) -> Reg {
        Reg::Virtual(self.virtual_of(value))
    }

    /// The register of a value. Constants are loaded at each use, which takes no longer than keeping them costs.
    pub(super) fn reg(&mut self, value: Value) -> Reg {
        let ty = self.type_of(value);
        if is_in_vector(ty) {
            if let Some(bytes) = self.vector_constant(value) {
                return self.load_constant(ty, &bytes);
            }
            if let Some(again) = self.spread_again(value) {
                return again;
            }
            if self.is_predicate(value) {
                return self.lanes_of_predicate(value);
            }
            return self.register_of(value);
        }
        if let Some(value) = self.constant(value) {
            let to = self.new_int();
            self.push(Inst::Imm { to, value });
            return to;
        }
        let Some(inst) = self.definition(value) else { return self.register_of(value) };
        match self.func.dfg.insts[inst] {
            InstructionData::FuncAddr { func_ref, .. } => {
                if let Ok(target) = self.target(func_ref) {
                    let to = self.new_int();
                    self.push(Inst::Name { to, target });
                    return to;
                }
            }
            InstructionData::StackAddr { .. } => {
                let mem = self.address(value, 0);
                let to = self.new_int();
                self.push(Inst::Lea { size: Size::S64, to, mem });
                return to;
            }
            _ => {}
        }
        self.register_of(value)
    }

    /// The memory of a load that may become an operand of the current instruction: its only use, with no change of
    /// memory in between. The operand reads `bytes` bytes.
    pub(super) fn fold(&mut self, value: Value, bytes: u32) -> Option<Mem> {
        let root = self.root(value);
        let (address, offset) = self.foldable(root, bytes)?;
        Some(self.address(address, offset))
    }

    fn foldable(&self, root: Value, bytes: u32) -> Option<(Value, i32)> {
        if !self.may_fold || self.uses[root] != 1 || self.registers[root].is_some() {
            return None;
        }
        let ValueDef::Result(inst, _) = self.func.dfg.value_def(root) else { return None };
        let InstructionData::Load { opcode: Opcode::Load, arg, offset, .. } = self.func.dfg.insts[inst] else {
            return None;
        };
        let near = self.func.layout.inst_block(inst) == self.block && self.states[inst] == self.state;
        (near && self.type_of(root).bytes() >= bytes).then(|| (arg, offset.into()))
    }

    /// Whether a value is best taken as the operand that may be in memory.
    pub(super) fn prefers_memory(&self, value: Value) -> bool {
        let bytes = self.type_of(value).bytes();
        self.foldable(self.root(value), bytes).is_some()
            || is_in_vector(self.type_of(value)) && self.vector_constant(value).is_some()
    }

    /// A value as an operand that may be in memory, of the value's own size.
    pub(super) fn rm(&mut self, value: Value) -> Rm {
        let ty = self.type_of(value);
        if is_in_vector(ty) {
            if let Some(bytes) = self.vector_constant(value) {
                return Rm::Mem(self.constant_memory(&bytes));
            }
        } else if ty.bytes() < 4 {
            // Operations on fewer than 32 bits read 32.
            return Rm::Any(self.reg(value));
        }
        self.folded(value)
    }

    /// Like [`Self::rm`], for instructions on values of any size: a load if it may become an operand, or a register.
    pub(super) fn folded(&mut self, value: Value) -> Rm {
        match self.fold(value, self.type_of(value).bytes()) {
            Some(mem) => Rm::Mem(mem),
            None => Rm::Any(self.reg(value)),
        }
    }

    /// An integer as an operand that may be in memory or constant.
    pub(super) fn rmi(&mut self, value: Value) -> Rmi {
        match self.immediate(value) {
            Some(immediate) => Rmi::Imm(immediate),
            None => Rmi::Rm(self.rm(value)),
        }
    }

    /// Orders the operands of a commutative instruction: one that is best in memory comes last, and otherwise one that
    /// is used only here comes first.
    pub(super) fn ordered(&self, a: Value, b: Value) -> (Value, Value) {
        if self.prefers_memory(b) || self.constant(b).is_some() {
            (a, b)
        } else if self.prefers_memory(a) || self.constant(a).is_some() || self.is_used_once(b) && !self.is_used_once(a)
        {
            (b, a)
        } else {
            (a, b)
        }
    }
}

/// The instruction that loads a float or a vector.
pub(super) fn load_op(ty: Type) -> Op {
    match ty.bytes() {
        4 => op::VMOVSS,
        8 => op::VMOVSD,
        _ => op::VMOVUPS,
    }
}

/// The instruction that stores a float or a vector.
pub(super) fn store_op(ty: Type) -> Op {
    match ty.bytes() {
        4 => op::VMOVSS_OUT,
        8 => op::VMOVSD_OUT,
        _ => op::VMOVUPS_OUT,
    }
}
