//! A function of machine instructions over virtual registers, and the allocation of its registers.

use regalloc2::{
    Algorithm, Allocation, Block, Inst as Index, InstRange, MachineEnv, Operand, OperandConstraint, OperandKind,
    OperandPos, Output, PReg, PRegSet, RegClass, RegallocOptions, VReg,
};

use super::inst::{Inst, Role};
use super::op::Length;
use super::reg::{MASKS, Reg, int, mask, vector};

/// A straight sequence of instructions, whose last one is a jump, a branch or a return.
#[derive(Debug, Default)]
pub(super) struct BasicBlock {
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) successors: Vec<Block>,
    pub(super) predecessors: Vec<Block>,
    pub(super) parameters: Vec<VReg>,
    /// By successor: the values of its parameters.
    pub(super) arguments: Vec<Vec<VReg>>,
    pub(super) cold: bool,
    /// Whether a block that comes later jumps here.
    pub(super) starts_loop: bool,
}

/// A function of machine instructions.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) insts: Vec<Inst>,
    pub(super) blocks: Vec<BasicBlock>,
    pub(super) registers: usize,
    operands: Vec<Operand>,
    /// By instruction: the start of its operands.
    starts: Vec<u32>,
    /// The length of the longest vectors.
    pub(super) length: Length,
}

impl Program {
    /// Collects the operands of all instructions for the allocator.
    fn collect(&mut self) {
        self.operands.clear();
        self.starts.clear();
        for inst in &mut self.insts {
            self.starts.push(self.operands.len() as u32);
            let operands = &mut self.operands;
            let few = self.length == Length::Zmm && inst.has_few_registers();
            inst.visit(&mut |reg, role| {
                let Reg::Virtual(reg) = *reg else { unreachable!("registers are virtual before allocation") };
                operands.push(if few && reg.class() == RegClass::Float {
                    limited(reg, role)
                } else {
                    operand(reg, role)
                });
            });
        }
        self.starts.push(self.operands.len() as u32);
    }

    /// Chooses a machine register or a place on the stack for each operand, and writes it into the instruction.
    ///
    /// # Errors
    /// The error of the allocator, as text.
    pub(super) fn allocate(&mut self) -> Result<Output, String> {
        self.collect();
        let options =
            RegallocOptions { verbose_log: false, validate_ssa: cfg!(debug_assertions), algorithm: Algorithm::Ion };
        let output = regalloc2::run(self, &environment(self.length), &options)
            .map_err(|error| format!("the allocation of registers failed: {error:?}"))?;
        for (index, inst) in self.insts.iter_mut().enumerate() {
            let mut allocations = output.inst_allocs(Index::new(index)).iter();
            inst.visit(&mut |reg, _| {
                if let Some(allocation) = allocations.next() {
                    *reg = place(*allocation);
                }
            });
        }
        Ok(output)
    }
}

fn operand(reg: VReg, role: Role) -> Operand {
    match role {
        Role::Use => Operand::reg_use(reg),
        Role::Any => Operand::any_use(reg),
        Role::LateUse => Operand::new(reg, OperandConstraint::Reg, OperandKind::Use, OperandPos::Late),
        Role::FixedUse(place) => Operand::reg_fixed_use(reg, place),
        Role::Def => Operand::reg_def(reg),
        Role::EarlyDef => Operand::reg_def_at_start(reg),
        Role::FixedDef(place) => Operand::reg_fixed_def(reg, place),
        Role::Same(source) => Operand::reg_reuse_def(reg, source),
    }
}

/// An operand of an instruction that only names the first sixteen vector registers, in a function that uses all.
fn limited(reg: VReg, role: Role) -> Operand {
    let few = |kind, pos| Operand::new(reg, OperandConstraint::Limit(16), kind, pos);
    match role {
        Role::Use | Role::Any => few(OperandKind::Use, OperandPos::Early),
        Role::LateUse => few(OperandKind::Use, OperandPos::Late),
        Role::Def => few(OperandKind::Def, OperandPos::Late),
        Role::EarlyDef => few(OperandKind::Def, OperandPos::Early),
        // The source that such a destination shares is limited.
        Role::FixedUse(_) | Role::FixedDef(_) | Role::Same(_) => operand(reg, role),
    }
}

