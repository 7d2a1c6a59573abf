//! The table of all operations of all classes.

use super::{Case, check, reference};
use crate::ir::{BinaryOp, Class, CompareOp, Convert, TernaryOp, UnaryOp};
use crate::math::{self, LaneFunction, reference as fused};

const INTEGERS: [Class; 2] = [Class::I32, Class::I64];
const FLOATS: [Class; 2] = [Class::F32, Class::F64];
const ALL: [Class; 5] = [Class::Bool, Class::I32, Class::I64, Class::F32, Class::F64];

fn unary(op: UnaryOp, class: Class) -> Case {
    Case {
        name: format!("{op:?} {class:?}"),
        from: vec![class],
        to: class,
        lanes: Box::new(move |emit, x| emit.unary(op, class, &x[0])),
        scalar: Some(Box::new(move |emit, x| emit.unary_scalar(op, class, x[0]))),
        reference: Box::new(move |x| reference::unary(op, class, x[0])),
    }
}

fn binary(op: BinaryOp, class: Class) -> Case {
    Case {
        name: format!("{op:?} {class:?}"),
        from: vec![class; 2],
        to: class,
        lanes: Box::new(move |emit, x| emit.binary(op, class, &x[0], &x[1])),
        scalar: Some(Box::new(move |emit, x| emit.binary_scalar(op, class, x[0], x[1]))),
        reference: Box::new(move |x| reference::binary(op, class, x[0], x[1])),
    }
}

fn compare(op: CompareOp, class: Class) -> Case {
    Case {
        name: format!("{op:?} {class:?}"),
        from: vec![class; 2],
        to: Class::Bool,
        lanes: Box::new(move |emit, x| emit.compare(op, class, &x[0], &x[1])),
        scalar: Some(Box::new(move |emit, x| emit.compare_scalar(op, class, x[0], x[1]))),
        reference: Box::new(move |x| reference::compare(op, class, x[0], x[1])),
    }
}

#[test]
fn unary_operations() {
    let mut cases = vec![unary(UnaryOp::Not, Class::Bool), unary(UnaryOp::RoundF16, Class::F32)];
    for class in INTEGERS {
        use UnaryOp::{Clz, Ctz, Neg, Not, Popcount, ReverseBits};
        cases.extend([Neg, Not, Clz, Ctz, Popcount, ReverseBits].map(|op| unary(op, class)));
    }
    for class in FLOATS {
        use UnaryOp::{Abs, Ceil, Floor, Nearest, Neg, Sqrt, Trunc};
        cases.extend([Neg, Abs, Sqrt, Ceil, Floor, Trunc, Nearest].map(|op| unary(op, class)));
    }
    check(&cases);
}

#[test]
fn binary_operations() {
    use BinaryOp::{
        Add, And, Div, DivS, DivU, Max, MaxS, MaxU, Min, MinS, MinU, Mul, Or, RemS, RemU, Shl, ShrS, ShrU, Sub, Xor,
    };
    let mut cases: Vec<Case> = [And, Or, Xor].map(|op| binary(op, Class::Bool)).into();
    for class in INTEGERS {
        let ops = [Add, Sub, Mul, DivS, DivU, RemS, RemU, And, Or, Xor, Shl, ShrS, ShrU, MinS, MinU, MaxS, MaxU];
        cases.extend(ops.map(|op| binary(op, class)));
    }
    for class in FLOATS {
        cases.extend([Add, Sub, Mul, Div, Min, Max].map(|op| binary(op, class)));
    }
    check(&cases);
}

#[test]
fn comparisons() {
    use CompareOp::{Eq, Le, LeS, LeU, Lt, LtS, LtU, Ne};
    let mut cases: Vec<Case> = [Eq, Ne].map(|op| compare(op, Class::Bool)).into();
    for class in INTEGERS {
        cases.extend([Eq, Ne, LtS, LeS, LtU, LeU].map(|op| compare(op, class)));
    }
    for class in FLOATS {
        cases.extend([Eq, Ne, Lt, Le].map(|op| compare(op, class)));
    }
    check(&cases);
}

#[test]
fn selections() {
    let by_value = ALL.map(|class| Case {
        name: format!("select {class:?}"),
        from: vec![Class::Bool, class, class],
        to: class,
        lanes: Box::new(move |emit, x| emit.select(class, &x[0], &x[1], &x[2])),
        scalar: Some(Box::new(move |emit, x| emit.select_scalar(x[0], x[1], x[2]))),
        reference: Box::new(|x| if x[0] == 1 { x[1] } else { x[2] }),
    });
    check(&by_value);
    // A selection by a comparison is emitted with other instructions than a selection by a stored mask.
    let by_comparison = ALL.map(|class| Case {
        name: format!("select {class:?} by comparison"),
        from: vec![class, class],
        to: class,
        lanes: Box::new(move |emit, x| {
            let equal = emit.compare(CompareOp::Ne, class, &x[0], &x[1]);
            emit.select(class, &equal, &x[0], &x[1])
        }),
        scalar: Some(Box::new(move |emit, x| {
            let equal = emit.compare_scalar(CompareOp::Ne, class, x[0], x[1]);
            emit.select_scalar(equal, x[0], x[1])
        })),
        reference: Box::new(
            move |x| if reference::compare(CompareOp::Ne, class, x[0], x[1]) == 1 { x[0] } else { x[1] },
        ),
    });
    check(&by_comparison);
}

