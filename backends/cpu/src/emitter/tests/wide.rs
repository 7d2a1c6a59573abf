//! Operations on vectors of 256 bits, compared with the same ones on their halves in Cranelift's code.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::FunctionBuilder;

use super::{By, Memory, OPERANDS, load, operands, run, store};

type Operation = fn(&mut FunctionBuilder, &[Value]) -> Value;

/// Operations on lanes, by the type of half a vector.
fn check(half: Type, operations: &[(&str, Operation)]) {
    let whole = half.by(2).unwrap();
    for (name, operation) in operations {
        let operands = operands();
        let wide = |by| {
            run(by, &operands, |b, out, from| {
                let values: Vec<Value> = (0..OPERANDS as i32).map(|index| load(b, whole, from, index * 32)).collect();
                let result = operation(b, &values);
                store(b, result, out, 0);
            })
        };
        let (Some(wide), Some(plain)) = (wide(By::Avx2), wide(By::Avx2WithoutRules)) else { return };
        let narrow = |by| {
            run(by, &operands, |b, out, from| {
                for offset in [0, 16] {
                    let values: Vec<Value> =
                        (0..OPERANDS as i32).map(|index| load(b, half, from, index * 32 + offset)).collect();
                    let result = operation(b, &values);
                    store(b, result, out, offset);
                }
            })
        };
        let (expected, halves) = (narrow(By::Baseline).unwrap(), narrow(By::Avx2).unwrap());
        for (number, operands) in operands.iter().enumerate() {
            let same = |found: &Memory| equal(half, found, &expected[number]);
            assert!(same(&wide[number]), "{name} {whole} of {operands:x?}: {:x?}", (&wide[number], &expected[number]));
            assert!(
                same(&plain[number]),
                "{name} {whole} of {operands:x?} without rules: {:x?}",
                (&plain[number], &expected[number])
            );
            assert!(
                same(&halves[number]),
                "{name} {half} of {operands:x?}: {:x?}",
                (&halves[number], &expected[number])
            );
        }
    }
}

/// Whether results agree; the bits of NaN are not defined.
fn equal(ty: Type, a: &Memory, b: &Memory) -> bool {
    let lane = ty.lane_type();
    a.0.chunks_exact(lane.bytes() as usize).zip(b.0.chunks_exact(lane.bytes() as usize)).all(|(a, b)| {
        let nan = |bytes: &[u8]| match lane {
            types::F32 => f32::from_le_bytes(bytes.try_into().unwrap()).is_nan(),
            types::F64 => f64::from_le_bytes(bytes.try_into().unwrap()).is_nan(),
            _ => false,
        };
        a == b || nan(a) && nan(b)
    })
}

fn cast(b: &mut FunctionBuilder, lane: Type, value: Value) -> Value {
    let ty = b.func.dfg.value_type(value);
    let ty = lane.by(ty.bits() / lane.bits()).unwrap();
    b.ins().bitcast(ty, MemFlagsData::new().with_endianness(Endianness::Little), value)
}

fn constant(b: &mut FunctionBuilder, like: Value, bits: i64) -> Value {
    let ty = b.func.dfg.value_type(like);
    let lane = b.ins().iconst(ty.lane_type(), bits);
    b.ins().splat(ty, lane)
}

/// The amount of a shift.
fn amount(b: &mut FunctionBuilder, bits: i64) -> Value {
    b.ins().iconst(types::I32, bits)
}

