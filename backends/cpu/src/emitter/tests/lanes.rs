//! Operations on vectors of 256 bits that move data between lanes, compared with plain Rust.

use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use cranelift_frontend::FunctionBuilder;

use super::{By, Memory, OPERANDS, load, operands, run, store};

fn words(memory: &Memory) -> [u32; 8] {
    std::array::from_fn(|word| u32::from_le_bytes(memory.0[word * 4..word * 4 + 4].try_into().unwrap()))
}

fn of_words(words: [u32; 8]) -> Memory {
    let mut memory = Memory([0; 32]);
    for (bytes, word) in memory.0.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    memory
}

/// Compares an operation on vectors of `ty` with a function of the operands' memory.
fn check(
    name: &str,
    ty: Type,
    operation: impl FnOnce(&mut FunctionBuilder, &[Value], Value),
    expected: impl Fn(&[Memory; OPERANDS]) -> Memory,
) {
    let operands = operands();
    let results = run(By::Avx2, &operands, |b, out, from| {
        let values: Vec<Value> = (0..OPERANDS as i32).map(|index| load(b, ty, from, index * 32)).collect();
        operation(b, &values, out);
    });
    let Some(results) = results else { return };
    for (operands, result) in operands.iter().zip(results) {
        assert_eq!(result, expected(operands), "{name} of {operands:x?}");
    }
}

#[test]
fn single_lanes() {
    for lane in 0..8u8 {
        check(
            "extractlane and splat",
            types::I32X8,
            |b, x, out| {
                let word = b.ins().extractlane(x[0], lane);
                let all = b.ins().splat(types::I32X8, word);
                store(b, all, out, 0);
            },
            |x| of_words([words(&x[0])[usize::from(lane)]; 8]),
        );
        check(
            "extractlane and splat of floats",
            types::F32X8,
            |b, x, out| {
                let word = b.ins().extractlane(x[0], lane);
                let all = b.ins().splat(types::F32X8, word);
                store(b, all, out, 0);
            },
            |x| of_words([words(&x[0])[usize::from(lane)]; 8]),
        );
        check(
            "insertlane",
            types::F32X8,
            |b, x, out| {
                let word = b.ins().extractlane(x[1], 1);
                let result = b.ins().insertlane(x[0], word, lane);
                store(b, result, out, 0);
            },
            |x| {
                let mut result = words(&x[0]);
                result[usize::from(lane)] = words(&x[1])[1];
                of_words(result)
            },
        );
    }
    for lane in 0..4u8 {
        let at = usize::from(lane) * 2;
        for ty in [types::I64X4, types::F64X4] {
            check(
                "insertlane and extractlane of 64 bits",
                ty,
                |b, x, out| {
                    let word = b.ins().extractlane(x[1], 3 - lane);
                    let result = b.ins().insertlane(x[0], word, lane);
                    store(b, result, out, 0);
                },
                |x| {
                    let (mut result, from) = (words(&x[0]), words(&x[1]));
                    result[at] = from[6 - at];
                    result[at + 1] = from[7 - at];
                    of_words(result)
                },
            );
        }
    }
    for (ty, lane) in [(types::I8X32, 0), (types::I8X32, 31), (types::I16X16, 7), (types::I16X16, 8)] {
        let bytes = ty.lane_type().bytes() as usize;
        check(
            "insertlane of few bits",
            ty,
            |b, x, out| {
                let value = b.ins().extractlane(x[1], lane);
                let result = b.ins().insertlane(x[0], value, lane);
                store(b, result, out, 0);
            },
            |x| {
                let mut result = x[0];
                let range = usize::from(lane) * bytes..(usize::from(lane) + 1) * bytes;
                result.0[range.clone()].copy_from_slice(&x[1].0[range]);
                result
            },
        );
    }
}

#[test]
fn splats_of_memory() {
    for scalar in [types::I8, types::I16, types::I32, types::I64, types::F32, types::F64] {
        let ty = scalar.by(256 / scalar.bits()).unwrap();
        let size = scalar.bytes() as usize;
        let operands = operands();
        let results = run(By::Avx2, &operands, |b, out, from| {
            let value = load(b, scalar, from, 40);
            let all = b.ins().splat(ty, value);
            store(b, all, out, 0);
        });
        let Some(results) = results else { return };
        for (operands, result) in operands.iter().zip(results) {
            let expected: Vec<u8> = operands[1].0[8..8 + size].iter().copied().cycle().take(32).collect();
            assert_eq!(result.0[..], expected[..], "splat of {scalar}");
        }
    }
}

