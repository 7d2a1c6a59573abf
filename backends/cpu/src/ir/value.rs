//! Values, variables, and the types of scalars in registers and in memory.

/// The result of an instruction, by the instruction's number in [`Function::insts`](super::Function::insts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Value(pub(crate) u32);

/// A scalar variable in a register, by its number in [`Function::vars`](super::Function::vars).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Var(pub(crate) u32);

/// The class of a register. Integers are neither signed nor unsigned; operations are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// A boolean.
    Bool,
    /// 32 bits; also `i16` (sign-extended) and `u16` (zero-extended).
    I32,
    /// 64 bits.
    I64,
    /// An IEEE single; also `f16`, whose values are always representable as `f16`.
    F32,
    /// An IEEE double.
    F64,
}

impl Class {
    /// The size of a register in bytes; a boolean is a mask of 32 bits.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Self::Bool | Self::I32 | Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }
}

/// The form of a scalar in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MemType {
    /// 32 bits, to and from [`Class::I32`].
    I32,
    /// 32 bits, to and from [`Class::F32`].
    F32,
    /// 64 bits, to and from [`Class::I64`].
    I64,
    /// 64 bits, to and from [`Class::F64`].
    F64,
    /// 16 bits, sign-extended to [`Class::I32`].
    I16,
    /// 16 bits, zero-extended to [`Class::I32`].
    U16,
    /// An IEEE half, to and from [`Class::F32`].
    F16,
    /// A [`Class::Bool`], as 32 bits: zero or all ones. Only in private and workgroup memory.
    Bool,
}

impl MemType {
    /// The class of the register into which a scalar of this type is loaded.
    pub(crate) fn class(self) -> Class {
        match self {
            Self::I32 | Self::I16 | Self::U16 => Class::I32,
            Self::F32 | Self::F16 => Class::F32,
            Self::I64 => Class::I64,
            Self::F64 => Class::F64,
            Self::Bool => Class::Bool,
        }
    }

    /// The size in bytes of a scalar of this type in buffers and workgroup memory.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::F32 | Self::Bool => 4,
            Self::I64 | Self::F64 => 8,
        }
    }
}

/// A value that differs between invocations, or between dispatches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Input {
    /// A component (0 to 2) of `local_invocation_id`.
    LocalId(u8),
    /// `local_invocation_index`.
    LocalIndex,
    /// A component (0 to 2) of `workgroup_id`.
    WorkgroupId(u8),
    /// A component (0 to 2) of `num_workgroups`.
    NumWorkgroups(u8),
    /// `subgroup_id`.
    SubgroupId,
    /// `subgroup_invocation_id`.
    Lane,
    /// The number of elements of the runtime-sized array that is bound to the slot with this number.
    ArrayLength(u32),
}
