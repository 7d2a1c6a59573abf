//! Scalars of constant memory that are spread to all lanes, read at each use.
//!
//! Cranelift moves such vectors out of loops, because they are the same in each iteration. Where a loop uses more of them
//! than there are registers, the allocator keeps them on the stack, copies those that it has in registers back there
//! at the end of each iteration, and reads them again. One instruction reads the scalar and spreads it, so reading it at
//! each use costs no more than reading the copy, and nothing else.

use cranelift_codegen::Context;
use cranelift_codegen::ir::{InstructionData, Opcode, Value, ValueDef, types};
use cranelift_codegen::loop_analysis::Loop;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Lower, is_in_vector, length_of};
use crate::emitter::op;
use crate::emitter::program::vector_registers;
use crate::emitter::reg::{Reg, Rm};

/// The number of vector registers that a loop computes with; the others may keep vectors from outside of it.
const FOR_LOOP: usize = 6;

impl Lower<'_> {
    /// Finds the vectors that are read again at each use.
    pub(super) fn find_spreads(&mut self, context: &Context) {
        let loops = &context.loop_analysis;
        if !self.func.dfg.values().any(|value| self.spread_source(value).is_some()) {
            return;
        }
        let mut used: FxHashMap<Loop, FxHashSet<Value>> = FxHashMap::default();
        // Cold blocks count, too: the allocator keeps a vector in the same place in the whole loop.
        for block in self.func.layout.blocks() {
            let Some(innermost) = loops.innermost_loop(block) else { continue };
            for inst in self.func.layout.block_insts(block) {
                for value in self.func.dfg.inst_values(inst) {
                    let root = self.root(value);
                    if !is_in_vector(self.type_of(root)) {
                        continue;
                    }
                    let ValueDef::Result(made, _) = self.func.dfg.value_def(root) else { continue };
                    let Some(made) = self.func.layout.inst_block(made) else { continue };
                    if loops.is_in_loop(made, innermost) || self.vector_constant(root).is_some() {
                        continue;
                    }
                    let around = std::iter::successors(Some(innermost), |one| loops.loop_parent(*one));
                    for one in around.take_while(|one| !loops.is_in_loop(made, *one)) {
                        used.entry(one).or_default().insert(root);
                    }
                }
            }
        }
        let kept = vector_registers(self.program.length) - FOR_LOOP;
        let many = used.into_values().filter(|values| values.len() > kept).flatten();
        self.spreads = many.filter(|value| self.spread_source(*value).is_some()).collect();
    }

    /// Reads a vector again, if it is one of those.
    pub(super) fn spread_again(&mut self, value: Value) -> Option<Reg> {
        let root = self.root(value);
        if !self.spreads.contains(&root) {
            return None;
        }
        let (address, offset) = self.spread_source(root)?;
        let mem = Rm::Mem(self.address(address, offset));
        Some(self.v1(op::VBROADCASTSS, length_of(self.type_of(root)), mem, None))
    }

    /// The address of the scalar, if a value is a scalar of constant memory in all lanes.
    fn spread_source(&self, value: Value) -> Option<(Value, i32)> {
        let [scalar] = self.defined_by(Opcode::Splat, value)?;
        let load = self.definition(scalar)?;
        let InstructionData::Load { opcode: Opcode::Load, arg, flags, offset } = self.func.dfg.insts[load] else {
            return None;
        };
        let flags = self.func.dfg.mem_flags[flags];
        let constant = flags.readonly() && flags.can_move() && flags.notrap();
        (constant && self.type_of(self.root(scalar)) == types::F32).then(|| (arg, offset.into()))
    }
}