const INTEGERS: [(&str, Operation); 26] = [
    ("iadd", |b, x| b.ins().iadd(x[0], x[1])),
    ("isub", |b, x| b.ins().isub(x[0], x[1])),
    ("ineg", |b, x| b.ins().ineg(x[0])),
    ("band", |b, x| b.ins().band(x[0], x[1])),
    ("bor", |b, x| b.ins().bor(x[0], x[1])),
    ("bxor", |b, x| b.ins().bxor(x[0], x[1])),
    ("bnot", |b, x| b.ins().bnot(x[0])),
    ("and not", |b, x| {
        let not = b.ins().bnot(x[1]);
        b.ins().band(x[0], not)
    }),
    ("eq", |b, x| b.ins().icmp(IntCC::Equal, x[0], x[1])),
    ("ne", |b, x| b.ins().icmp(IntCC::NotEqual, x[0], x[1])),
    ("slt", |b, x| b.ins().icmp(IntCC::SignedLessThan, x[0], x[1])),
    ("sle", |b, x| b.ins().icmp(IntCC::SignedLessThanOrEqual, x[0], x[1])),
    ("sgt", |b, x| b.ins().icmp(IntCC::SignedGreaterThan, x[0], x[1])),
    ("sge", |b, x| b.ins().icmp(IntCC::SignedGreaterThanOrEqual, x[0], x[1])),
    ("ult", |b, x| b.ins().icmp(IntCC::UnsignedLessThan, x[0], x[1])),
    ("ule", |b, x| b.ins().icmp(IntCC::UnsignedLessThanOrEqual, x[0], x[1])),
    ("ugt", |b, x| b.ins().icmp(IntCC::UnsignedGreaterThan, x[0], x[1])),
    ("uge", |b, x| b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, x[0], x[1])),
    ("bitselect", |b, x| b.ins().bitselect(x[0], x[1], x[2])),
    ("selected by a comparison", |b, x| {
        let mask = b.ins().icmp(IntCC::UnsignedLessThan, x[0], x[1]);
        b.ins().bitselect(mask, x[2], x[3])
    }),
    ("selected by the inverse of a comparison", |b, x| {
        let mask = b.ins().icmp(IntCC::Equal, x[0], x[1]);
        let mask = b.ins().bnot(mask);
        b.ins().bitselect(mask, x[2], x[3])
    }),
    ("constants", |b, x| {
        let (one, two) = (constant(b, x[0], 17), constant(b, x[0], -1));
        let sum = b.ins().iadd(x[0], one);
        b.ins().bxor(sum, two)
    }),
    ("ushr by a constant", |b, x| {
        let by = amount(b, 5);
        b.ins().ushr(x[0], by)
    }),
    ("ishl by a constant", |b, x| {
        let by = amount(b, 9);
        b.ins().ishl(x[0], by)
    }),
    ("select", |b, x| {
        let two = b.ins().iconst(types::I32, 2);
        b.ins().select(two, x[0], x[1])
    }),
    ("many values", |b, x| {
        let mut sums = vec![x[0]];
        for number in 0..24 {
            let last = sums[number];
            let next = b.ins().iadd(last, x[number % 4]);
            sums.push(b.ins().bxor(next, x[(number + 1) % 4]));
        }
        let mut all = sums[0];
        for sum in sums.into_iter().rev() {
            let next = b.ins().isub(all, sum);
            all = b.ins().bor(next, sum);
        }
        all
    }),
];

#[test]
fn integers() {
    for half in [types::I8X16, types::I16X8, types::I32X4, types::I64X2] {
        check(half, &INTEGERS);
    }
    for half in [types::I16X8, types::I32X4, types::I64X2] {
        check(
            half,
            &[
                ("imul", |b, x| b.ins().imul(x[0], x[1])),
                ("sshr by a constant", |b, x| {
                    let by = amount(b, 11);
                    b.ins().sshr(x[0], by)
                }),
                ("sshr to the sign", |b, x| {
                    let by = amount(b, 63);
                    b.ins().sshr(x[0], by)
                }),
            ],
        );
    }
    for half in [types::I8X16, types::I16X8, types::I32X4] {
        check(
            half,
            &[
                ("smin", |b, x| b.ins().smin(x[0], x[1])),
                ("smax", |b, x| b.ins().smax(x[0], x[1])),
                ("umin", |b, x| b.ins().umin(x[0], x[1])),
                ("umax", |b, x| b.ins().umax(x[0], x[1])),
                ("iabs", |b, x| b.ins().iabs(x[0])),
            ],
        );
    }
    check(types::I8X16, &[("popcnt", |b, x| b.ins().popcnt(x[0]))]);
}

const COMPARISONS: [(&str, Operation); 12] = [
    ("eq", |b, x| b.ins().fcmp(FloatCC::Equal, x[0], x[1])),
    ("ne", |b, x| b.ins().fcmp(FloatCC::NotEqual, x[0], x[1])),
    ("lt", |b, x| b.ins().fcmp(FloatCC::LessThan, x[0], x[1])),
    ("le", |b, x| b.ins().fcmp(FloatCC::LessThanOrEqual, x[0], x[1])),
    ("gt", |b, x| b.ins().fcmp(FloatCC::GreaterThan, x[0], x[1])),
    ("ge", |b, x| b.ins().fcmp(FloatCC::GreaterThanOrEqual, x[0], x[1])),
    ("ult", |b, x| b.ins().fcmp(FloatCC::UnorderedOrLessThan, x[0], x[1])),
    ("ule", |b, x| b.ins().fcmp(FloatCC::UnorderedOrLessThanOrEqual, x[0], x[1])),
    ("ugt", |b, x| b.ins().fcmp(FloatCC::UnorderedOrGreaterThan, x[0], x[1])),
    ("uge", |b, x| b.ins().fcmp(FloatCC::UnorderedOrGreaterThanOrEqual, x[0], x[1])),
    ("uno", |b, x| b.ins().fcmp(FloatCC::Unordered, x[0], x[1])),
    ("ord", |b, x| b.ins().fcmp(FloatCC::Ordered, x[0], x[1])),
];

