//! The names of types, operators and functions, and the texts of literals.

use crate::random_kernels::ast::{Atomic, Binary, Builtin, Scalar, Space, Type, Value};

pub(super) fn component_name(component: u8) -> char {
    ['x', 'y', 'z', 'w'][usize::from(component & 3)]
}

pub(super) fn literal(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::U32(value) => format!("{value}u"),
        Value::I32(i32::MIN) => "i32(-2147483648)".to_owned(),
        Value::I32(value) if *value < 0 => format!("({value}i)"),
        Value::I32(value) => format!("{value}i"),
        Value::F32(value) if value.is_sign_negative() => format!("({value:?}f)"),
        Value::F32(value) => format!("{value:?}f"),
        Value::Many(_) | Value::Pointer(_) => String::new(),
    }
}

pub(super) fn type_name(ty: &Type) -> String {
    let scalar = |scalar: &Scalar| match scalar {
        Scalar::Bool => "bool",
        Scalar::U32 => "u32",
        Scalar::I32 => "i32",
        Scalar::F32 => "f32",
    };
    match ty {
        Type::Scalar(of) => scalar(of).to_owned(),
        Type::Vector(of, width) => format!("vec{width}<{}>", scalar(of)),
        Type::Matrix(columns, rows) => format!("mat{columns}x{rows}<f32>"),
        Type::Array(element, length) => format!("array<{}, {length}>", type_name(element)),
        Type::Struct(index) => format!("S{index}"),
        Type::Pointer(space, of) => {
            let space = match space {
                Space::Private => "private",
                Space::Workgroup => "workgroup",
                _ => "function",
            };
            format!("ptr<{space}, {}>", type_name(of))
        }
    }
}

pub(super) fn operator(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::BothOf => "&&",
        Binary::OneOf => "||",
    }
}

pub(super) fn atomic(op: Atomic) -> &'static str {
    match op {
        Atomic::Add => "atomicAdd",
        Atomic::Sub => "atomicSub",
        Atomic::And => "atomicAnd",
        Atomic::Or => "atomicOr",
        Atomic::Xor => "atomicXor",
        Atomic::Min => "atomicMin",
        Atomic::Max => "atomicMax",
        Atomic::Exchange => "atomicExchange",
        Atomic::Load => "atomicLoad",
        Atomic::Store => "atomicStore",
    }
}

pub(super) fn builtin_name(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::Abs => "abs",
        Builtin::Min => "min",
        Builtin::Max => "max",
        Builtin::Clamp => "clamp",
        Builtin::Sign => "sign",
        Builtin::Select => "select",
        Builtin::All => "all",
        Builtin::Any => "any",
        Builtin::Dot => "dot",
        Builtin::Cross => "cross",
        Builtin::Transpose => "transpose",
        Builtin::Determinant => "determinant",
        Builtin::Floor => "floor",
        Builtin::Ceil => "ceil",
        Builtin::Trunc => "trunc",
        Builtin::Round => "round",
        Builtin::Fract => "fract",
        Builtin::Step => "step",
        Builtin::Fma => "fma",
        Builtin::Saturate => "saturate",
        Builtin::CountOneBits => "countOneBits",
        Builtin::CountLeadingZeros => "countLeadingZeros",
        Builtin::CountTrailingZeros => "countTrailingZeros",
        Builtin::FirstLeadingBit => "firstLeadingBit",
        Builtin::FirstTrailingBit => "firstTrailingBit",
        Builtin::ReverseBits => "reverseBits",
        Builtin::ExtractBits => "extractBits",
        Builtin::InsertBits => "insertBits",
        Builtin::Dot4U8 => "dot4U8Packed",
        Builtin::Dot4I8 => "dot4I8Packed",
        Builtin::Pack4xU8 => "pack4xU8",
        Builtin::Unpack4xU8 => "unpack4xU8",
        Builtin::Unpack4xI8 => "unpack4xI8",
        Builtin::Pack2x16Float => "pack2x16float",
        Builtin::Unpack2x16Float => "unpack2x16float",
    }
}
