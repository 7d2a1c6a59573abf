//! The functions that are instructions, compared with plain Rust.

use cranelift_codegen::ir::{Type, Value, types};

use super::{By, Intrinsic, Memory, OPERANDS, intrinsic, load, operands, run, store};

fn quads(memory: &Memory) -> [u64; 4] {
    std::array::from_fn(|quad| u64::from_le_bytes(memory.0[quad * 8..quad * 8 + 8].try_into().unwrap()))
}

fn words(memory: &Memory) -> [u32; 8] {
    std::array::from_fn(|word| u32::from_le_bytes(memory.0[word * 4..word * 4 + 4].try_into().unwrap()))
}

fn of_quads(quads: [u64; 4]) -> Memory {
    let mut memory = Memory([0; 32]);
    for (bytes, quad) in memory.0.chunks_exact_mut(8).zip(quads) {
        bytes.copy_from_slice(&quad.to_le_bytes());
    }
    memory
}

fn of_words(words: [u32; 8]) -> Memory {
    let mut memory = Memory([0; 32]);
    for (bytes, word) in memory.0.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    memory
}

/// Compares a function of operands of these types with a function of their memory. Results of 128 bits are stored twice.
fn check(function: Intrinsic, from: &[Type], to: Type, expected: impl Fn(&[Memory; OPERANDS]) -> Memory) {
    let operands = operands();
    let results = run(By::Avx2, &operands, |b, out, memory| {
        let values: Vec<Value> =
            from.iter().enumerate().map(|(index, ty)| load(b, *ty, memory, index as i32 * 32)).collect();
        let result = intrinsic(b, function, to, &values);
        store(b, result, out, 0);
        if to.bits() == 128 {
            store(b, result, out, 16);
        }
    });
    let Some(results) = results else { return };
    for (operands, result) in operands.iter().zip(results) {
        assert_eq!(result, expected(operands), "{function:?} of {operands:x?}");
    }
}

#[test]
fn halves() {
    let twice = |half: &[u64]| of_quads([half[0], half[1], half[0], half[1]]);
    check(Intrinsic::Piece(0), &[types::I32X8], types::I32X4, |x| twice(&quads(&x[0])[..2]));
    check(Intrinsic::Piece(1), &[types::F64X4], types::F64X2, |x| twice(&quads(&x[0])[2..]));
    check(Intrinsic::Join, &[types::I32X4, types::I32X4], types::I32X8, |x| {
        let (low, high) = (quads(&x[0]), quads(&x[1]));
        of_quads([low[0], low[1], high[0], high[1]])
    });
}

#[test]
fn shifts_of_each_lane() {
    let two = [types::I32X8; 2];
    let by_words = |x: &[Memory; OPERANDS], shift: fn(u32, u32) -> u32| {
        let (a, by) = (words(&x[0]), words(&x[1]));
        of_words(std::array::from_fn(|at| shift(a[at], by[at])))
    };
    check(Intrinsic::ShiftLeft, &two, types::I32X8, |x| by_words(x, |a, by| a.checked_shl(by).unwrap_or(0)));
    check(Intrinsic::ShiftRight, &two, types::I32X8, |x| by_words(x, |a, by| a.checked_shr(by).unwrap_or(0)));
    check(Intrinsic::ShiftSigned, &two, types::I32X8, |x| {
        by_words(x, |a, by| (a.cast_signed() >> by.min(31)).cast_unsigned())
    });
    let by_quads = |x: &[Memory; OPERANDS], shift: fn(u64, u32) -> Option<u64>| {
        let (a, by) = (quads(&x[0]), quads(&x[1]));
        of_quads(std::array::from_fn(|at| u32::try_from(by[at]).ok().and_then(|by| shift(a[at], by)).unwrap_or(0)))
    };
    check(Intrinsic::ShiftLeft, &[types::I64X4; 2], types::I64X4, |x| by_quads(x, u64::checked_shl));
    check(Intrinsic::ShiftRight, &[types::I64X4; 2], types::I64X4, |x| by_quads(x, u64::checked_shr));
}