#[test]
fn floats() {
    for half in [types::F32X4, types::F64X2] {
        check(
            half,
            &[
                ("fadd", |b, x| b.ins().fadd(x[0], x[1])),
                ("fsub", |b, x| b.ins().fsub(x[0], x[1])),
                ("fmul", |b, x| b.ins().fmul(x[0], x[1])),
                ("fdiv", |b, x| b.ins().fdiv(x[0], x[1])),
                ("sqrt", |b, x| b.ins().sqrt(x[0])),
                ("fma", |b, x| b.ins().fma(x[0], x[1], x[2])),
                ("fnmadd", |b, x| {
                    let a = b.ins().fneg(x[0]);
                    b.ins().fma(a, x[1], x[2])
                }),
                ("fmsub", |b, x| {
                    let c = b.ins().fneg(x[2]);
                    b.ins().fma(x[0], x[1], c)
                }),
                ("fma of a used factor", |b, x| {
                    let y = b.ins().fma(x[0], x[1], x[2]);
                    let z = b.ins().fma(y, x[1], x[0]);
                    b.ins().fma(z, y, y)
                }),
                ("fneg", |b, x| b.ins().fneg(x[0])),
                ("fabs", |b, x| b.ins().fabs(x[0])),
                ("fmin", |b, x| b.ins().fmin(x[0], x[1])),
                ("fmax", |b, x| b.ins().fmax(x[0], x[1])),
                ("ceil", |b, x| b.ins().ceil(x[0])),
                ("floor", |b, x| b.ins().floor(x[0])),
                ("trunc", |b, x| b.ins().trunc(x[0])),
                ("nearest", |b, x| b.ins().nearest(x[0])),
            ],
        );
        check(half, &COMPARISONS);
        check(
            half,
            &[
                ("minimum by a comparison", |b, x| {
                    let integer =
                        if b.func.dfg.value_type(x[0]).lane_type() == types::F32 { types::I32 } else { types::I64 };
                    let mask = b.ins().fcmp(FloatCC::LessThan, x[0], x[1]);
                    let (one, other) = (cast(b, integer, x[0]), cast(b, integer, x[1]));
                    let result = b.ins().bitselect(mask, one, other);
                    let lane = if integer == types::I32 { types::F32 } else { types::F64 };
                    cast(b, lane, result)
                }),
                ("maximum by a comparison", |b, x| {
                    let integer =
                        if b.func.dfg.value_type(x[0]).lane_type() == types::F32 { types::I32 } else { types::I64 };
                    let mask = b.ins().fcmp(FloatCC::LessThan, x[0], x[1]);
                    let (one, other) = (cast(b, integer, x[0]), cast(b, integer, x[1]));
                    let result = b.ins().bitselect(mask, other, one);
                    let lane = if integer == types::I32 { types::F32 } else { types::F64 };
                    cast(b, lane, result)
                }),
            ],
        );
    }
}

#[test]
fn conversions() {
    let float: Operation = |b, x| {
        let ty = b.func.dfg.value_type(x[0]);
        let to = if ty.lane_type() == types::I32 { types::F32 } else { types::F64 };
        b.ins().fcvt_from_sint(to.by(ty.lane_count()).unwrap(), x[0])
    };
    let unsigned: Operation = |b, x| {
        let ty = b.func.dfg.value_type(x[0]);
        let to = if ty.lane_type() == types::I32 { types::F32 } else { types::F64 };
        b.ins().fcvt_from_uint(to.by(ty.lane_count()).unwrap(), x[0])
    };
    for half in [types::I32X4, types::I64X2] {
        check(half, &[("fcvt_from_sint", float), ("fcvt_from_uint", unsigned)]);
    }
    check(
        types::F32X4,
        &[
            ("fcvt_to_sint_sat", |b, x| {
                let ty = types::I32.by(b.func.dfg.value_type(x[0]).lane_count()).unwrap();
                b.ins().fcvt_to_sint_sat(ty, x[0])
            }),
            ("fcvt_to_uint_sat", |b, x| {
                let ty = types::I32.by(b.func.dfg.value_type(x[0]).lane_count()).unwrap();
                b.ins().fcvt_to_uint_sat(ty, x[0])
            }),
        ],
    );
}
