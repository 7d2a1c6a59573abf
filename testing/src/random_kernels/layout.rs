//! Values in the memory layout of WGSL (the specification's section 14.4.1).

use super::ast::{Scalar, Type, Value};

/// The alignment and the size of a type, in bytes.
pub(crate) fn layout(ty: &Type, structs: &[Vec<Type>]) -> (usize, usize) {
    match ty {
        Type::Scalar(_) | Type::Pointer(..) => (4, 4),
        Type::Vector(_, width) => {
            let width = usize::from(*width);
            (if width == 2 { 8 } else { 16 }, width * 4)
        }
        Type::Matrix(columns, rows) => {
            let (align, size) = layout(&Type::Vector(Scalar::F32, *rows), structs);
            (align, size.next_multiple_of(align) * usize::from(*columns))
        }
        Type::Array(element, length) => {
            let (align, _) = layout(element, structs);
            (align, stride(element, structs) * *length as usize)
        }
        Type::Struct(index) => {
            let members = &structs[*index];
            let align = members.iter().map(|member| layout(member, structs).0).max().unwrap_or(4);
            let end = members.iter().fold(0usize, |at, member| {
                let (align, size) = layout(member, structs);
                at.next_multiple_of(align) + size
            });
            (align, end.next_multiple_of(align))
        }
    }
}

/// The distance between two elements of an array, in bytes.
pub(crate) fn stride(element: &Type, structs: &[Vec<Type>]) -> usize {
    let (align, size) = layout(element, structs);
    size.next_multiple_of(align)
}

/// The types of the components, elements or members of a value of type `ty`, with their offsets in bytes.
fn placed(ty: &Type, structs: &[Vec<Type>]) -> Vec<(usize, Type)> {
    let mut at = 0usize;
    let place = |part: Type| {
        let (align, size) = layout(&part, structs);
        let offset = at.next_multiple_of(align);
        at =
            offset + if matches!(ty, Type::Struct(_) | Type::Vector(..)) { size } else { size.next_multiple_of(align) };
        (offset, part)
    };
    ty.parts(structs).into_iter().map(place).collect()
}

/// Reads a value of type `ty` from bytes in the memory layout of WGSL.
pub(crate) fn read(ty: &Type, structs: &[Vec<Type>], bytes: &[u8]) -> Value {
    let word = || {
        let mut word = [0; 4];
        word.copy_from_slice(&bytes[..4]);
        u32::from_le_bytes(word)
    };
    match ty {
        Type::Scalar(Scalar::U32) => Value::U32(word()),
        Type::Scalar(Scalar::I32) => Value::I32(word().cast_signed()),
        Type::Scalar(Scalar::F32) => Value::F32(f32::from_bits(word())),
        Type::Scalar(Scalar::Bool) => Value::Bool(word() != 0),
        _ => Value::Many(
            placed(ty, structs).iter().map(|(offset, part)| read(part, structs, &bytes[*offset..])).collect(),
        ),
    }
}

/// Writes a value; padding keeps its bytes.
pub(crate) fn write(value: &Value, ty: &Type, structs: &[Vec<Type>], bytes: &mut [u8]) {
    let word = match value {
        Value::Bool(value) => u32::from(*value),
        Value::U32(value) => *value,
        Value::I32(value) => value.cast_unsigned(),
        Value::F32(value) => value.to_bits(),
        Value::Pointer(_) => return,
        Value::Many(parts) => {
            for ((offset, part), value) in placed(ty, structs).iter().zip(parts) {
                write(value, part, structs, &mut bytes[*offset..]);
            }
            return;
        }
    };
    bytes[..4].copy_from_slice(&word.to_le_bytes());
}
