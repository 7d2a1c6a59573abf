//! Counting and reversing the bits of integers in vectors.

use cranelift_codegen::ir::{InstBuilder, Value};

use super::Emit;
use crate::emitter::Intrinsic;
use crate::ir::Class;

/// The bits of each half byte in reverse order.
const REVERSED: [u8; 16] = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];

impl Emit<'_, '_> {
    /// Counts the leading zeros of each 32-bit lane: converts the lane to a float and reads the float's exponent.
    pub(super) fn clz32(&mut self, x: Value) -> Value {
        // The bit below the leading one is cleared, so that rounding cannot carry into a higher power.
        let below = self.ushr_by(x, 1);
        let below = self.not(below);
        let x = self.b.ins().band(x, below);
        let float = self.b.ins().fcvt_from_sint(self.target.vector(Class::F32), x);
        let bits = self.cast(self.integers(), float);
        let exponent = self.ushr_by(bits, 23);
        // 2^k has exponent 127 + k. Zero has exponent 0, so the difference is more than 32. A negative value has the
        // sign bit above its exponent, so the difference is less than 0. Both are clamped.
        let top = self.vector(self.integers(), 158);
        let count = self.sub(top, exponent);
        let most = self.vector(self.integers(), 32);
        let count = self.b.ins().smin(count, most);
        let least = self.vector(self.integers(), 0);
        self.b.ins().smax(count, least)
    }

    /// Counts the trailing zeros of each 32-bit lane: converts the lowest set bit to a float and reads its exponent.
    pub(super) fn ctz32(&mut self, x: Value) -> Value {
        let negative = self.negated(x);
        let lowest = self.b.ins().band(x, negative);
        let float = self.b.ins().fcvt_from_sint(self.target.vector(Class::F32), lowest);
        let float = self.b.ins().fabs(float);
        let bits = self.cast(self.integers(), float);
        let exponent = self.ushr_by(bits, 23);
        let bias = self.vector(self.integers(), 127);
        let count = self.sub(exponent, bias);
        // For zero the difference is -127, which is more than 32 as an unsigned number, and is clamped.
        let most = self.vector(self.integers(), 32);
        self.b.ins().umin(count, most)
    }

    /// The number of set bits of each lane: the sum of the numbers for its bytes.
    pub(super) fn popcount(&mut self, class: Class, x: Value) -> Value {
        let ty = self.target.vector(class);
        let bytes = self.cast(self.bytes(), x);
        let counts = self.b.ins().popcnt(bytes);
        let mut sum = self.cast(ty, counts);
        // No byte overflows, because a lane has at most 64 bits.
        let mut distance = i64::from(class.bytes()) * 4;
        while distance >= 8 {
            let shifted = self.ushr_by(sum, distance);
            sum = self.b.ins().iadd(sum, shifted);
            distance /= 2;
        }
        let low = self.vector(ty, 0x7f);
        self.b.ins().band(sum, low)
    }

    /// Each lane's bits in reverse order.
    pub(super) fn reverse_bits(&mut self, class: Class, x: Value) -> Value {
        if !self.target.permute {
            return self.reverse_by_swaps(class, x);
        }
        // Half bytes are reversed by a table and swapped within their bytes; then the bytes are swapped.
        let ty = self.target.vector(class);
        let half = self.vector(ty, 0x0f0f_0f0f_0f0f_0f0f);
        let low = self.b.ins().band(x, half);
        let high = self.ushr_by(x, 4);
        let high = self.b.ins().band(high, half);
        let low = self.look_up(REVERSED.map(|bits| bits << 4), low);
        let high = self.look_up(REVERSED, high);
        let bytes = self.b.ins().bor(low, high);
        let last = class.bytes() as u8 - 1;
        let swapped = self.permute_bytes(std::array::from_fn(|byte| byte as u8 ^ last), bytes, bytes);
        self.cast(ty, swapped)
    }

    /// Looks up bytes of a table, at the indices in `index`, each below 16.
    fn look_up(&mut self, table: [u8; 16], index: Value) -> Value {
        let ty = self.bytes();
        let table = self.vector_of_bytes(ty, &table.repeat(ty.bytes() as usize / 16));
        let index = self.cast(ty, index);
        if self.target.is_wide() {
            return self.intrinsic(Intrinsic::Bytes, &[table, index]);
        }
        if self.target.x86 { self.b.ins().x86_pshufb(table, index) } else { self.b.ins().swizzle(table, index) }
    }

    /// Reverses bits without a table: swaps neighbouring bits, then neighbouring pairs, half bytes and so on.
    fn reverse_by_swaps(&mut self, class: Class, x: Value) -> Value {
        const LOWER: [(i64, u64); 6] = [
            (1, 0x5555_5555_5555_5555),
            (2, 0x3333_3333_3333_3333),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
            (8, 0x00ff_00ff_00ff_00ff),
            (16, 0x0000_ffff_0000_ffff),
            (32, 0x0000_0000_ffff_ffff),
        ];
        let mut x = x;
        for (distance, lower) in LOWER {
            if distance as u32 >= super::width(class) {
                break;
            }
            let lower = self.vector(self.target.vector(class), lower);
            let down = self.ushr_by(x, distance);
            let down = self.b.ins().band(down, lower);
            let up = self.b.ins().band(x, lower);
            let up = self.ishl_by(up, distance);
            x = self.b.ins().bor(down, up);
        }
        x
    }
}
