//! Second operands that are constants or uniform.

use super::{Case, check, reference, values};
use crate::codegen::ops::magic::Magic;
use crate::ir::{BinaryOp, Class};

const OPS: [BinaryOp; 7] = {
    use BinaryOp::{DivS, DivU, RemS, RemU, Shl, ShrS, ShrU};
    [DivS, DivU, RemS, RemU, Shl, ShrS, ShrU]
};

#[test]
fn constant_operands() {
    for class in [Class::I32, Class::I64] {
        let constants = values::of(class, 3).into_iter().chain([3, 7, 8, 10]);
        let cases: Vec<Case> = constants
            .flat_map(|constant| OPS.map(|op| (op, constant)))
            .map(|(op, constant)| Case {
                name: format!("{op:?} {class:?} by {constant:#x}"),
                from: vec![class],
                to: class,
                lanes: Box::new(move |emit, x| {
                    let constant = emit.constant(class, constant);
                    emit.binary(op, class, &x[0], &constant)
                }),
                scalar: Some(Box::new(move |emit, x| {
                    let constant = emit.constant_scalar(class, constant);
                    emit.binary_scalar(op, class, x[0], constant)
                })),
                reference: Box::new(move |x| reference::binary(op, class, x[0], constant)),
            })
            .collect();
        check(&cases);
    }
}

#[test]
fn uniform_operands() {
    // The second operand is lane 0 of the values, which the reference can read.
    for class in [Class::I32, Class::I64] {
        let cases: Vec<Case> = OPS
            .into_iter()
            .map(|op| Case {
                name: format!("{op:?} {class:?} by a uniform value"),
                from: vec![class],
                to: class,
                lanes: Box::new(move |emit, x| {
                    let lane = emit.lane(class, &x[0], 3);
                    let splat = emit.splat(class, lane);
                    let varying = emit.from_lanes(class, &vec![lane; emit.target.lanes]);
                    let one = emit.binary(op, class, &x[0], &splat);
                    let other = emit.binary(op, class, &x[0], &varying);
                    let differ = emit.binary(BinaryOp::Xor, class, &one, &other);
                    match op {
                        BinaryOp::Shl | BinaryOp::ShrS | BinaryOp::ShrU => {
                            let third = emit.shift_by_scalar(op, class, &x[0], lane);
                            let more = emit.binary(BinaryOp::Xor, class, &one, &third);
                            emit.binary(BinaryOp::Or, class, &differ, &more)
                        }
                        _ => differ,
                    }
                }),
                scalar: None,
                reference: Box::new(|_| 0),
            })
            .collect();
        check(&cases);
    }
}

#[test]
fn magic_factors_divide_exactly() {
    // The quotient changes at multiples of the divisor, so the numbers next to them are the critical ones.
    let divide = |a: u32, divisor: u32| {
        let magic = format!("{:?}", Magic::new(divisor));
        let field = |name: &str| {
            let rest = &magic[magic.find(name).unwrap() + name.len() + 2..];
            rest[..rest.find([',', ' ', '}']).unwrap()].to_owned()
        };
        let product = ((u64::from(a) * field("factor").parse::<u64>().unwrap()) >> 32) as u32;
        let sum = if field("long") == "true" { (a - product) / 2 + product } else { product };
        sum >> field("shift").parse::<u32>().unwrap()
    };
    let divisors = (3..500u32).chain([641, 1000, 6700417, 0x7fff_ffff, 0x8000_0001, u32::MAX - 1, u32::MAX]);
    for divisor in divisors.filter(|divisor| !divisor.is_power_of_two()) {
        let last = u32::MAX / divisor;
        for multiple in [1, 2, 3, last / 2, last.saturating_sub(1), last] {
            let product = divisor.wrapping_mul(multiple);
            for a in [product.wrapping_sub(1), product, u32::MAX] {
                assert_eq!(divide(a, divisor), a / divisor, "{a} / {divisor}");
            }
        }
    }
}