/// The place of an operand after allocation.
pub(super) fn place(allocation: Allocation) -> Reg {
    match (allocation.as_reg(), allocation.as_stack()) {
        (Some(reg), _) => Reg::of_machine(reg),
        (None, Some(slot)) => Reg::Slot(slot.index() as u32),
        (None, None) => unreachable!("each operand has a place"),
    }
}

/// The general registers that functions keep for their callers.
pub(super) const KEPT: [u8; 5] = [3, 12, 13, 14, 15];
/// The general registers that calls overwrite.
const OVERWRITTEN: [u8; 9] = [0, 1, 2, 6, 7, 8, 9, 10, 11];

/// The registers that a call overwrites, except those of its results.
pub(super) fn clobbers(results: &[(Reg, PReg)]) -> PRegSet {
    let mut set = PRegSet::empty();
    for number in OVERWRITTEN {
        set.add(int(number));
    }
    for number in 0..32 {
        set.add(vector(number));
    }
    for number in 0..8 {
        set.add(mask(number));
    }
    for (_, place) in results {
        set.remove(*place);
    }
    set
}

/// The number of vector registers of functions with vectors of up to this length.
pub(super) fn vector_registers(length: Length) -> usize {
    if length == Length::Zmm { 32 } else { 16 }
}

/// The registers that allocation may use: all but the stack pointer, the frame pointer, and the mask register that stands
/// for no mask. Functions without vectors of 512 bits run on machines with half the vector registers.
fn environment(length: Length) -> MachineEnv {
    let set = |numbers: &[u8], make: fn(u8) -> PReg| {
        numbers.iter().fold(PRegSet::empty(), |set, number| set.with(make(*number)))
    };
    // Registers with low numbers have shorter prefixes.
    let low: Vec<u8> = (0..16).collect();
    let high: Vec<u8> = (16..vector_registers(length) as u8).collect();
    let masks: Vec<u8> = if length == Length::Zmm { (1..8).collect() } else { Vec::new() };
    MachineEnv {
        preferred_regs_by_class: [set(&OVERWRITTEN, int), set(&low, vector), set(&masks, mask)],
        non_preferred_regs_by_class: [set(&KEPT, int), set(&high, vector), PRegSet::empty()],
        scratch_by_class: [None; 3],
        fixed_stack_slots: Vec::new(),
    }
}

impl regalloc2::Function for Program {
    fn num_insts(&self) -> usize {
        self.insts.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> Block {
        Block::new(0)
    }

    fn block_insns(&self, block: Block) -> InstRange {
        let block = &self.blocks[block.index()];
        InstRange::new(Index::new(block.first), Index::new(block.end))
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].successors
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].predecessors
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        &self.blocks[block.index()].parameters
    }

    fn is_ret(&self, inst: Index) -> bool {
        matches!(self.insts[inst.index()], Inst::Return { .. } | Inst::Trap)
    }

    fn is_branch(&self, inst: Index) -> bool {
        matches!(self.insts[inst.index()], Inst::Jump | Inst::Branch(_) | Inst::Table { .. })
    }

    fn branch_blockparams(&self, block: Block, _: Index, successor: usize) -> &[VReg] {
        &self.blocks[block.index()].arguments[successor]
    }

    fn inst_operands(&self, inst: Index) -> &[Operand] {
        let start = self.starts[inst.index()] as usize;
        &self.operands[start..self.starts[inst.index() + 1] as usize]
    }

    fn inst_clobbers(&self, inst: Index) -> PRegSet {
        match &self.insts[inst.index()] {
            Inst::Call(call) => call.clobbers,
            _ => PRegSet::empty(),
        }
    }

    fn num_vregs(&self) -> usize {
        self.registers
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        match class {
            RegClass::Int | MASKS => 1,
            RegClass::Float => self.length.bytes() as usize / 8,
        }
    }
}