#[test]
fn conversions() {
    use Convert as C;
    let all = [
        C::BoolToI32,
        C::I32ToF32S,
        C::I32ToF32U,
        C::I32ToF64S,
        C::I32ToF64U,
        C::I64ToF32S,
        C::I64ToF32U,
        C::I64ToF64S,
        C::I64ToF64U,
        C::F32ToI32S,
        C::F32ToI32U,
        C::F32ToI64S,
        C::F32ToI64U,
        C::F64ToI32S,
        C::F64ToI32U,
        C::F64ToI64S,
        C::F64ToI64U,
        C::F32ToF64,
        C::F64ToF32,
        C::I32ToI64S,
        C::I32ToI64U,
        C::I64ToI32,
        C::BitsI32ToF32,
        C::BitsF32ToI32,
        C::BitsI64ToF64,
        C::BitsF64ToI64,
        C::HalfBitsToF32,
        C::F32ToHalfBits,
    ];
    let cases = all.map(|op| Case {
        name: format!("{op:?}"),
        from: vec![op.classes().0],
        to: op.classes().1,
        lanes: Box::new(move |emit, x| emit.convert(op, &x[0])),
        scalar: Some(Box::new(move |emit, x| emit.convert_scalar(op, x[0]))),
        reference: Box::new(move |x| reference::convert(op, x[0])),
    });
    check(&cases);
}

#[test]
fn fused_multiply_add() {
    let cases = FLOATS.map(|class| Case {
        name: format!("fma {class:?}"),
        from: vec![class; 3],
        to: class,
        lanes: Box::new(move |emit, x| emit.ternary(TernaryOp::Fma, class, &x[0], &x[1], &x[2])),
        scalar: Some(Box::new(move |emit, x| emit.ternary_scalar(TernaryOp::Fma, class, x[0], x[1], x[2]))),
        reference: Box::new(move |x| {
            let single = |index: usize| f32::from_bits(x[index] as u32);
            let double = |index: usize| f64::from_bits(x[index]);
            match class {
                Class::F32 => u64::from(fused::fma_f32(single(0), single(1), single(2)).to_bits()),
                _ => fused::fma_f64(double(0), double(1), double(2)).to_bits(),
            }
        }),
    });
    check(&cases);
}

#[test]
fn functions() {
    let cases = [LaneFunction::Exp, LaneFunction::Pow, LaneFunction::Atan2].map(|function| Case {
        name: format!("{function:?}"),
        from: vec![Class::F32; 2],
        to: Class::F32,
        lanes: Box::new(move |emit, x| emit.call(function, Class::F32, &x[0], &x[1])),
        scalar: Some(Box::new(move |emit, x| emit.call_scalar(function, Class::F32, x[0], x[1]))),
        reference: Box::new(move |x| {
            let [a, b] = [x[0], x[1]].map(|bits| f32::from_bits(bits as u32));
            u64::from(math::eval_f32(function, a, b).to_bits())
        }),
    });
    check(&cases);
}

#[test]
fn lanes_and_scalars() {
    let cases = ALL.map(|class| Case {
        name: format!("{class:?} taken apart, turned round and put together"),
        from: vec![class],
        to: class,
        lanes: Box::new(move |emit, x| {
            let mut turned = |parts: &[super::Machine]| {
                let lanes: Vec<_> = (0..emit.target.lanes).rev().map(|lane| emit.lane(class, parts, lane)).collect();
                emit.from_lanes(class, &lanes)
            };
            let once = turned(&x[0]);
            turned(&once)
        }),
        scalar: Some(Box::new(move |emit, x| {
            let parts = emit.splat(class, x[0]);
            emit.lane(class, &parts, 6)
        })),
        reference: Box::new(|x| x[0]),
    });
    check(&cases);
}

#[test]
fn votes() {
    let vote = |name: &str, lanes: fn(&mut super::Emit, &super::Parts) -> super::Parts| Case {
        name: name.to_owned(),
        from: vec![Class::Bool],
        to: Class::Bool,
        lanes: Box::new(move |emit, x| lanes(emit, &x[0])),
        scalar: None,
        // The only operand has 0 in lane 0 and 1 in all other lanes.
        reference: Box::new(|_| 1),
    };
    check(&[
        vote("any", |emit, x| {
            let any = emit.any(x);
            emit.splat(Class::Bool, any)
        }),
        vote("all", |emit, x| {
            use cranelift_codegen::ir::{InstBuilder, types};
            let all = emit.all(x);
            let none = emit.b.ins().iconst(types::I8, 0);
            let not = emit.compare_scalar(CompareOp::Eq, Class::Bool, all, none);
            emit.splat(Class::Bool, not)
        }),
        vote("bits", |emit, x| {
            let bits = emit.bits(x);
            let expected = emit.constant_scalar(Class::I32, if emit.target.lanes == 8 { 0xfe } else { 0x7ffe });
            let same = emit.compare_scalar(CompareOp::Eq, Class::I32, bits, expected);
            emit.splat(Class::Bool, same)
        }),
    ]);
}
