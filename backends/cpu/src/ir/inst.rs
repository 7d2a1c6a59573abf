//! Instructions, which compute values.

use super::place::Place;
use super::stmt::AtomicOp;
use super::value::{Class, Input, MemType, Value, Var};
use crate::math::LaneFunction;

/// Operations on one value; the result has the operand's class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum UnaryOp {
    /// Negation: integers wrap, floats flip the sign bit.
    Neg,
    /// Bitwise not of integers, logical not of booleans.
    Not,
    /// Absolute value of a float: clears the sign bit.
    Abs,
    /// The number of leading zeros of an integer; its width in bits for 0.
    Clz,
    /// The number of trailing zeros of an integer; its width in bits for 0.
    Ctz,
    /// The number of set bits.
    Popcount,
    /// The bits in reverse order.
    ReverseBits,
    /// Correctly rounded square root.
    Sqrt,
    /// Rounding to an integer towards positive infinity.
    Ceil,
    /// Rounding to an integer towards negative infinity.
    Floor,
    /// Rounding to an integer towards zero.
    Trunc,
    /// Rounding to the nearest integer, ties to even.
    Nearest,
    /// The nearest `f16`, as [`Class::F32`]: ties to even, infinity on overflow.
    RoundF16,
}

/// Operations on two values of one class, with a result of that class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BinaryOp {
    /// Addition: integers wrap.
    Add,
    /// Subtraction: integers wrap.
    Sub,
    /// Multiplication: integers wrap.
    Mul,
    /// Division of floats. Integers have the signed and unsigned quotients below.
    Div,
    /// Signed quotient; `x / 0 = x`, `MIN / -1 = MIN`.
    DivS,
    /// Unsigned quotient; `x / 0 = x`.
    DivU,
    /// Signed remainder with the dividend's sign; `x % 0 = 0`, `MIN % -1 = 0`.
    RemS,
    /// Unsigned remainder; `x % 0 = 0`.
    RemU,
    /// Bitwise and of integers, logical and of booleans.
    And,
    /// Bitwise or of integers, logical or of booleans.
    Or,
    /// Bitwise exclusive or of integers, logical exclusive or of booleans.
    Xor,
    /// Shift left by the second operand modulo the width; both operands have one class.
    Shl,
    /// Arithmetic shift right by the second operand modulo the width; both operands have one class.
    ShrS,
    /// Logical shift right by the second operand modulo the width; both operands have one class.
    ShrU,
    /// The minimum of signed integers.
    MinS,
    /// The minimum of unsigned integers.
    MinU,
    /// The maximum of signed integers.
    MaxS,
    /// The maximum of unsigned integers.
    MaxU,
    /// The minimum of floats. If one operand is NaN, the result is the other; -0 is below +0 or equal to it.
    Min,
    /// The maximum of floats. If one operand is NaN, the result is the other; -0 is below +0 or equal to it.
    Max,
}

/// Operations on three floats of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TernaryOp {
    /// `a * b + c`, rounded once.
    Fma,
}

/// Comparisons of two values of one class; the result is a [`Class::Bool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CompareOp {
    /// Equal, for values of any class; false if a float is NaN.
    Eq,
    /// Not equal, for values of any class; true if a float is NaN.
    Ne,
    /// Less than, for floats.
    Lt,
    /// Less than or equal, for floats.
    Le,
    /// Less than, for signed integers.
    LtS,
    /// Less than or equal, for signed integers.
    LeS,
    /// Less than, for unsigned integers.
    LtU,
    /// Less than or equal, for unsigned integers.
    LeU,
}

/// Conversions, named by source and target class; integers are signed (`S`) or unsigned (`U`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Convert {
    /// Boolean to integer: `false` becomes 0, `true` becomes 1.
    BoolToI32,
    /// Signed integer to the nearest float.
    I32ToF32S,
    /// Unsigned integer to the nearest float.
    I32ToF32U,
    /// Signed integer to double, exact.
    I32ToF64S,
    /// Unsigned integer to double, exact.
    I32ToF64U,
    /// Signed 64-bit integer to the nearest float.
    I64ToF32S,
    /// Unsigned 64-bit integer to the nearest float.
    I64ToF32U,
    /// Signed 64-bit integer to the nearest double.
    I64ToF64S,
    /// Unsigned 64-bit integer to the nearest double.
    I64ToF64U,
    /// Float to signed integer: towards zero, saturating, NaN to 0.
    F32ToI32S,
    /// Float to unsigned integer: towards zero, saturating, NaN to 0.
    F32ToI32U,
    /// Float to signed 64-bit integer: towards zero, saturating, NaN to 0.
    F32ToI64S,
    /// Float to unsigned 64-bit integer: towards zero, saturating, NaN to 0.
    F32ToI64U,
    /// Double to signed integer: towards zero, saturating, NaN to 0.
    F64ToI32S,
    /// Double to unsigned integer: towards zero, saturating, NaN to 0.
    F64ToI32U,
    /// Double to signed 64-bit integer: towards zero, saturating, NaN to 0.
    F64ToI64S,
    /// Double to unsigned 64-bit integer: towards zero, saturating, NaN to 0.
    F64ToI64U,
    /// Float to double, exact.
    F32ToF64,
    /// Double to the nearest float.
    F64ToF32,
    /// Sign extension to 64 bits.
    I32ToI64S,
    /// Zero extension to 64 bits.
    I32ToI64U,
    /// The low 32 bits of a 64-bit integer.
    I64ToI32,
    /// The bits of an integer, read as a float.
    BitsI32ToF32,
    /// The bits of a float, read as an integer.
    BitsF32ToI32,
    /// The bits of a 64-bit integer, read as a double.
    BitsI64ToF64,
    /// The bits of a double, read as a 64-bit integer.
    BitsF64ToI64,
    /// The low 16 bits of an integer, read as an `f16`.
    HalfBitsToF32,
    /// The bits of the nearest `f16` to a float, zero-extended.
    F32ToHalfBits,
}

