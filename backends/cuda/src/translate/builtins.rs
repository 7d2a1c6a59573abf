//! Built-in numeric functions.

use naga::{Expression, Handle, MathFunction, RelationalFunction, TypeInner};

use super::error::Result;
use super::expr::{Text, bare};
use super::writer::FunctionWriter;

impl FunctionWriter<'_, '_> {
    /// Returns a call of a built-in function.
    pub(super) fn math(
        &mut self,
        function: MathFunction,
        arguments: impl Iterator<Item = Handle<Expression>>,
    ) -> Result<Text> {
        let mut texts = Vec::with_capacity(4);
        for argument in arguments {
            texts.push(bare(&self.value(argument)?).to_owned());
        }
        Ok(Text::tight(format!("aw_{}({})", name(function), texts.join(", "))))
    }

    /// Translates `all`, `any`, and the tests for NaN and infinity.
    pub(super) fn relational(&mut self, function: RelationalFunction, argument: Handle<Expression>) -> Result<Text> {
        let text = self.value(argument)?;
        let is_vector = matches!(self.type_of(argument), TypeInner::Vector { .. });
        let name = match function {
            // For a single boolean, the result is the argument.
            RelationalFunction::All | RelationalFunction::Any if !is_vector => return Ok(Text::tight(text)),
            RelationalFunction::All => "all",
            RelationalFunction::Any => "any",
            RelationalFunction::IsNan => "isNan",
            RelationalFunction::IsInf => "isInf",
        };
        Ok(Text::tight(format!("aw_{name}({})", bare(&text))))
    }
}

/// Returns the WGSL name of a function.
fn name(function: MathFunction) -> &'static str {
    use MathFunction as F;
    match function {
        F::Abs => "abs",
        F::Min => "min",
        F::Max => "max",
        F::Clamp => "clamp",
        F::Saturate => "saturate",
        F::Cos => "cos",
        F::Cosh => "cosh",
        F::Sin => "sin",
        F::Sinh => "sinh",
        F::Tan => "tan",
        F::Tanh => "tanh",
        F::Acos => "acos",
        F::Asin => "asin",
        F::Atan => "atan",
        F::Atan2 => "atan2",
        F::Asinh => "asinh",
        F::Acosh => "acosh",
        F::Atanh => "atanh",
        F::Radians => "radians",
        F::Degrees => "degrees",
        F::Ceil => "ceil",
        F::Floor => "floor",
        F::Round => "round",
        F::Fract => "fract",
        F::Trunc => "trunc",
        F::Modf => "modf",
        F::Frexp => "frexp",
        F::Ldexp => "ldexp",
        F::Exp => "exp",
        F::Exp2 => "exp2",
        F::Log => "log",
        F::Log2 => "log2",
        F::Pow => "pow",
        F::Dot => "dot",
        F::Dot4I8Packed => "dot4I8Packed",
        F::Dot4U8Packed => "dot4U8Packed",
        F::Outer => "outer",
        F::Cross => "cross",
        F::Distance => "distance",
        F::Length => "length",
        F::Normalize => "normalize",
        F::FaceForward => "faceForward",
        F::Reflect => "reflect",
        F::Refract => "refract",
        F::Sign => "sign",
        F::Fma => "fma",
        F::Mix => "mix",
        F::Step => "step",
        F::SmoothStep => "smoothstep",
        F::Sqrt => "sqrt",
        F::InverseSqrt => "inverseSqrt",
        F::Inverse => "inverse",
        F::Transpose => "transpose",
        F::Determinant => "determinant",
        F::QuantizeToF16 => "quantizeToF16",
        F::CountTrailingZeros => "countTrailingZeros",
        F::CountLeadingZeros => "countLeadingZeros",
        F::CountOneBits => "countOneBits",
        F::ReverseBits => "reverseBits",
        F::ExtractBits => "extractBits",
        F::InsertBits => "insertBits",
        F::FirstTrailingBit => "firstTrailingBit",
        F::FirstLeadingBit => "firstLeadingBit",
        F::Pack4x8snorm => "pack4x8snorm",
        F::Pack4x8unorm => "pack4x8unorm",
        F::Pack2x16snorm => "pack2x16snorm",
        F::Pack2x16unorm => "pack2x16unorm",
        F::Pack2x16float => "pack2x16float",
        F::Pack4xI8 => "pack4xI8",
        F::Pack4xU8 => "pack4xU8",
        F::Pack4xI8Clamp => "pack4xI8Clamp",
        F::Pack4xU8Clamp => "pack4xU8Clamp",
        F::Unpack4x8snorm => "unpack4x8snorm",
        F::Unpack4x8unorm => "unpack4x8unorm",
        F::Unpack2x16snorm => "unpack2x16snorm",
        F::Unpack2x16unorm => "unpack2x16unorm",
        F::Unpack2x16float => "unpack2x16float",
        F::Unpack4xI8 => "unpack4xI8",
        F::Unpack4xU8 => "unpack4xU8",
    }
}
