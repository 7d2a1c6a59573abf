//! The values that stay in mask registers.

use cranelift_codegen::ir::{self, Block, Opcode, Value, ValueDef, types};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codegen::Stand;
use crate::emitter::lower::{Lower, is_longest};
use crate::emitter::op::Length;

impl Lower<'_> {
    /// Finds the values that stay in mask registers: all that may be masks, less those that are not because an operand
    /// is none.
    pub(in crate::emitter::lower) fn find_predicates(&mut self) {
        if self.program.length < Length::Zmm {
            return;
        }
        let dfg = &self.func.dfg;
        let mut arguments: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
        for block in self.func.layout.blocks() {
            let Some(last) = self.func.layout.last_inst(block) else { continue };
            for call in dfg.insts[last].branch_destination(&dfg.jump_tables, &dfg.exception_tables) {
                let parameters = dfg.block_params(call.block(&dfg.value_lists));
                for (parameter, argument) in parameters.iter().zip(call.args(&dfg.value_lists)) {
                    arguments.entry(*parameter).or_default().extend(argument.as_value());
                }
            }
        }
        let entry = self.func.layout.entry_block();
        let values = dfg.values().filter(|value| is_longest(dfg.value_type(*value)) && self.root(*value) == *value);
        self.predicates = values.filter(|value| self.may_be_predicate(*value, entry)).collect();
        loop {
            let wrong: FxHashSet<Value> = self
                .predicates
                .iter()
                .filter(|value| {
                    let operands = match arguments.get(value) {
                        Some(arguments) => arguments.clone(),
                        None => self.masks_of(**value),
                    };
                    operands.iter().any(|operand| !self.is_predicate(*operand) && !self.is_constant_mask(*operand))
                })
                .copied()
                .collect();
            if wrong.is_empty() {
                return;
            }
            self.predicates.retain(|value| !wrong.contains(value));
        }
    }

    /// Whether the instruction of a value makes a mask if its operands are masks.
    fn may_be_predicate(&self, value: Value, entry: Option<Block>) -> bool {
        let ty = self.type_of(value);
        if !matches!(ty, types::I32X16 | types::I64X8) {
            return false;
        }
        match self.func.dfg.value_def(value) {
            ValueDef::Param(block, _) => Some(block) != entry,
            ValueDef::Result(inst, 0) => {
                let opcode = self.func.dfg.insts[inst].opcode();
                match opcode {
                    Opcode::Splat => self.is_spread_boolean(inst),
                    Opcode::SwidenLow | Opcode::SwidenHigh => ty == types::I64X8,
                    Opcode::Fcmp
                    | Opcode::Band
                    | Opcode::Bor
                    | Opcode::Bxor
                    | Opcode::Bnot
                    | Opcode::Bitselect
                    | Opcode::Blendv
                    | Opcode::Select => true,
                    _ => Stand::of(opcode).is_some_and(|stand| stand.is_comparison() || stand == Stand::Xor),
                }
            }
            _ => false,
        }
    }

    /// The operands of a mask's instruction that must be masks, too.
    fn masks_of(&self, value: Value) -> Vec<Value> {
        let Some(inst) = self.definition(value) else { return Vec::new() };
        let arguments = self.arguments(inst);
        match self.func.dfg.insts[inst].opcode() {
            Opcode::Fcmp | Opcode::Splat => Vec::new(),
            Opcode::Select => arguments[1..].to_vec(),
            opcode if Stand::of(opcode).is_some_and(Stand::is_comparison) => Vec::new(),
            _ => arguments.to_vec(),
        }
    }

    /// Whether an instruction spreads a scalar that is all ones or zero.
    fn is_spread_boolean(&self, inst: ir::Inst) -> bool {
        let scalar = self.arguments(inst)[0];
        self.defined_by::<1>(Opcode::Bmask, scalar).is_some()
    }
}
