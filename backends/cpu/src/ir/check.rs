//! The reports that a checked or observed kernel makes while it runs.

use super::place::{Count, Space};
use super::stmt::SiteId;
use super::value::Value;

/// The largest number of dynamic indices in one report.
pub(crate) const MAX_INDICES: usize = 7;

/// A statement that reports an operation to the checker or the observer. [`Function::checks`](super::Function::checks) describes it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Check {
    /// The index of the description in [`Function::checks`](super::Function::checks).
    pub(crate) number: u32,
    /// The index of the reporting lane group, which is `Input::SubgroupId`.
    pub(crate) group: Value,
    /// The reported values: at most [`MAX_INDICES`], of class `I32` or `Bool`.
    pub(crate) operands: Vec<Value>,
}

/// The description of a report.
#[derive(Clone, Debug)]
pub(crate) struct CheckSpec {
    /// The kind of the report.
    pub(crate) kind: CheckKind,
    /// The position in the source.
    pub(crate) site: SiteId,
    /// In an observed kernel: the number of the innermost branch, iteration or loop around the report.
    pub(crate) within: Option<u32>,
}

/// The kind of a report, which determines the meaning of its operands.
#[derive(Clone, Debug)]
pub(crate) enum CheckKind {
    /// An index that must be in range. Operand: the index.
    Bounds(Range),
    /// An integer division. Operand: a boolean, whether the divisor is zero.
    Divisor,
    /// A read of a register variable. Operand: a boolean, whether the variable was written before.
    Written,
    /// An access to memory, which is recorded if its indices are in range. Operands: the dynamic indices.
    Access(Reach),
    /// The start of a loop's next iteration. No operands.
    Iteration,
    /// The arrival at a barrier. No operands.
    Arrival(Order),
    /// The arrival at a branch. Operand: a boolean, whether the lane takes it.
    Branch,
    /// The arrival at a loop, before its first iteration. No operands.
    Loop,
    /// The execution of statements up to the next branch or loop. No operands.
    Segment(Work),
}

/// The operations of a segment, for one invocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// All instructions.
    pub(crate) instructions: u32,
    /// Floating-point operations; a fused multiplication and addition is two.
    pub(crate) float: u32,
    /// Integer operations, comparisons, selections and conversions.
    pub(crate) integer: u32,
    /// Divisions, roots and functions of the library.
    pub(crate) special: u32,
}

/// The valid range of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The number of elements.
    pub(crate) count: Count,
    /// Whether the index is a signed integer in the source.
    pub(crate) signed: bool,
}

/// An access to memory.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    /// The address space of the accessed memory.
    pub(crate) space: Space,
    /// The offset and length in bytes of each accessed piece, for dynamic indices of zero.
    pub(crate) pieces: Vec<(u32, u32)>,
    /// By operand: the stride in bytes and the valid range of the index.
    pub(crate) indices: Vec<(u32, Range)>,
    /// Whether the first operand is the start of the variable, which the caller passed, and not an index.
    pub(crate) based: bool,
    /// The last constant index in the path to an array's element.
    pub(crate) constant: Option<u32>,
    /// The kind of access.
    pub(crate) access: Access,
    /// Whether invocations may race for this memory.
    pub(crate) races: bool,
    /// Whether a read of this memory before any write is a mistake.
    pub(crate) starts_unwritten: bool,
}

/// The kind of an access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// A read.
    Read,
    /// A write.
    Write,
    /// An atomic load.
    AtomicRead,
    /// Any other atomic operation.
    AtomicWrite,
    /// A declaration without an initial value, after which the variable counts as unwritten.
    Forget,
}

impl Access {
    /// Whether an access of this kind may change memory.
    pub(crate) fn writes(self) -> bool {
        matches!(self, Self::Write | Self::AtomicWrite)
    }

    /// Whether an access of this kind is atomic.
    pub(crate) fn is_atomic(self) -> bool {
        matches!(self, Self::AtomicRead | Self::AtomicWrite)
    }
}

/// The memory that a barrier orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Order {
    /// Whether the barrier orders workgroup memory.
    pub(crate) workgroup: bool,
    /// Whether the barrier orders storage buffers.
    pub(crate) storage: bool,
    /// Whether the barrier orders both, but only within a subgroup.
    pub(crate) subgroup: bool,
}
