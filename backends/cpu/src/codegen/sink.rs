//! Reads of vectors, moved to their first use.
//!
//! Cranelift keeps reads in the order of the program, but computes a value only before the statement that needs it: that
//! is, before a store. In a kernel that sums up many neighbours, all reads therefore came before the first addition, more
//! vectors than there are registers were copied to the stack and back, and none of the reads became an operand of the
//! instruction that uses it.
//!
//! A read stays in its block, so that no test is skipped. It passes other reads, which WGSL does not order; it
//! passes a store only if nothing writes its memory. Reads of single scalars stay where they are: each has an address of
//! its own, which would need a register for as long.

use cranelift_codegen::ir::{Block, Function, Inst, InstructionData, Opcode, Value};
use rustc_hash::FxHashMap;

/// Moves the reads of vectors of an optimised function.
pub(super) fn reads(function: &mut Function) {
    let blocks: Vec<Block> = function.layout.blocks().collect();
    for block in blocks {
        reads_of_block(function, block);
    }
}

fn reads_of_block(function: &mut Function, block: Block) {
    let insts: Vec<Inst> = function.layout.block_insts(block).collect();
    // By value: the place of its first use, as an index in `insts`.
    let mut uses: FxHashMap<Value, usize> = FxHashMap::default();
    let mut change = insts.len();
    let mut moves = Vec::new();
    for (at, inst) in insts.iter().copied().enumerate().rev() {
        let mut place = at;
        if let Some((read, readonly)) = vector_read(function, inst)
            && let Some(user) = uses.get(&read)
            && (readonly || *user <= change)
        {
            place = *user;
            moves.push((inst, insts[place]));
        }
        for operand in function.dfg.inst_values(inst) {
            uses.entry(operand).and_modify(|first| *first = place.min(*first)).or_insert(place);
        }
        if changes_memory(function.dfg.insts[inst].opcode()) {
            change = at;
        }
    }
    // In the order of the program, so that a read whose address another one returns stays behind it.
    for (inst, user) in moves.into_iter().rev() {
        function.layout.remove_inst(inst);
        function.layout.insert_inst(inst, user);
    }
}

/// The vector that an instruction reads, and whether nothing writes its memory; `None` if it is no such read or may trap.
fn vector_read(function: &Function, inst: Inst) -> Option<(Value, bool)> {
    let InstructionData::Load { opcode: Opcode::Load, flags, .. } = function.dfg.insts[inst] else { return None };
    let (flags, read) = (function.dfg.mem_flags[flags], function.dfg.first_result(inst));
    (flags.notrap() && function.dfg.value_type(read).is_vector()).then(|| (read, flags.readonly()))
}

/// Whether memory, as the function sees it, may differ before and after the instruction.
fn changes_memory(opcode: Opcode) -> bool {
    opcode.can_store() || opcode.is_call() || opcode.other_side_effects()
}