impl Convert {
    /// The source and target classes.
    pub(crate) fn classes(self) -> (Class, Class) {
        use Class::{Bool, F32, F64, I32, I64};
        match self {
            Self::BoolToI32 => (Bool, I32),
            Self::I32ToF32S | Self::I32ToF32U | Self::BitsI32ToF32 | Self::HalfBitsToF32 => (I32, F32),
            Self::I32ToF64S | Self::I32ToF64U => (I32, F64),
            Self::I64ToF32S | Self::I64ToF32U => (I64, F32),
            Self::I64ToF64S | Self::I64ToF64U | Self::BitsI64ToF64 => (I64, F64),
            Self::F32ToI32S | Self::F32ToI32U | Self::BitsF32ToI32 | Self::F32ToHalfBits => (F32, I32),
            Self::F32ToI64S | Self::F32ToI64U => (F32, I64),
            Self::F64ToI32S | Self::F64ToI32U => (F64, I32),
            Self::F64ToI64S | Self::F64ToI64U | Self::BitsF64ToI64 => (F64, I64),
            Self::F32ToF64 => (F32, F64),
            Self::F64ToF32 => (F64, F32),
            Self::I32ToI64S | Self::I32ToI64U => (I32, I64),
            Self::I64ToI32 => (I64, I32),
        }
    }
}

/// Operations over the active invocations of a subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SubgroupOp {
    /// The sum over all active lanes.
    Add,
    /// The product over all active lanes.
    Mul,
    /// The minimum of floats or signed integers.
    Min,
    /// The maximum of floats or signed integers.
    Max,
    /// The minimum of unsigned integers.
    MinU,
    /// The maximum of unsigned integers.
    MaxU,
    /// Bitwise and of integers; for booleans, whether all are true.
    And,
    /// Bitwise or of integers; for booleans, whether any is true.
    Or,
    /// Bitwise exclusive or of integers.
    Xor,
    /// The sum over the lanes up to and including this one.
    InclusiveAdd,
    /// The product over the lanes up to and including this one.
    InclusiveMul,
    /// The sum over the lanes before this one.
    ExclusiveAdd,
    /// The product over the lanes before this one.
    ExclusiveMul,
    /// A [`Class::I32`] whose bit n is the boolean operand of lane n; the bits of inactive lanes are 0.
    Ballot,
    /// The value of another lane, whose number is the second operand modulo the subgroup size. If that lane is
    /// inactive, the result is unspecified.
    Shuffle,
    /// The value of the first active lane.
    First,
}

/// An instruction, which computes a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Inst {
    /// A constant: the low bits of `bits` in the value's class; booleans are 0 and 1.
    Const(Class, u64),
    /// An input of the kernel, of class [`Class::I32`].
    Input(Input),
    /// An argument of a called function, by its number in [`Function::arguments`](super::Function::arguments).
    Argument(u32),
    /// The current value of a variable.
    Read(Var),
    /// An operation on one operand.
    Unary(UnaryOp, Value),
    /// An operation on two operands.
    Binary(BinaryOp, Value, Value),
    /// An operation on three operands.
    Ternary(TernaryOp, Value, Value, Value),
    /// A comparison of two values.
    Compare(CompareOp, Value, Value),
    /// A selection: the second operand where the first is true, otherwise the third.
    Select(Value, Value, Value),
    /// A conversion of a value.
    Convert(Convert, Value),
    /// A call of a function of [`crate::math`]; unary functions ignore the second operand.
    Call(LaneFunction, Value, Value),
    /// Reads up to 4 consecutive scalars. The result is the first one; the [`Inst::Part`]s that follow are the others.
    Load(Place, MemType, u8),
    /// Reads and changes a scalar atomically. The result is its old value.
    Atomic {
        /// The operation.
        op: AtomicOp,
        /// The place of the scalar in memory.
        place: Place,
        /// The scalar's type: I32, I64 or F32.
        ty: MemType,
        /// The operand.
        value: Value,
        /// The expected value for [`AtomicOp::CompareExchange`].
        compare: Option<Value>,
    },
    /// An operation over the subgroup; the second operand is the lane of a shuffle.
    Subgroup(SubgroupOp, Value, Option<Value>),
    /// A further result of the load `of`: the scalar with number `index`.
    Part {
        /// The value of the load.
        of: Value,
        /// The number of the scalar, at least 1.
        index: u8,
    },
}

impl Inst {
    /// Whether the result depends on the values of the operands only.
    pub(crate) fn is_pure(&self) -> bool {
        matches!(
            self,
            Self::Unary(..)
                | Self::Binary(..)
                | Self::Ternary(..)
                | Self::Compare(..)
                | Self::Select(..)
                | Self::Convert(..)
                | Self::Call(..)
        )
    }

    /// Whether the instruction belongs to no list of statements, so that its value is available everywhere.
    pub(crate) fn is_floating(&self) -> bool {
        matches!(self, Self::Const(..) | Self::Input(_) | Self::Argument(_))
    }
}
