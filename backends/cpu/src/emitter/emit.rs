//! The bytes of a function: its frame, its blocks in order, and its constants.

use std::collections::BTreeSet;

use cranelift_codegen::binemit::Reloc;
use regalloc2::{Block, Edit, InstOrEdit, Output};

use super::branches::{Chunk, End, join};
use super::constants::{ALIGNMENT, Pool};
use super::encode::{Encoder, Frame};
use super::inst::{Alu, Inst};
use super::op::Length;
use super::program::{KEPT, Program, place};
use super::reg::{Base, Cc, Mem, R11, RBP, RSP, Reg, Rm, Rmi, Size};
use crate::codegen::{Piece, Reference};

/// The distance at which the system grows the stack: a larger frame touches each page in order.
const PAGE: u32 = 4096;

/// The layout of a frame, and the registers that it keeps for the caller.
pub(super) struct Layout {
    pub(super) frame: Frame,
    kept: Vec<u8>,
    aligned: bool,
}

impl Layout {
    /// Lays out a frame: arguments of calls, memory of stack slots, spilled values, and kept registers above them.
    pub(super) fn new(program: &mut Program, output: &Output, stack: u32, outgoing: u32) -> Self {
        let kept = kept_registers(program, output);
        let alignment = program.length.bytes().max(32);
        let start = outgoing.next_multiple_of(alignment);
        let spills = (start + stack).next_multiple_of(alignment);
        let end = spills + output.num_spillslots as u32 * 8;
        // The frame pointer is aligned to 16 bytes, and so is the stack pointer below the kept registers.
        let above = kept.len() as u32 * 8;
        let bytes = (end + above).next_multiple_of(alignment) - above;
        let aligned = program.length > Length::Xmm && output.num_spillslots + stack as usize > 0;
        let frame = Frame { stack: start, spills, bytes, length: program.length };
        Self { frame, kept, aligned }
    }

    /// The size of the frame in bytes.
    pub(super) fn bytes(&self) -> u32 {
        self.frame.bytes + self.kept.len() as u32 * 8 + if self.aligned { self.alignment() } else { 0 }
    }

    /// The alignment of a frame with vectors above 128 bits.
    fn alignment(&self) -> u32 {
        self.frame.length.bytes()
    }

    fn enter(&self, code: &mut Encoder) {
        push(code, RBP);
        code.instruction(&Inst::Copy { to: RBP, from: RSP });
        for number in &self.kept {
            push(code, Reg::Int(*number));
        }
        let bytes = self.frame.bytes;
        if bytes >= PAGE {
            // A loop down to the last whole page; R11 holds no argument.
            let pages = bytes / PAGE * PAGE;
            let mem = Mem { base: Base::Reg(RSP), index: None, offset: -(pages.cast_signed()) };
            code.instruction(&Inst::Lea { size: Size::S64, to: R11, mem });
            let again = code.bytes.len();
            subtract(code, PAGE);
            code.store(Size::S32, RSP, Mem::at(Base::Reg(RSP)));
            code.instruction(&Inst::Cmp { size: Size::S64, a: Rm::Reg(RSP), b: Rmi::Rm(Rm::Reg(R11)) });
            let back = again as i64 - (code.bytes.len() as i64 + 2);
            code.bytes.extend_from_slice(&[0x70 | Cc::NE as u8, back as u8]);
        }
        let rest = bytes % PAGE;
        if rest > 0 {
            subtract(code, rest);
        }
        if self.aligned {
            let b = Rmi::Imm(-self.alignment().cast_signed());
            code.instruction(&Inst::Alu { op: Alu::And, size: Size::S64, to: RSP, a: RSP, b });
        }
    }

    fn leave(&self, code: &mut Encoder, zero_upper: bool) {
        if zero_upper {
            code.zero_upper();
        }
        for (number, register) in self.kept.iter().enumerate() {
            let offset = -8 * (number as i32 + 1);
            let mem = Mem { base: Base::Reg(RBP), index: None, offset };
            let to = Reg::Int(*register);
            code.instruction(&Inst::Extend { signed: false, from: Size::S64, into: Size::S64, to, a: Rm::Mem(mem) });
        }
        // Leave and return.
        code.bytes.extend_from_slice(&[0xc9, 0xc3]);
    }
}

fn push(code: &mut Encoder, reg: Reg) {
    if reg.number() >= 8 {
        code.bytes.push(0x41);
    }
    code.bytes.push(0x50 | reg.number() & 7);
}

fn subtract(code: &mut Encoder, bytes: u32) {
    let b = Rmi::Imm(bytes.cast_signed());
    code.instruction(&Inst::Alu { op: Alu::Sub, size: Size::S64, to: RSP, a: RSP, b });
}

/// The registers that the function writes and must restore.
fn kept_registers(program: &mut Program, output: &Output) -> Vec<u8> {
    let mut written = BTreeSet::new();
    for inst in &mut program.insts {
        inst.visit(&mut |reg, _| {
            if let Reg::Int(number) = *reg {
                written.insert(number);
            }
        });
    }
    for (_, Edit::Move { to, .. }) in &output.edits {
        if let Reg::Int(number) = place(*to) {
            written.insert(number);
        }
    }
    KEPT.into_iter().filter(|number| written.contains(number)).collect()
}

/// Writes a function whose registers are allocated.
pub(super) fn emit(program: &Program, output: &Output, pool: &Pool, layout: &Layout) -> Piece {
    let mut chunks: Vec<Chunk> = Vec::with_capacity(program.blocks.len());
    for number in 0..program.blocks.len() {
        chunks.push(chunk(program, output, layout, number));
    }
    let joined = join(chunks);
    let mut code = joined.code;
    let pool_start = code.len().next_multiple_of(ALIGNMENT);
    if !pool.bytes.is_empty() {
        code.resize(pool_start, 0xcc);
        code.extend_from_slice(&pool.bytes);
    }
    for distance in &joined.distances {
        let at = distance.at as usize;
        let target = pool_start as i64 + i64::from(distance.constant);
        let value = (target - (i64::from(distance.at) + 4 + i64::from(distance.behind))) as i32;
        code[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    let references = joined
        .names
        .iter()
        .map(|(offset, target)| Reference { offset: *offset, kind: Reloc::Abs8, target: *target, addend: 0 })
        .collect();
    Piece { alignment: 64, code, references }
}

fn chunk(program: &Program, output: &Output, layout: &Layout, number: usize) -> Chunk {
    let block = &program.blocks[number];
    let mut code = Encoder::new(layout.frame);
    if number == 0 {
        layout.enter(&mut code);
    }
    let mut end = End::None;
    for step in output.block_insts_and_edits(program, Block::new(number)) {
        match step {
            InstOrEdit::Edit(Edit::Move { from, to }) => code.copy(place(*to), place(*from)),
            InstOrEdit::Inst(index) => match &program.insts[index.index()] {
                Inst::Jump => end = End::Jump(block.successors[0].index()),
                Inst::Branch(cond) => {
                    end = End::Branch(*cond, block.successors[0].index(), block.successors[1].index());
                }
                Inst::Table { index, table, at } => {
                    let successors = block.successors.iter().map(|successor| successor.index()).collect();
                    end = End::Table { index: *index, table: *table, at: *at, successors };
                }
                Inst::Return { zero_upper, .. } => layout.leave(&mut code, *zero_upper && program.length > Length::Xmm),
                inst => code.instruction(inst),
            },
        }
    }
    Chunk { code, end, cold: block.cold, starts_loop: block.starts_loop }
}
