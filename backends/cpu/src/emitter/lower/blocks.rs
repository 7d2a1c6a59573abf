//! The order of blocks.

use cranelift_codegen::Context;
use cranelift_codegen::ir::{self, Block, Opcode};
use regalloc2::{Block as Index, VReg};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Lower, refused};
use crate::emitter::inst::Inst;
use crate::emitter::intrinsic::Intrinsic;
use crate::emitter::program::BasicBlock;
use crate::emitter::reg::Reg;

/// A block of the machine program.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Block(Block),
    /// The way from a block that has other ways to a block that has other ways to it: a block without instructions.
    Edge {
        from: Block,
        number: usize,
    },
}

/// The blocks of the machine program: those of a loop follow each other, and all come before those that they dominate.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) blocks: Vec<Source>,
    loops: FxHashSet<Block>,
}

fn successors(func: &ir::Function, block: Block) -> Vec<Block> {
    let Some(last) = func.layout.last_inst(block) else { return Vec::new() };
    let dfg = &func.dfg;
    let calls = dfg.insts[last].branch_destination(&dfg.jump_tables, &dfg.exception_tables);
    calls.iter().map(|call| call.block(&dfg.value_lists)).collect()
}

impl Order {
    pub(super) fn new(context: &Context) -> Self {
        let func = &context.func;
        let mut ways: FxHashMap<Block, u32> = FxHashMap::default();
        let mut order = Vec::new();
        let mut seen = FxHashSet::default();
        // A depth-first search with a stack of its own. The successors that leave loops are visited first, and so come
        // last in the reverse of the order in which blocks are finished.
        let depth = |block: Block| context.loop_analysis.loop_level(block).level();
        let mut stack: Vec<(Block, Vec<Block>)> = Vec::new();
        let open = |block: Block, ways: &mut FxHashMap<Block, u32>| {
            let mut next = successors(func, block);
            for to in &next {
                *ways.entry(*to).or_default() += 1;
            }
            // The last one of the list is visited first.
            next.sort_by_key(|to| std::cmp::Reverse((depth(*to), !func.layout.is_cold(*to))));
            (block, next)
        };
        if let Some(entry) = func.layout.entry_block() {
            seen.insert(entry);
            stack.push(open(entry, &mut ways));
        }
        while let Some((block, next)) = stack.last_mut() {
            match next.pop() {
                Some(to) => {
                    if seen.insert(to) {
                        stack.push(open(to, &mut ways));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        let mut blocks = Vec::new();
        for block in order.into_iter().rev() {
            blocks.push(Source::Block(block));
            let next = successors(func, block);
            if next.len() > 1 {
                for (number, to) in next.iter().enumerate() {
                    if ways[to] > 1 {
                        blocks.push(Source::Edge { from: block, number });
                    }
                }
            }
        }
        let loops = context.loop_analysis.loops().map(|one| context.loop_analysis.loop_header(one)).collect();
        Self { blocks, loops }
    }
}

impl Lower<'_> {
    /// Selects the instructions of all blocks, from the last to the first.
    pub(super) fn blocks(&mut self, order: &Order) -> Result<(), String> {
        let mut numbers = FxHashMap::default();
        let mut edges = FxHashMap::default();
        for (number, source) in order.blocks.iter().enumerate() {
            match *source {
                Source::Block(block) => {
                    numbers.insert(block, Index::new(number));
                }
                Source::Edge { from, number: way } => {
                    edges.insert((from, way), Index::new(number));
                }
            }
        }
        self.number_states(order);
        let mut blocks: Vec<BasicBlock> = Vec::with_capacity(order.blocks.len());
        // The instructions of all blocks, in reverse.
        let mut reversed: Vec<Inst> = Vec::new();
        let mut ends = Vec::new();
        for source in order.blocks.iter().rev() {
            let mut made = BasicBlock::default();
            match *source {
                Source::Edge { from, number } => {
                    let to = successors(self.func, from)[number];
                    made.successors.push(numbers[&to]);
                    made.cold = self.func.layout.is_cold(to) || self.func.layout.is_cold(from);
                    let values = self.branch_arguments(from, number)?;
                    made.arguments.push(values);
                    self.push(Inst::Jump);
                    reversed.extend(self.sequence.drain(..).rev());
                }
                Source::Block(block) => {
                    made.cold = self.func.layout.is_cold(block);
                    made.starts_loop = order.loops.contains(&block);
                    self.block(block, &mut made, &mut reversed, &numbers, &edges)?;
                }
            }
            ends.push(reversed.len());
            blocks.push(made);
        }
        blocks.reverse();
        ends.reverse();
        let total = reversed.len();
        for (number, block) in blocks.iter_mut().enumerate() {
            block.first = total - ends[number];
            block.end = total - ends.get(number + 1).copied().unwrap_or(0);
        }
        reversed.reverse();
        for from in 0..blocks.len() {
            for to in blocks[from].successors.clone() {
                blocks[to.index()].predecessors.push(Index::new(from));
            }
        }
        self.program.insts = reversed;
        self.program.blocks = blocks;
        Ok(())
    }

    /// Selects the instructions of one block, last first.
    fn block(
        &mut self,
        block: Block,
        made: &mut BasicBlock,
        reversed: &mut Vec<Inst>,
        numbers: &FxHashMap<Block, Index>,
        edges: &FxHashMap<(Block, usize), Index>,
    ) -> Result<(), String> {
        self.block = Some(block);
        let Some(last) = self.func.layout.last_inst(block) else { return refused("an empty block") };
        self.state = self.states[last];
        for (number, to) in successors(self.func, block).into_iter().enumerate() {
            if let Some(edge) = edges.get(&(block, number)) {
                made.successors.push(*edge);
                made.arguments.push(Vec::new());
            } else {
                made.successors.push(numbers[&to]);
                let values = self.branch_arguments(block, number)?;
                made.arguments.push(values);
            }
        }
        self.terminator(last)?;
        reversed.extend(self.sequence.drain(..).rev());
        let mut next = self.func.layout.prev_inst(last);
        while let Some(inst) = next {
            next = self.func.layout.prev_inst(inst);
            if !self.is_needed(inst) {
                continue;
            }
            self.state = self.states[inst];
            self.instruction(inst)?;
            reversed.extend(self.sequence.drain(..).rev());
        }
        if self.func.layout.entry_block() == Some(block) {
            self.parameters(block)?;
            reversed.extend(self.sequence.drain(..).rev());
        } else {
            for value in self.func.dfg.block_params(block) {
                made.parameters.push(self.virtual_of(*value));
            }
        }
        Ok(())
    }

    /// Whether a result of the instruction is used, or it has an effect.
    fn is_needed(&self, inst: ir::Inst) -> bool {
        let opcode = self.func.dfg.insts[inst].opcode();
        let reads_only = opcode.can_load() && !opcode.can_store() && !opcode.is_call();
        !reads_only && self.has_effect(inst)
            || self.func.dfg.inst_results(inst).iter().any(|result| self.registers[*result].is_some())
    }

    /// Gives each instruction the number of instructions before it in its block that may change memory.
    fn number_states(&mut self, order: &Order) {
        let mut state = 0;
        for source in &order.blocks {
            let Source::Block(block) = *source else { continue };
            for inst in self.func.layout.block_insts(block) {
                let effect = self.has_effect(inst);
                state += u32::from(effect);
                self.states[inst] = state;
                state += u32::from(effect);
            }
        }
    }

    /// The registers of the values for the parameters of a successor.
    fn branch_arguments(&mut self, from: Block, number: usize) -> Result<Vec<VReg>, String> {
        let Some(last) = self.func.layout.last_inst(from) else { return refused("an empty block") };
        let dfg = &self.func.dfg;
        let calls = dfg.insts[last].branch_destination(&dfg.jump_tables, &dfg.exception_tables);
        let mut values = Vec::new();
        let parameters = dfg.block_params(calls[number].block(&dfg.value_lists));
        for (argument, parameter) in calls[number].args(&dfg.value_lists).zip(parameters.iter().copied()) {
            let Some(value) = argument.as_value() else { return refused("exceptions") };
            let reg = if self.is_predicate(parameter) { self.predicate(value) } else { self.reg(value) };
            let Reg::Virtual(reg) = reg else { return refused("a fixed register") };
            values.push(reg);
        }
        Ok(values)
    }

    /// Whether an instruction may change memory or has another effect, so that no load may move across it.
    fn has_effect(&self, inst: ir::Inst) -> bool {
        let opcode = self.func.dfg.insts[inst].opcode();
        (opcode.can_store() || opcode.is_call() || opcode.other_side_effects() || opcode == Opcode::AtomicLoad)
            && self.intrinsic_of(inst).is_none_or(Intrinsic::writes)
    }
}
