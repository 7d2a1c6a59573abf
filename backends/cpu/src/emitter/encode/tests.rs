//! The bytes of instructions, as GNU's assembler writes them.

use super::*;
use crate::emitter::inst::{Alu, Count, Inst, Shift};
use crate::emitter::op::{self, Length};
use crate::emitter::reg::{Cc, Rmi};

fn bytes(inst: &Inst) -> String {
    let mut code = Encoder::new(Frame::default());
    code.instruction(inst);
    code.bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn v(op: Op, length: Length, to: u8, a: Option<u8>, b: Rm, imm: Option<u8>) -> Inst {
    Inst::V { op, length, to: Reg::Vector(to), a: a.map(Reg::Vector), b, c: None, imm }
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
        (v(op::VPADDD, Length::Xmm, 1, Some(2), xmm(3), None), "c5e9fecb"),
        (v(op::VPADDD, Length::Ymm, 9, Some(10), xmm(11), None), "c4412dfecb"),
        (v(op::VPMULLD, Length::Ymm, 1, Some(2), xmm(3), None), "c4e26d40cb"),
        (v(op::VPSRLD_IMM, Length::Xmm, 1, None, xmm(3), Some(4)), "c5f172d304"),
        (v(op::VPSHUFD, Length::Xmm, 9, None, xmm(11), Some(0x1b)), "c4417970cb1b"),
        (v(op::VADDPS, Length::Ymm, 0, Some(15), Rm::Mem(memory(12, Some((13, 2)), 64)), None), "c4810458 44ac40"),
        (v(op::VMOVUPS, Length::Xmm, 7, None, Rm::Mem(memory(5, None, 0)), None), "c5f8107d00"),
        (v(op::VMOVUPS, Length::Xmm, 7, None, Rm::Mem(memory(4, None, 0x1000)), None), "c5f810bc2400100000"),
    ];
    for (inst, expected) in cases {
        assert_eq!(bytes(&inst), expected.replace(' ', ""), "{inst:?}");
    }
    let blend = Inst::V {
        op: op::VBLENDVPS,
        length: Length::Ymm,
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

fn zmm(op: Op, to: u8, a: u8, b: Rm) -> Inst {
    v(op, Length::Zmm, to, Some(a), b, None)
}

#[test]
fn instructions_with_evex_prefix() {
    let mask = Reg::Mask;
    let to_mask =
        |op, a: Reg, b, c, imm| Inst::V { op, length: Length::Zmm, to: mask(5), a: Some(a), b, c, imm: Some(imm) };
    let blend = Inst::V {
        op: op::VPBLENDMD,
        length: Length::Zmm,
        to: Reg::Vector(1),
        a: Some(Reg::Vector(2)),
        b: xmm(19),
        c: Some(mask(2)),
        imm: None,
    };
    let gather = Inst::Gather {
        op: op::VPGATHERDD_MASK,
        length: Length::Zmm,
        to: Reg::Vector(1),
        a: Reg::Vector(1),
        mask: mask(3),
        used: mask(3),
        base: Reg::Int(0),
        index: Reg::Vector(18),
        scale: 2,
        offset: 8,
    };
    let out = |op, from, to, imm| Inst::Out { op, length: Length::Zmm, from: Reg::Vector(from), to, imm };
    let three = |op, b, c, imm| Inst::Fused {
        op,
        length: Length::Zmm,
        to: Reg::Vector(1),
        a: Reg::Vector(1),
        b: Reg::Vector(b),
        c,
        imm,
    };
    let sum = op::fused(op::Order::Of231, false, false, false, false);
    let cases = [
        (zmm(op::VPADDD, 1, 2, xmm(3)), "62f16d48fecb"),
        (v(op::VPADDD, Length::Ymm, 17, Some(2), xmm(30), None), "62816d28fece"),
        (zmm(op::VADDPS, 9, 31, Rm::Mem(memory(12, Some((13, 2)), 64))), "62110440584cac01"),
        (zmm(op::VADDPS, 9, 31, Rm::Mem(memory(12, Some((13, 2)), 65))), "62110440588cac41000000"),
        (zmm(op::VADDPD, 24, 7, Rm::Mem(memory(5, None, 0))), "6261c548584500"),
        (v(op::VPSRLD_IMM, Length::Zmm, 20, None, xmm(11), Some(4)), "62d15d4072d304"),
        (v(op::VPSLLQ_IMM, Length::Zmm, 3, None, xmm(4), Some(5)), "62f1e54873f405"),
        (v(op::VPROLD_IMM, Length::Zmm, 20, None, xmm(11), Some(7)), "62d15d4072cb07"),
        (three(op::VPTERNLOGD, 18, xmm(3), Some(0xca)), "62f36d4025cbca"),
        (three(op::VPERMT2D, 2, xmm(3), None), "62f26d487ecb"),
        (three(sum, 2, xmm(20), None), "62b26d48b8cc"),
        (blend, "62b26d4a64cb"),
        (to_mask(op::VPCMPD, Reg::Vector(4), xmm(5), Some(mask(1)), 6), "62f35d491fed06"),
        (to_mask(op::VCMPPS_MASK, Reg::Vector(16), xmm(1), None, 17), "62f17c40c2e911"),
        (v(op::VBROADCASTSS, Length::Zmm, 2, None, Rm::Mem(memory(7, None, 4)), None), "62f27d48189704000000"),
        (v(op::VMOVUPS, Length::Zmm, 7, None, Rm::Mem(memory(4, None, 0x1000)), None), "62f17c48107c2440"),
        (out(op::VMOVUPS_OUT, 17, Rm::Mem(memory(4, None, 64)), None), "62e17c48114c2401"),
        (gather, "62f27d43908c9008000000"),
        (zmm(op::VINSERTI64X4, 1, 2, xmm(3)), "62f3ed483acb"),
        (out(op::VEXTRACTI64X4, 18, xmm(3), Some(1)), "62e3fd483bd301"),
        (out(op::VEXTRACTI128, 18, xmm(3), Some(3)), "62e37d4839d303"),
        (v(op::VCVTPD2PS, Length::Zmm, 1, None, xmm(2), None), "62f1fd485aca"),
        (v(op::VROUNDPS, Length::Zmm, 1, None, xmm(2), Some(9)), "62f37d4808ca09"),
        (v(op::VPABSQ, Length::Zmm, 1, None, xmm(2), None), "62f2fd481fca"),
        (v(op::VPSRAQ_IMM, Length::Zmm, 1, None, xmm(2), Some(3)), "62f1f54872e203"),
        (zmm(op::VPMULUDQ, 1, 2, xmm(3)), "62f1ed48f4cb"),
        (v(op::VCVTTPS2UDQ, Length::Zmm, 1, None, xmm(2), None), "62f17c4878ca"),
        (v(op::VPXOR, Length::Xmm, 17, Some(17), xmm(17), None), "62a17500efc9"),
        (v(op::VMOVD, Length::Xmm, 17, None, Rm::Reg(Reg::Int(0)), None), "62e17d086ec8"),
    ];
    for (inst, expected) in cases {
        assert_eq!(bytes(&inst), expected, "{inst:?}");
    }
}

#[test]
fn instructions_of_mask_registers() {
    let [k1, k2, k3] = [1, 2, 3].map(Reg::Mask);
    let two = |op| Inst::V { op, length: Length::Ymm, to: k1, a: Some(k2), b: Rm::Reg(k3), c: None, imm: None };
    let one = |op, to, from, imm| Inst::V { op, length: Length::Xmm, to, a: None, b: Rm::Reg(from), c: None, imm };
    let flags = |op| Inst::Flags { op, length: Length::Xmm, a: k1, b: Rm::Reg(k2) };
    let vector = |op, to, from| Inst::V { op, length: Length::Zmm, to, a: None, b: Rm::Reg(from), c: None, imm: None };
    let cases = [
        (two(op::KANDW), "c5ec41cb"),
        (two(op::KANDNW), "c5ec42cb"),
        (two(op::KORW), "c5ec45cb"),
        (two(op::KXORW), "c5ec47cb"),
        (one(op::KNOTW, k1, k2, None), "c5f844ca"),
        (one(op::KNOTB, k1, k2, None), "c5f944ca"),
        (one(op::KMOVB, k1, k2, None), "c5f990ca"),
        (one(op::KSHIFTRW, k1, k2, Some(8)), "c4e3f930ca08"),
        (one(op::KMOVW_IN, k1, Reg::Int(8), None), "c4c17892c8"),
        (one(op::KMOVB_IN, k1, Reg::Int(0), None), "c5f992c8"),
        (one(op::KMOVW_TO_INT, Reg::Int(0), k3, None), "c5f893c3"),
        (flags(op::KORTESTW), "c5f898ca"),
        (flags(op::KORTESTB), "c5f998ca"),
        (flags(op::KTESTW), "c5f899ca"),
        (Inst::Copy { to: k1, from: k2 }, "c4e1f890ca"),
        (Inst::Copy { to: k3, from: Reg::Slot(1) }, "c4e1f8905c2408"),
        (Inst::Copy { to: Reg::Slot(1), from: k3 }, "c4e1f8915c2408"),
        (vector(op::VPMOVM2D, Reg::Vector(17), k3), "62e27e4838cb"),
        (vector(op::VPMOVD2M, k3, Reg::Vector(17)), "62b27e4839d9"),
    ];
    for (inst, expected) in cases {
        assert_eq!(bytes(&inst), expected, "{inst:?}");
    }
}