#[test]
fn permutations() {
    let two = [types::I32X8; 2];
    check(Intrinsic::Lanes, &two, types::I32X8, |x| {
        let (a, index) = (words(&x[0]), words(&x[1]));
        of_words(index.map(|index| a[index as usize % 8]))
    });
    check(Intrinsic::Lanes, &[types::F32X8, types::I32X8], types::F32X8, |x| {
        let (a, index) = (words(&x[0]), words(&x[1]));
        of_words(index.map(|index| a[index as usize % 8]))
    });
    check(Intrinsic::Quads(0b01_11_00_10), &[types::I64X4], types::I64X4, |x| {
        let a = quads(&x[0]);
        of_quads([a[2], a[0], a[3], a[1]])
    });
    let in_halves = |x: &[Memory; OPERANDS], pattern: [usize; 4]| {
        // The numbers 4 to 7 are lanes of the second operand.
        let (a, b) = (words(&x[0]), words(&x[1]));
        of_words(std::array::from_fn(|at| {
            let (lane, half) = (pattern[at % 4], at / 4 * 4);
            if lane < 4 { a[half + lane] } else { b[half + lane - 4] }
        }))
    };
    check(Intrinsic::TwoWords(0b11_01_10_00), &two, types::I32X8, |x| in_halves(x, [0, 2, 5, 7]));
    check(Intrinsic::ZipLow, &two, types::I32X8, |x| in_halves(x, [0, 4, 1, 5]));
    check(Intrinsic::ZipHigh, &two, types::I32X8, |x| in_halves(x, [2, 6, 3, 7]));
    check(Intrinsic::ZipLowQuads, &two, types::I32X8, |x| in_halves(x, [0, 1, 4, 5]));
    check(Intrinsic::ZipHighQuads, &two, types::I32X8, |x| in_halves(x, [2, 3, 6, 7]));
    check(Intrinsic::Align(4), &two, types::I32X8, |x| in_halves(&[x[1], x[0], x[2], x[3]], [1, 2, 3, 4]));
    check(Intrinsic::Bytes, &[types::I8X32; 2], types::I8X32, |x| {
        Memory(std::array::from_fn(|at| {
            let index = x[1].0[at];
            if index >= 128 { 0 } else { x[0].0[at / 16 * 16 + usize::from(index % 16)] }
        }))
    });
}

#[test]
fn widths() {
    check(Intrinsic::Promote, &[types::F32X4], types::F64X4, |x| {
        let a = words(&x[0]);
        of_quads(std::array::from_fn(|at| f64::from(f32::from_bits(a[at])).to_bits()))
    });
    check(Intrinsic::Demote, &[types::F64X4], types::F32X4, |x| {
        let a = quads(&x[0]).map(|bits| (f64::from_bits(bits) as f32).to_bits());
        of_words(std::array::from_fn(|at| a[at % 4]))
    });
}

#[test]
fn gathers() {
    let operands = operands();
    // Lanes are read from the first operand, whose address is the base.
    let narrow = run(By::Avx2, &operands, |b, out, memory| {
        use cranelift_codegen::ir::InstBuilder;
        let index = load(b, types::I32X8, memory, 32);
        let seven = b.ins().iconst(types::I32, 7);
        let seven = b.ins().splat(types::I32X8, seven);
        let index = b.ins().band(index, seven);
        let mask = load(b, types::I32X8, memory, 64);
        let otherwise = load(b, types::I32X8, memory, 96);
        let result = intrinsic(b, Intrinsic::Gather(2), types::I32X8, &[memory, index, mask, otherwise]);
        // The mask and the other lanes stay as they are.
        let again = intrinsic(b, Intrinsic::Gather(2), types::I32X8, &[memory, index, mask, otherwise]);
        let same = b.ins().band(result, again);
        store(b, same, out, 0);
    });
    let Some(narrow) = narrow else { return };
    for (x, result) in operands.iter().zip(narrow) {
        let (a, index, mask, otherwise) = (words(&x[0]), words(&x[1]), words(&x[2]), words(&x[3]));
        let lane = |at: usize| if mask[at] >> 31 == 1 { a[index[at] as usize % 8] } else { otherwise[at] };
        assert_eq!(result, of_words(std::array::from_fn(lane)), "{x:x?}");
    }
    let wide = run(By::Avx2, &operands, |b, out, memory| {
        use cranelift_codegen::ir::InstBuilder;
        let index = load(b, types::I32X4, memory, 32);
        let three = b.ins().iconst(types::I32, 3);
        let three = b.ins().splat(types::I32X4, three);
        let index = b.ins().band(index, three);
        let mask = load(b, types::I64X4, memory, 64);
        let otherwise = load(b, types::I64X4, memory, 96);
        let result = intrinsic(b, Intrinsic::Gather(3), types::I64X4, &[memory, index, mask, otherwise]);
        store(b, result, out, 0);
    });
    for (x, result) in operands.iter().zip(wide.unwrap()) {
        let (a, index, mask, otherwise) = (quads(&x[0]), words(&x[1]), quads(&x[2]), quads(&x[3]));
        let lane = |at: usize| if mask[at] >> 63 == 1 { a[index[at] as usize % 4] } else { otherwise[at] };
        assert_eq!(result, of_quads(std::array::from_fn(lane)), "{x:x?}");
    }
}
