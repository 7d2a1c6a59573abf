//! Permutations of the bytes of vectors.

use cranelift_codegen::ir::{self, InstructionData, Opcode, Value, types};

use super::{Lower, length_of, refused};
use crate::emitter::inst::Inst;
use crate::emitter::op::{self, Length, Op};
use crate::emitter::reg::{Reg, Rm};

impl Lower<'_> {
    pub(super) fn permutation(&mut self, opcode: Opcode, inst: ir::Inst) -> Result<(), String> {
        let (to, length) = (self.result(inst), length_of(self.result_type(inst)));
        match self.func.dfg.insts[inst] {
            InstructionData::Shuffle { args: [a, b], imm, .. } => {
                let pattern = self.func.dfg.immediates[imm].as_slice();
                let Ok(pattern) = <[u8; 16]>::try_from(pattern) else { return refused("shuffle of 256 bits") };
                self.shuffle(to, a, b, pattern);
            }
            InstructionData::Binary { opcode: Opcode::X86Pshufb, args: [a, b] } => {
                let a = self.reg(a);
                let b = self.rm(b);
                self.v_to(to, op::VPSHUFB, length, a, b);
            }
            InstructionData::Binary { opcode: Opcode::Swizzle, args: [a, b] } if length == Length::Xmm => {
                // Numbers of 16 and more select a zero: their sign bit is set by a saturating addition.
                let a = self.reg(a);
                let b = self.reg(b);
                let more = self.each_lane(types::I8X16, 0x70);
                let index = self.v(op::VPADDUSB, Length::Xmm, b, more);
                self.v_to(to, op::VPSHUFB, Length::Xmm, a, Rm::Reg(index));
            }
            _ => return refused(opcode),
        }
        Ok(())
    }

    /// Selects bytes of two vectors: 0 to 15 of the first one, 16 to 31 of the second one.
    fn shuffle(&mut self, to: Reg, a: Value, b: Value, pattern: [u8; 16]) {
        let mut pattern = pattern;
        let (mut a, mut b) = (a, b);
        if self.root(a) == self.root(b) {
            pattern = pattern.map(|byte| if byte < 32 { byte % 16 } else { byte });
        }
        if pattern.iter().all(|byte| *byte >= 16) {
            a = b;
            pattern = pattern.map(|byte| if byte < 32 { byte - 16 } else { byte });
        }
        if pattern.iter().all(|byte| *byte < 16 || *byte >= 32) {
            b = a;
        }
        if let Some(words) = words(pattern)
            && self.shuffle_words(to, a, b, words)
        {
            return;
        }
        if self.shuffle_once(to, a, b, pattern) {
            return;
        }
        // Each vector gives its bytes; the sign bit of a number gives zero.
        let first: Vec<u8> = pattern.iter().map(|byte| if *byte < 16 { *byte } else { 0x80 }).collect();
        let x = self.reg(a);
        let table = Rm::Mem(self.constant_memory(&first));
        if self.root(a) == self.root(b) {
            self.v_to(to, op::VPSHUFB, Length::Xmm, x, table);
            return;
        }
        let second: Vec<u8> =
            pattern.iter().map(|byte| if (16..32).contains(byte) { byte - 16 } else { 0x80 }).collect();
        let x = self.v(op::VPSHUFB, Length::Xmm, x, table);
        let y = self.reg(b);
        let table = Rm::Mem(self.constant_memory(&second));
        let y = self.v(op::VPSHUFB, Length::Xmm, y, table);
        self.v_to(to, op::VPOR, Length::Xmm, x, Rm::Reg(y));
    }

    /// Selects lanes of 32 bits by one instruction, if there is one.
    fn shuffle_words(&mut self, to: Reg, a: Value, b: Value, words: [u8; 4]) -> bool {
        let fields = |words: [u8; 4]| words.iter().rev().fold(0, |bits, word| bits << 2 | word & 3);
        if self.root(a) == self.root(b) {
            if words == [0, 1, 2, 3] {
                let from = self.reg(a);
                self.copy(to, from);
            } else {
                let x = self.rm(a);
                self.v1_to(to, op::VPSHUFD, Length::Xmm, x, Some(fields(words)));
            }
            return true;
        }
        let exchanged = words.map(|word| word ^ 4);
        for (words, a, b) in [(words, a, b), (exchanged, b, a)] {
            let simple: Option<Op> = match words {
                [0, 4, 1, 5] => Some(op::VPUNPCKLDQ),
                [2, 6, 3, 7] => Some(op::VPUNPCKHDQ),
                [0, 1, 4, 5] => Some(op::VPUNPCKLQDQ),
                [2, 3, 6, 7] => Some(op::VPUNPCKHQDQ),
                _ => None,
            };
            let blends = words.iter().enumerate().all(|(place, word)| word & 3 == place as u8);
            let halves = words[0] < 4 && words[1] < 4 && words[2] >= 4 && words[3] >= 4;
            let (op, imm) = match simple {
                Some(op) => (op, None),
                None if blends => {
                    let from_second = |bits, (place, word): (usize, &u8)| bits | (word >> 2) << place;
                    (op::VPBLENDD, Some(words.iter().enumerate().fold(0, from_second)))
                }
                None if halves => (op::VSHUFPS, Some(fields(words))),
                None => continue,
            };
            let a = self.reg(a);
            let b = self.rm(b);
            self.push(Inst::V { op, length: Length::Xmm, to, a: Some(a), b, c: None, imm });
            return true;
        }
        false
    }

    /// Selects bytes by one instruction for two vectors, if there is one.
    fn shuffle_once(&mut self, to: Reg, a: Value, b: Value, pattern: [u8; 16]) -> bool {
        let same = self.root(a) == self.root(b);
        let start = pattern[0];
        let follows = |(place, byte): (usize, &u8)| {
            let next = start as usize + place;
            usize::from(*byte) == if same { next % 16 } else { next }
        };
        if start < 16 && pattern.iter().enumerate().all(follows) {
            // The second operand has the lower bytes.
            let upper = self.reg(b);
            let lower = self.rm(a);
            self.push(Inst::V {
                op: op::VPALIGNR,
                length: Length::Xmm,
                to,
                a: Some(upper),
                b: lower,
                c: None,
                imm: Some(start),
            });
            return true;
        }
        let zipped = |first: u8, width: u8| -> [u8; 16] {
            std::array::from_fn(|place| {
                let (unit, byte) = (place as u8 / width, place as u8 % width);
                first + unit / 2 * width + byte + if unit % 2 == 0 || same { 0 } else { 16 }
            })
        };
        for (op, zip) in [
            (op::VPUNPCKLBW, zipped(0, 1)),
            (op::VPUNPCKHBW, zipped(8, 1)),
            (op::VPUNPCKLWD, zipped(0, 2)),
            (op::VPUNPCKHWD, zipped(8, 2)),
        ] {
            if pattern == zip {
                let a = self.reg(a);
                let b = self.rm(b);
                self.v_to(to, op, Length::Xmm, a, b);
                return true;
            }
        }
        false
    }
}

/// The lanes of 32 bits that a pattern of bytes selects, if it selects whole lanes.
fn words(pattern: [u8; 16]) -> Option<[u8; 4]> {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(pattern.chunks_exact(4)) {
        let whole = bytes[0] % 4 == 0 && bytes[0] < 32;
        if !whole || bytes.iter().enumerate().any(|(place, byte)| *byte != bytes[0] + place as u8) {
            return None;
        }
        *word = bytes[0] / 4;
    }
    Some(words)
}
