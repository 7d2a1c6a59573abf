//! Functions of the bits of integers, and packed dot products.

use std::sync::Arc;

use crate::operator_suite::edges::combinations;
use crate::operator_suite::scalar::{INTEGERS, Scalar, Value};
use crate::operator_suite::sweep::{Sweep, Type};
use crate::operator_suite::table::{Case, Componentwise};
use crate::operator_suite::want::Want;

/// The reason why other backends lack 64-bit forms: Vulkan's bit instructions have none.
const NO_WIDE: &str = "no other backend has this function in 64 bits";

const fn bits(name: &'static str, expression: &'static str, reference: fn(Scalar, &[Value]) -> Want) -> Componentwise {
    Componentwise::new(name, expression, INTEGERS, reference).only_cpu_wide(NO_WIDE)
}

pub(crate) const TABLE: &[Componentwise] = &[
    bits("countLeadingZeros", "countLeadingZeros(x)", |s, v| {
        Want::int(s, i128::from(v[0].bits.leading_zeros() - (64 - s.width())))
    }),
    bits("countTrailingZeros", "countTrailingZeros(x)", |s, v| {
        Want::int(s, i128::from(v[0].bits.trailing_zeros().min(s.width())))
    }),
    bits("countOneBits", "countOneBits(x)", |s, v| Want::int(s, i128::from(v[0].bits.count_ones()))),
    bits("reverseBits", "reverseBits(x)", |s, v| Want::Is(Value::new(s, v[0].bits.reverse_bits() >> (64 - s.width())))),
    bits("firstTrailingBit", "firstTrailingBit(x)", |s, v| {
        Want::int(s, if v[0].bits == 0 { -1 } else { i128::from(v[0].bits.trailing_zeros()) })
    }),
    bits("firstLeadingBit", "firstLeadingBit(x)", first_leading_bit),
    bits("extractBits", "extractBits(x, y, z)", extract).takes(|s| vec![s, Scalar::U32, Scalar::U32], &[1, 2]),
    bits("insertBits", "insertBits(x, y, z, w)", insert).takes(|s| vec![s, s, Scalar::U32, Scalar::U32], &[2, 3]),
];

/// The highest bit that is set or, for a negative number, that differs from the sign bit.
fn first_leading_bit(scalar: Scalar, v: &[Value]) -> Want {
    let value = v[0].i();
    let bits = Value::int(scalar, if value < 0 { !value } else { value }).bits;
    Want::int(scalar, if bits == 0 { -1 } else { i128::from(63 - bits.leading_zeros()) })
}

/// The offset and the count of a bit field, clamped to the type's width.
fn field(scalar: Scalar, offset: Value, count: Value) -> (u32, u32) {
    let offset = (offset.bits as u32).min(scalar.width());
    (offset, (count.bits as u32).min(scalar.width() - offset))
}

fn extract(scalar: Scalar, v: &[Value]) -> Want {
    let (offset, count) = field(scalar, v[1], v[2]);
    if count == 0 {
        return Want::int(scalar, 0);
    }
    let low = (v[0].i() >> offset) & ((1 << count) - 1);
    let negative = scalar.is_signed() && (low >> (count - 1)) & 1 == 1;
    Want::int(scalar, if negative { low - (1 << count) } else { low })
}

fn insert(scalar: Scalar, v: &[Value]) -> Want {
    let (offset, count) = field(scalar, v[2], v[3]);
    let mask = ((1i128 << count) - 1) << offset;
    Want::int(scalar, (v[0].i() & !mask) | ((v[1].i() << offset) & mask))
}

/// The cases of dot products of packed bytes and of vectors.
pub(crate) fn cases() -> Vec<Case> {
    let packed = |name: &str, result: Scalar, byte: fn(u8) -> i128| {
        let reference = move |row: &[Vec<Value>]| {
            let bytes = |value: &Value| (value.bits as u32).to_le_bytes();
            let products = bytes(&row[0][0]).into_iter().zip(bytes(&row[1][0])).map(|(x, y)| byte(x) * byte(y));
            vec![Want::int(result, products.sum())]
        };
        let sweep = Sweep {
            expression: format!("{name}(x, y)"),
            arguments: vec![Type::scalar(Scalar::U32); 2],
            result: Type::scalar(result),
            before: "",
            rows: Arc::new(|| combinations(&[Scalar::U32; 2])),
            reference: Arc::new(reference),
            features: &[],
            only_cpu: None,
        };
        Case::sweep(format!("builtins::{}::{name}", result.name()), sweep)
    };
    vec![
        packed("dot4I8Packed", Scalar::I32, |byte| i128::from(byte as i8)),
        packed("dot4U8Packed", Scalar::U32, i128::from),
    ]
}
