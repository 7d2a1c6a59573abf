//! Operations whose results are constant, for which rules of Cranelift's optimiser panic if vectors have 256 bits.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;

use super::{By, Memory, load, operands, run, store};

type Operation = fn(&mut FunctionBuilder, Value, Value) -> Value;

const ZERO: u32 = 0;
const ONES: u32 = u32::MAX;

/// Operations with the bits of each lane of their results.
const CONSTANT: [(&str, Operation, u32); 7] = [
    ("x - x", |b, x, _| b.ins().isub(x, x), ZERO),
    (
        "x + -x",
        |b, x, _| {
            let negated = b.ins().ineg(x);
            b.ins().iadd(x, negated)
        },
        ZERO,
    ),
    (
        "x + !x",
        |b, x, _| {
            let inverse = b.ins().bnot(x);
            b.ins().iadd(x, inverse)
        },
        ONES,
    ),
    (
        "(x + y) - (y + x)",
        |b, x, y| {
            let (a, c) = (b.ins().iadd(x, y), b.ins().iadd(y, x));
            b.ins().isub(a, c)
        },
        ZERO,
    ),
    ("x ^ x", |b, x, _| b.ins().bxor(x, x), ZERO),
    ("x == x", |b, x, _| b.ins().icmp(IntCC::Equal, x, x), ONES),
    (
        "x > max(x, y)",
        |b, x, y| {
            let most = b.ins().smax(x, y);
            b.ins().icmp(IntCC::SignedGreaterThan, x, most)
        },
        ZERO,
    ),
];

#[test]
fn constant_results_have_code() {
    for (name, operation, lane) in CONSTANT {
        let operands = operands();
        let results = run(By::Avx2, &operands, |b, out, from| {
            let (x, y) = (load(b, types::I32X8, from, 0), load(b, types::I32X8, from, 32));
            let result = operation(b, x, y);
            store(b, result, out, 0);
        });
        let Some(results) = results else { return };
        let mut expected = Memory([0; 32]);
        expected.0.chunks_exact_mut(4).for_each(|bytes| bytes.copy_from_slice(&lane.to_le_bytes()));
        assert!(results.iter().all(|result| *result == expected), "{name}: {:x?}", results[0]);
    }
}
