//! The instructions with VEX prefixes: vectors, floats, and the additions to general registers.

/// An instruction with a VEX prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Op {
    pub(super) name: &'static str,
    /// The mandatory prefix: 0 for none, 1 for 66, 2 for F3, 3 for F2.
    pub(super) prefix: u8,
    /// The map of opcodes: 1 for 0F, 2 for 0F38, 3 for 0F3A.
    pub(super) map: u8,
    pub(super) wide: bool,
    pub(super) opcode: u8,
    /// The number in the field of the first register, of instructions whose destination is in the prefix.
    pub(super) digit: Option<u8>,
}

const fn op(name: &'static str, prefix: u8, map: u8, wide: u8, opcode: u8) -> Op {
    Op { name, prefix, map, wide: wide == 1, opcode, digit: None }
}

const fn group(name: &'static str, opcode: u8, digit: u8) -> Op {
    Op { name, prefix: 1, map: 1, wide: false, opcode, digit: Some(digit) }
}

macro_rules! ops {
    ($($name:ident = $make:ident($($number:expr),*);)*) => {
        $(pub(super) const $name: Op = $make(stringify!($name), $($number),*);)*
    };
}

ops! {
    VPADDB = op(1, 1, 0, 0xfc);
    VPADDW = op(1, 1, 0, 0xfd);
    VPADDD = op(1, 1, 0, 0xfe);
    VPADDQ = op(1, 1, 0, 0xd4);
    VPSUBB = op(1, 1, 0, 0xf8);
    VPSUBW = op(1, 1, 0, 0xf9);
    VPSUBD = op(1, 1, 0, 0xfa);
    VPSUBQ = op(1, 1, 0, 0xfb);
    VPADDSB = op(1, 1, 0, 0xec);
    VPADDSW = op(1, 1, 0, 0xed);
    VPADDUSB = op(1, 1, 0, 0xdc);
    VPADDUSW = op(1, 1, 0, 0xdd);
    VPSUBSB = op(1, 1, 0, 0xe8);
    VPSUBSW = op(1, 1, 0, 0xe9);
    VPSUBUSB = op(1, 1, 0, 0xd8);
    VPSUBUSW = op(1, 1, 0, 0xd9);
    VPAVGB = op(1, 1, 0, 0xe0);
    VPAVGW = op(1, 1, 0, 0xe3);
    VPMULLW = op(1, 1, 0, 0xd5);
    VPMULLD = op(1, 2, 0, 0x40);
    VPMULUDQ = op(1, 1, 0, 0xf4);
    VPMULDQ = op(1, 2, 0, 0x28);
    VPMULHRSW = op(1, 2, 0, 0x0b);
    VPMADDUBSW = op(1, 2, 0, 0x04);
    VPHADDW = op(1, 2, 0, 0x01);
    VPHADDD = op(1, 2, 0, 0x02);
    VPAND = op(1, 1, 0, 0xdb);
    VPANDN = op(1, 1, 0, 0xdf);
    VPOR = op(1, 1, 0, 0xeb);
    VPXOR = op(1, 1, 0, 0xef);
    VPCMPEQB = op(1, 1, 0, 0x74);
    VPCMPEQW = op(1, 1, 0, 0x75);
    VPCMPEQD = op(1, 1, 0, 0x76);
    VPCMPEQQ = op(1, 2, 0, 0x29);
    VPCMPGTB = op(1, 1, 0, 0x64);
    VPCMPGTW = op(1, 1, 0, 0x65);
    VPCMPGTD = op(1, 1, 0, 0x66);
    VPCMPGTQ = op(1, 2, 0, 0x37);
    VPMINSB = op(1, 2, 0, 0x38);
    VPMINSW = op(1, 1, 0, 0xea);
    VPMINSD = op(1, 2, 0, 0x39);
    VPMINUB = op(1, 1, 0, 0xda);
    VPMINUW = op(1, 2, 0, 0x3a);
    VPMINUD = op(1, 2, 0, 0x3b);
    VPMAXSB = op(1, 2, 0, 0x3c);
    VPMAXSW = op(1, 1, 0, 0xee);
    VPMAXSD = op(1, 2, 0, 0x3d);
    VPMAXUB = op(1, 1, 0, 0xde);
    VPMAXUW = op(1, 2, 0, 0x3e);
    VPMAXUD = op(1, 2, 0, 0x3f);
    VPABSB = op(1, 2, 0, 0x1c);
    VPABSW = op(1, 2, 0, 0x1d);
    VPABSD = op(1, 2, 0, 0x1e);
    VPSLLW = op(1, 1, 0, 0xf1);
    VPSLLD = op(1, 1, 0, 0xf2);
    VPSLLQ = op(1, 1, 0, 0xf3);
    VPSRLW = op(1, 1, 0, 0xd1);
    VPSRLD = op(1, 1, 0, 0xd2);
    VPSRLQ = op(1, 1, 0, 0xd3);
    VPSRAW = op(1, 1, 0, 0xe1);
    VPSRAD = op(1, 1, 0, 0xe2);
    VPSLLW_IMM = group(0x71, 6);
    VPSLLD_IMM = group(0x72, 6);
    VPSLLQ_IMM = group(0x73, 6);
    VPSRLW_IMM = group(0x71, 2);
    VPSRLD_IMM = group(0x72, 2);
    VPSRLQ_IMM = group(0x73, 2);
    VPSRAW_IMM = group(0x71, 4);
    VPSRAD_IMM = group(0x72, 4);
    VPSLLVD = op(1, 2, 0, 0x47);
    VPSLLVQ = op(1, 2, 1, 0x47);
    VPSRLVD = op(1, 2, 0, 0x45);
    VPSRLVQ = op(1, 2, 1, 0x45);
    VPSRAVD = op(1, 2, 0, 0x46);
    VPACKSSWB = op(1, 1, 0, 0x63);
    VPACKSSDW = op(1, 1, 0, 0x6b);
    VPACKUSWB = op(1, 1, 0, 0x67);
    VPACKUSDW = op(1, 2, 0, 0x2b);
    VPUNPCKLBW = op(1, 1, 0, 0x60);
    VPUNPCKLWD = op(1, 1, 0, 0x61);
    VPUNPCKLDQ = op(1, 1, 0, 0x62);
    VPUNPCKLQDQ = op(1, 1, 0, 0x6c);
    VPUNPCKHBW = op(1, 1, 0, 0x68);
    VPUNPCKHWD = op(1, 1, 0, 0x69);
    VPUNPCKHDQ = op(1, 1, 0, 0x6a);
    VPUNPCKHQDQ = op(1, 1, 0, 0x6d);
    VPSHUFD = op(1, 1, 0, 0x70);
    VPSHUFB = op(1, 2, 0, 0x00);
    VPALIGNR = op(1, 3, 0, 0x0f);
    VPBLENDD = op(1, 3, 0, 0x02);
    VPBLENDVB = op(1, 3, 0, 0x4c);
    VBLENDVPS = op(1, 3, 0, 0x4a);
    VBLENDVPD = op(1, 3, 0, 0x4b);
    VSHUFPS = op(0, 1, 0, 0xc6);
    VPERMQ = op(1, 3, 1, 0x00);
    VPERMD = op(1, 2, 0, 0x36);
    VPERMPS = op(1, 2, 0, 0x16);
    VINSERTI128 = op(1, 3, 0, 0x38);
    VEXTRACTI128 = op(1, 3, 0, 0x39);
    VPBROADCASTB = op(1, 2, 0, 0x78);
    VPBROADCASTW = op(1, 2, 0, 0x79);
    VPBROADCASTD = op(1, 2, 0, 0x58);
    VPBROADCASTQ = op(1, 2, 0, 0x59);
    VBROADCASTSS = op(1, 2, 0, 0x18);
    VPMOVSXBW = op(1, 2, 0, 0x20);
    VPMOVSXWD = op(1, 2, 0, 0x23);
    VPMOVSXDQ = op(1, 2, 0, 0x25);
    VPMOVZXBW = op(1, 2, 0, 0x30);
    VPMOVZXWD = op(1, 2, 0, 0x33);
    VPMOVZXDQ = op(1, 2, 0, 0x35);
    VPGATHERDD = op(1, 2, 0, 0x90);
    VPGATHERDQ = op(1, 2, 1, 0x90);
    VPTEST = op(1, 2, 0, 0x17);
    VPMOVMSKB = op(1, 1, 0, 0xd7);
    VMOVMSKPS = op(0, 1, 0, 0x50);
    VMOVMSKPD = op(1, 1, 0, 0x50);
    VPEXTRB = op(1, 3, 0, 0x14);
    VPEXTRW = op(1, 3, 0, 0x15);
    VPEXTRD = op(1, 3, 0, 0x16);
    VPEXTRQ = op(1, 3, 1, 0x16);
    VPINSRB = op(1, 3, 0, 0x20);
    VPINSRW = op(1, 1, 0, 0xc4);
    VPINSRD = op(1, 3, 0, 0x22);
    VPINSRQ = op(1, 3, 1, 0x22);
    VINSERTPS = op(1, 3, 0, 0x21);
    VMOVD = op(1, 1, 0, 0x6e);
    VMOVQ = op(1, 1, 1, 0x6e);
    VMOVD_OUT = op(1, 1, 0, 0x7e);
    VMOVQ_OUT = op(1, 1, 1, 0x7e);
    VMOVQ_LOW = op(2, 1, 0, 0x7e);
    VMOVUPS = op(0, 1, 0, 0x10);
    VMOVUPS_OUT = op(0, 1, 0, 0x11);
    VMOVAPS = op(0, 1, 0, 0x28);
    VMOVAPS_OUT = op(0, 1, 0, 0x29);
    VMOVSS = op(2, 1, 0, 0x10);
    VMOVSS_OUT = op(2, 1, 0, 0x11);
    VMOVSD = op(3, 1, 0, 0x10);
    VMOVSD_OUT = op(3, 1, 0, 0x11);
    VMOVSHDUP = op(2, 1, 0, 0x16);
    VADDPS = op(0, 1, 0, 0x58);
    VADDPD = op(1, 1, 0, 0x58);
    VADDSS = op(2, 1, 0, 0x58);
    VADDSD = op(3, 1, 0, 0x58);
    VMULPS = op(0, 1, 0, 0x59);
    VMULPD = op(1, 1, 0, 0x59);
    VMULSS = op(2, 1, 0, 0x59);
    VMULSD = op(3, 1, 0, 0x59);
    VSUBPS = op(0, 1, 0, 0x5c);
    VSUBPD = op(1, 1, 0, 0x5c);
    VSUBSS = op(2, 1, 0, 0x5c);
    VSUBSD = op(3, 1, 0, 0x5c);
    VDIVPS = op(0, 1, 0, 0x5e);
    VDIVPD = op(1, 1, 0, 0x5e);
    VDIVSS = op(2, 1, 0, 0x5e);
    VDIVSD = op(3, 1, 0, 0x5e);
    VMINPS = op(0, 1, 0, 0x5d);
    VMINPD = op(1, 1, 0, 0x5d);
    VMINSS = op(2, 1, 0, 0x5d);
    VMINSD = op(3, 1, 0, 0x5d);
    VMAXPS = op(0, 1, 0, 0x5f);
    VMAXPD = op(1, 1, 0, 0x5f);
    VMAXSS = op(2, 1, 0, 0x5f);
    VMAXSD = op(3, 1, 0, 0x5f);
    VSQRTPS = op(0, 1, 0, 0x51);
    VSQRTPD = op(1, 1, 0, 0x51);
    VSQRTSS = op(2, 1, 0, 0x51);
    VSQRTSD = op(3, 1, 0, 0x51);
    VANDPS = op(0, 1, 0, 0x54);
    VORPS = op(0, 1, 0, 0x56);
    VXORPS = op(0, 1, 0, 0x57);
    VCMPPS = op(0, 1, 0, 0xc2);
    VCMPPD = op(1, 1, 0, 0xc2);
    VCMPSS = op(2, 1, 0, 0xc2);
    VCMPSD = op(3, 1, 0, 0xc2);
    VROUNDPS = op(1, 3, 0, 0x08);
    VROUNDPD = op(1, 3, 0, 0x09);
    VROUNDSS = op(1, 3, 0, 0x0a);
    VROUNDSD = op(1, 3, 0, 0x0b);
    VCVTDQ2PS = op(0, 1, 0, 0x5b);
    VCVTTPS2DQ = op(2, 1, 0, 0x5b);
    VCVTDQ2PD = op(2, 1, 0, 0xe6);
    VCVTPS2PD = op(0, 1, 0, 0x5a);
    VCVTPD2PS = op(1, 1, 0, 0x5a);
    VCVTSS2SD = op(2, 1, 0, 0x5a);
    VCVTSD2SS = op(3, 1, 0, 0x5a);
    VCVTSI2SS = op(2, 1, 0, 0x2a);
    VCVTSI2SD = op(3, 1, 0, 0x2a);
    VCVTSQ2SS = op(2, 1, 1, 0x2a);
    VCVTSQ2SD = op(3, 1, 1, 0x2a);
    VCVTTSD2SI = op(3, 1, 0, 0x2c);
    VCVTTSD2SQ = op(3, 1, 1, 0x2c);
    VUCOMISS = op(0, 1, 0, 0x2e);
    VUCOMISD = op(1, 1, 0, 0x2e);
    ANDN = op(0, 2, 0, 0xf2);
    ANDNQ = op(0, 2, 1, 0xf2);
    SHLX = op(1, 2, 0, 0xf7);
    SHLXQ = op(1, 2, 1, 0xf7);
    SHRX = op(3, 2, 0, 0xf7);
    SHRXQ = op(3, 2, 1, 0xf7);
    SARX = op(2, 2, 0, 0xf7);
    SARXQ = op(2, 2, 1, 0xf7);
    RORX = op(3, 3, 0, 0xf0);
    RORXQ = op(3, 3, 1, 0xf0);
}

/// The order of the operands of a fused multiplication and addition: the numbers of the two factors and of the addend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The destination times the third operand plus the second.
    Of132 = 0x98,
    /// The second operand times the destination plus the third.
    Of213 = 0xa8,
    /// The second operand times the third plus the destination.
    Of231 = 0xb8,
}

/// A fused multiplication and addition; the product or the addend may be negated.
pub(super) fn fused(order: Order, scalar: bool, double: bool, minus_product: bool, minus_addend: bool) -> Op {
    let (name, digit) = match (minus_product, minus_addend) {
        (false, false) => ("VFMADD", 0),
        (false, true) => ("VFMSUB", 2),
        (true, false) => ("VFNMADD", 4),
        (true, true) => ("VFNMSUB", 6),
    };
    let opcode = order as u8 + digit + u8::from(scalar);
    Op { name, prefix: 1, map: 2, wide: double, opcode, digit: None }
}
