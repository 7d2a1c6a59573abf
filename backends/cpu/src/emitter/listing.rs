//! Machine code as text.

use std::fmt::Write;

use regalloc2::{Block, Edit, InstOrEdit, Output};

use super::constants::Pool;
use super::inst::Inst;
use super::op::Length;
use super::program::{Program, place};
use super::reg::{Base, Mem, Reg, Rm, Rmi};

const INTEGERS: [&str; 16] =
    ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];

fn reg(reg: Reg, length: Length) -> String {
    match reg {
        Reg::Virtual(reg) => reg.to_string(),
        Reg::Int(number) => INTEGERS[usize::from(number)].to_owned(),
        Reg::Vector(number) => {
            let first = match length {
                Length::Xmm => 'x',
                Length::Ymm => 'y',
                Length::Zmm => 'z',
            };
            format!("{first}mm{number}")
        }
        Reg::Mask(number) => format!("k{number}"),
        Reg::Slot(unit) => format!("[spill + {}]", unit * 8),
    }
}

fn mem(mem: Mem) -> String {
    let mut text = match mem.base {
        Base::Reg(base) => reg(base, Length::Xmm),
        Base::None => String::new(),
        Base::Stack(offset) => format!("stack + {offset}"),
        Base::Slot(unit) => format!("spill + {}", unit * 8),
        Base::Incoming(offset) => format!("incoming + {offset}"),
        Base::Outgoing(offset) => format!("outgoing + {offset}"),
        Base::Constant(offset) => format!("constant + {offset}"),
    };
    if let Some((index, shift)) = mem.index {
        let plus = if text.is_empty() { "" } else { " + " };
        let _ = write!(text, "{plus}{}*{}", reg(index, Length::Xmm), 1 << shift);
    }
    if mem.offset != 0 {
        let _ = write!(text, " {:+}", mem.offset);
    }
    format!("[{text}]")
}

fn rm(operand: Rm, length: Length) -> String {
    match operand {
        Rm::Reg(one) | Rm::Any(one) => reg(one, length),
        Rm::Mem(place) => mem(place),
    }
}

fn rmi(operand: Rmi) -> String {
    match operand {
        Rmi::Rm(operand) => rm(operand, Length::Xmm),
        Rmi::Imm(value) => value.to_string(),
    }
}

/// An instruction with a name and operands.
fn line(name: impl std::fmt::Display, operands: &[String]) -> String {
    format!("{} {}", name.to_string().to_lowercase(), operands.join(", "))
}

