//! The bytes of instructions, as GNU's assembler writes them.

use super::*;
use crate::emitter::inst::{Alu, Count, Inst, Shift};
use crate::emitter::op;
use crate::emitter::reg::{Cc, Rmi};

fn bytes(inst: &Inst) -> String {
    let mut code = Encoder::new(Frame::default());
    code.instruction(inst);
    code.bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn v(op: Op, long: bool, to: u8, a: Option<u8>, b: Rm, imm: Option<u8>) -> Inst {
    Inst::V { op, long, to: Reg::Vector(to), a: a.map(Reg::Vector), b, c: None, imm }
}

fn xmm(number: u8) -> Rm {
    Rm::Reg(Reg::Vector(number))
}

fn memory(base: u8, index: Option<(u8, u8)>, offset: i32) -> Mem {
    Mem { base: Base::Reg(Reg::Int(base)), index: index.map(|(index, shift)| (Reg::Int(index), shift)), offset }
}

#[test]
fn instructions_with_vex_prefix() {
    let cases = [
        (v(op::VPADDD, false, 1, Some(2), xmm(3), None), "c5e9fecb"),
        (v(op::VPADDD, true, 9, Some(10), xmm(11), None), "c4412dfecb"),
        (v(op::VPMULLD, true, 1, Some(2), xmm(3), None), "c4e26d40cb"),
        (v(op::VPSRLD_IMM, false, 1, None, xmm(3), Some(4)), "c5f172d304"),
        (v(op::VPSHUFD, false, 9, None, xmm(11), Some(0x1b)), "c4417970cb1b"),
        (v(op::VADDPS, true, 0, Some(15), Rm::Mem(memory(12, Some((13, 2)), 64)), None), "c4810458 44ac40"),
        (v(op::VMOVUPS, false, 7, None, Rm::Mem(memory(5, None, 0)), None), "c5f8107d00"),
        (v(op::VMOVUPS, false, 7, None, Rm::Mem(memory(4, None, 0x1000)), None), "c5f810bc2400100000"),
    ];
    for (inst, expected) in cases {
        assert_eq!(bytes(&inst), expected.replace(' ', ""), "{inst:?}");
    }
    let blend = Inst::V {
        op: op::VBLENDVPS,
        long: true,
        to: Reg::Vector(1),
        a: Some(Reg::Vector(2)),
        b: xmm(3),
        c: Some(Reg::Vector(12)),
        imm: None,
    };
    assert_eq!(bytes(&blend), "c4e36d4acbc0");
}

#[test]
fn instructions_of_general_registers() {
    let [rax, rsi, r8, r12] = [0, 6, 8, 12].map(Reg::Int);
    let reg = |reg| Rmi::Rm(Rm::Reg(reg));
    let (s8, s32, s64) = (Size::S8, Size::S32, Size::S64);
    let cases = [
        (Inst::Alu { op: Alu::Add, size: s32, to: rax, a: rax, b: reg(r8) }, "4103c0"),
        (Inst::Alu { op: Alu::And, size: s64, to: r8, a: r8, b: Rmi::Imm(-32) }, "4983e0e0"),
        (Inst::Alu { op: Alu::Xor, size: s32, to: rsi, a: rsi, b: Rmi::Imm(0x1234) }, "81f634120000"),
        (Inst::Cmp { size: s8, a: Rm::Reg(rsi), b: Rmi::Imm(5) }, "4080fe05"),
        (Inst::Cmp { size: s64, a: Rm::Mem(memory(12, None, 8)), b: reg(rax) }, "4939442408"),
        (Inst::Test { size: s8, a: rsi, b: reg(rsi) }, "4084f6"),
        (Inst::Imm { to: r12, value: 7 }, "41bc07000000"),
        (Inst::Imm { to: rax, value: u64::MAX }, "48c7c0ffffffff"),
        (Inst::Imm { to: rax, value: 1 << 40 }, "48b80000000000010000"),
        (Inst::Lea { size: s64, to: rax, mem: memory(5, Some((9, 3)), 0) }, "4a8d44cd00"),
        (Inst::Shift { op: Shift::Signed, size: s64, to: r8, a: r8, by: 3 }, "49c1f803"),
        (Inst::Count { op: Count::Trailing, size: s64, to: rax, a: Rm::Reg(r8) }, "f3490fbcc0"),
        (Inst::Set { cc: Cc::NE, to: rsi }, "400f95c6"),
        (Inst::Extend { signed: true, from: s32, into: s64, to: rax, a: Rm::Reg(r8) }, "4963c0"),
        (Inst::Extend { signed: false, from: s8, into: s64, to: rax, a: Rm::Reg(rsi) }, "400fb6c6"),
        (Inst::StoreImm { size: Size::S16, value: 0x102, mem: memory(13, None, 0) }, "6641c745000201"),
        (Inst::Add { size: s32, to: r8, a: r8, mem: memory(0, None, 0) }, "f0440fc100"),
    ];
    for (inst, expected) in cases {
        assert_eq!(bytes(&inst), expected, "{inst:?}");
    }
}