#[test]
fn widths() {
    for signed in [false, true] {
        for high in [false, true] {
            check(
                "widen",
                types::I32X8,
                |b, x, out| {
                    let result = match (signed, high) {
                        (false, false) => b.ins().uwiden_low(x[0]),
                        (false, true) => b.ins().uwiden_high(x[0]),
                        (true, false) => b.ins().swiden_low(x[0]),
                        (true, true) => b.ins().swiden_high(x[0]),
                    };
                    store(b, result, out, 0);
                },
                |x| {
                    let from = &words(&x[0])[if high { 4 } else { 0 }..];
                    let upper = |word: u32| if signed { (word.cast_signed() >> 31).cast_unsigned() } else { 0 };
                    of_words(std::array::from_fn(|at| if at % 2 == 0 { from[at / 2] } else { upper(from[at / 2]) }))
                },
            );
        }
    }
    check(
        "snarrow",
        types::I32X8,
        |b, x, out| {
            let result = b.ins().snarrow(x[0], x[1]);
            store(b, result, out, 0);
        },
        |x| {
            let mut result = Memory([0; 32]);
            let all = words(&x[0]).into_iter().chain(words(&x[1]));
            for (bytes, word) in result.0.chunks_exact_mut(2).zip(all) {
                let narrow = word.cast_signed().clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16;
                bytes.copy_from_slice(&narrow.to_le_bytes());
            }
            result
        },
    );
}

#[test]
fn masks() {
    let check_bits =
        |name: &str, operation: fn(&mut FunctionBuilder, Value) -> Value, expected: fn([u32; 8]) -> u32| {
            check(
                name,
                types::I32X8,
                |b, x, out| {
                    let result = operation(b, x[0]);
                    let ty = b.func.dfg.value_type(result);
                    let result = if ty == types::I32 { result } else { b.ins().uextend(types::I32, result) };
                    let all = b.ins().splat(types::I32X8, result);
                    store(b, all, out, 0);
                },
                |x| of_words([expected(words(&x[0])); 8]),
            );
        };
    check_bits("vany_true", |b, x| b.ins().vany_true(x), |x| u32::from(x.iter().any(|word| *word != 0)));
    check_bits("vall_true", |b, x| b.ins().vall_true(x), |x| u32::from(x.iter().all(|word| *word != 0)));
    check_bits(
        "vall_true of a mask",
        |b, x| {
            let zero = b.ins().iconst(types::I32, 0);
            let zero = b.ins().splat(types::I32X8, zero);
            let mask = b.ins().icmp(cranelift_codegen::ir::condcodes::IntCC::SignedGreaterThanOrEqual, x, zero);
            b.ins().vall_true(mask)
        },
        |x| u32::from(x.iter().all(|word| word.cast_signed() >= 0)),
    );
    check_bits(
        "vhigh_bits",
        |b, x| b.ins().vhigh_bits(types::I32, x),
        |x| x.iter().enumerate().map(|(at, word)| word >> 31 << at).sum(),
    );
}

#[test]
fn comparisons_that_cranelift_lacks() {
    use cranelift_codegen::ir::condcodes::FloatCC;
    use std::cmp::Ordering;
    type Expected = fn(Option<Ordering>) -> bool;
    let checks: [(FloatCC, Expected); 2] = [
        (FloatCC::OrderedNotEqual, |order| order.is_some_and(Ordering::is_ne)),
        (FloatCC::UnorderedOrEqual, |order| order.is_none_or(Ordering::is_eq)),
    ];
    for (condition, expected) in checks {
        check(
            "fcmp",
            types::F32X8,
            |b, x, out| {
                let mask = b.ins().fcmp(condition, x[0], x[1]);
                store(b, mask, out, 0);
            },
            |x| {
                let (a, b) = (words(&x[0]).map(f32::from_bits), words(&x[1]).map(f32::from_bits));
                of_words(std::array::from_fn(|at| if expected(a[at].partial_cmp(&b[at])) { u32::MAX } else { 0 }))
            },
        );
    }
}