fn instruction(inst: &Inst) -> String {
    let int = |one: Reg| reg(one, Length::Xmm);
    match *inst {
        Inst::Alu { op, size, to, b, .. } => line(format_args!("{op:?}.{}", size.bits()), &[int(to), rmi(b)]),
        Inst::Cmp { size, a, b } => line(format_args!("cmp.{}", size.bits()), &[rm(a, Length::Xmm), rmi(b)]),
        Inst::Test { size, a, b } => line(format_args!("test.{}", size.bits()), &[int(a), rmi(b)]),
        Inst::Change { op, size, to, .. } => line(format_args!("{op:?}.{}", size.bits()), &[int(to)]),
        Inst::Spread { size, to, .. } => line(format_args!("neg.{0}; sbb", size.bits()), &[int(to)]),
        Inst::Imm { to, value } => line("mov", &[int(to), format!("{value:#x}")]),
        Inst::Name { to, target } => line("mov", &[int(to), format!("{target:?}")]),
        Inst::Copy { to, from } => line("mov", &[reg(to, Length::Ymm), reg(from, Length::Ymm)]),
        Inst::Extend { signed, from, into, to, a } => {
            let name = if from == into {
                "mov"
            } else if signed {
                "movsx"
            } else {
                "movzx"
            };
            line(format_args!("{name}.{}.{}", into.bits(), from.bits()), &[int(to), rm(a, Length::Xmm)])
        }
        Inst::Store { size, from, mem: place } => line(format_args!("mov.{}", size.bits()), &[mem(place), int(from)]),
        Inst::StoreImm { size, value, mem: place } => {
            line(format_args!("mov.{}", size.bits()), &[mem(place), value.to_string()])
        }
        Inst::Lea { size, to, mem: place } => line(format_args!("lea.{}", size.bits()), &[int(to), mem(place)]),
        Inst::Shift { op, size, to, by, .. } => {
            line(format_args!("{op:?}.{}", size.bits()), &[int(to), by.to_string()])
        }
        Inst::Rotate { op, size, to, .. } => line(format_args!("{op:?}.{}", size.bits()), &[int(to), "cl".to_owned()]),
        Inst::Mul { size, to, b, .. } => line(format_args!("imul.{}", size.bits()), &[int(to), rm(b, Length::Xmm)]),
        Inst::MulImm { size, to, a, by } => {
            line(format_args!("imul.{}", size.bits()), &[int(to), rm(a, Length::Xmm), by.to_string()])
        }
        Inst::MulHigh { signed, size, b, .. } => {
            line(format_args!("{}.{}", if signed { "imul" } else { "mul" }, size.bits()), &[rm(b, Length::Xmm)])
        }
        Inst::Div { signed, size, b, .. } => {
            line(format_args!("{}.{}", if signed { "idiv" } else { "div" }, size.bits()), &[rm(b, Length::Xmm)])
        }
        Inst::Count { op, size, to, a } => {
            line(format_args!("count {op:?}.{}", size.bits()), &[int(to), rm(a, Length::Xmm)])
        }
        Inst::Set { cc, to } => line(format_args!("set{cc:?}"), &[int(to)]),
        Inst::Move { cc, size, to, b, .. } => {
            line(format_args!("cmov{cc:?}.{}", size.bits()), &[int(to), rm(b, Length::Xmm)])
        }
        Inst::MoveVector { cond, to, b, .. } => {
            line(format_args!("mov {cond:?}"), &[reg(to, Length::Ymm), reg(b, Length::Ymm)])
        }
        Inst::V { op, length, to, a, b, c, imm } => {
            let mut operands = vec![reg(to, length)];
            operands.extend(a.map(|a| reg(a, length)));
            operands.push(rm(b, length));
            operands.extend(c.map(|c| reg(c, length)));
            operands.extend(imm.map(|imm| imm.to_string()));
            line(op.name, &operands)
        }
        Inst::Fused { op, length, to, b, c, imm: Some(imm), .. } => {
            line(op.name, &[reg(to, length), reg(b, length), rm(c, length), format!("{imm:#x}")])
        }
        Inst::Fused { op, length, to, b, c, imm: None, .. } => {
            let order = match op.opcode >> 4 {
                0x9 => "132",
                0xa => "213",
                _ => "231",
            };
            let scalar = if op.opcode & 1 == 1 { "s" } else { "p" };
            let width = if op.wide { "d" } else { "s" };
            line(format_args!("{}{order}{scalar}{width}", op.name), &[reg(to, length), reg(b, length), rm(c, length)])
        }
        Inst::Out { op, length, from, to, imm } => {
            let mut operands = vec![rm(to, length), reg(from, length)];
            operands.extend(imm.map(|imm| imm.to_string()));
            line(op.name, &operands)
        }
        Inst::Flags { op, length, a, b } => line(op.name, &[reg(a, length), rm(b, length)]),
        Inst::Own { op, length, to, .. } => line(op.name, &[reg(to, length), reg(to, length), reg(to, length)]),
        Inst::FromInt { op, to, a } => line(op.name, &[reg(to, Length::Xmm), rm(a, Length::Xmm)]),
        Inst::Gather { op, length, to, used, base, index, scale, offset, .. } => {
            let index = reg(index, length);
            let place = format!("[{} + {index}*{} {offset:+}]", int(base), 1 << scale);
            line(op.name, &[reg(to, length), place, reg(used, length)])
        }
        Inst::Scatter { from, used, base, index, scale, offset, .. } => {
            let index = reg(index, Length::Zmm);
            let place = format!("[{} + {index}*{} {offset:+}]", int(base), 1 << scale);
            line("vpscatterdd", &[place, reg(from, Length::Zmm), int(used)])
        }
        Inst::Exchange { size, to, mem: place, .. } => {
            line(format_args!("xchg.{}", size.bits()), &[mem(place), int(to)])
        }
        Inst::Add { size, to, mem: place, .. } => {
            line(format_args!("lock xadd.{}", size.bits()), &[mem(place), int(to)])
        }
        Inst::Locked { op, size, a, mem: place } => {
            line(format_args!("lock {op:?}.{}", size.bits()), &[mem(place), int(a)])
        }
        Inst::CompareExchange { size, new, mem: place, .. } => {
            line(format_args!("lock cmpxchg.{}", size.bits()), &[mem(place), int(new)])
        }
        Inst::Loop { op, size, a, mem: place, .. } => {
            line(format_args!("loop {op:?} cmpxchg.{}", size.bits()), &[mem(place), int(a)])
        }
        Inst::Fence => "mfence".to_owned(),
        Inst::Call(ref call) => line("call", &[int(call.callee)]),
        Inst::Arguments(_) => "enter".to_owned(),
        Inst::Return { .. } => "leave; ret".to_owned(),
        Inst::Jump => "jmp".to_owned(),
        Inst::Branch(cond) => format!("branch {cond:?}"),
        Inst::Table { index, .. } => line("table", &[int(index)]),
        Inst::Trap => "ud2".to_owned(),
    }
}

/// The instructions of a function with machine registers, and its constants.
pub(super) fn listing(program: &Program, output: &Output, pool: &Pool) -> String {
    let mut text = String::new();
    for (number, block) in program.blocks.iter().enumerate() {
        let cold = if block.cold { " (cold)" } else { "" };
        let _ = writeln!(text, "block{number}:{cold}");
        for step in output.block_insts_and_edits(program, Block::new(number)) {
            let mut line = match step {
                InstOrEdit::Edit(Edit::Move { from, to }) if from == to => continue,
                InstOrEdit::Edit(Edit::Move { from, to }) => {
                    let (to, from) = (place(*to), place(*from));
                    format!("mov {}, {}", reg(to, program.length), reg(from, program.length))
                }
                InstOrEdit::Inst(index) => instruction(&program.insts[index.index()]),
            };
            if line.starts_with("jmp") || line.starts_with("branch") || line.starts_with("table") {
                for successor in &block.successors {
                    let _ = write!(line, " block{}", successor.index());
                }
            }
            let _ = writeln!(text, "  {line}");
        }
    }
    if !pool.bytes.is_empty() {
        let _ = writeln!(text, "constants:");
        for (number, line) in pool.bytes.chunks(32).enumerate() {
            let words: Vec<String> = line
                .chunks(4)
                .map(|word| word.iter().rev().fold(String::new(), |text, byte| format!("{text}{byte:02x}")))
                .collect();
            let _ = writeln!(text, "  {:5}: {}", number * 32, words.join(" "));
        }
    }
    text
}
