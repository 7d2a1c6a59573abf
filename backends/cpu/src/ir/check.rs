//! Reports of a checked kernel to the checker.

use super::place::{Count, Space};
use super::stmt::SiteId;
use super::value::Value;

/// The largest number of dynamic indices in one report.
pub(crate) const MAX_INDICES: usize = 7;

/// A report; `number` is its index in [`Function::checks`](super::Function::checks), which describes it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Check {
    /// The number of the report.
    pub(crate) number: u32,
    /// `Input::SubgroupId`: the reporting lane group.
    pub(crate) group: Value,
    /// At most [`MAX_INDICES`], of class `I32` or `Bool`.
    pub(crate) operands: Vec<Value>,
}

/// The description of a report.
#[derive(Clone, Debug)]
pub(crate) struct CheckSpec {
    /// The kind of the report.
    pub(crate) kind: CheckKind,
    /// The position in the source.
    pub(crate) site: SiteId,
}

/// The kinds of reports.
#[derive(Clone, Debug)]
pub(crate) enum CheckKind {
    /// Operand: an index, which must be in range.
    Bounds(Range),
    /// Operand: a boolean, whether an integer divisor is zero.
    Divisor,
    /// Operand: a boolean, whether the register variable was written before this read.
    Written,
    /// Operands: the indices of the access. They must be in range; if they are, the access is recorded.
    Access(Reach),
    /// The start of a loop's next iteration.
    Iteration,
    /// The arrival at a barrier.
    Arrival(Order),
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
    /// The memory.
    pub(crate) space: Space,
    /// Offset and length in bytes of each piece, without the dynamic indices.
    pub(crate) pieces: Vec<(u32, u32)>,
    /// Stride and range of each operand.
    pub(crate) indices: Vec<(u32, Range)>,
    /// Whether the first operand is the start of the variable.
    pub(crate) based: bool,
    /// The last constant index in the path to an array's element.
    pub(crate) constant: Option<u32>,
    /// The kind of access.
    pub(crate) access: Access,
    /// Whether races are possible, and a read must follow a write.
    pub(crate) races: bool,
    pub(crate) starts_unwritten: bool,
}

/// The kind of an access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// A read.
    Read,
    /// A write.
    Write,
    /// An atomic read.
    AtomicRead,
    /// An atomic update.
    AtomicWrite,
    /// A declaration without an initial value.
    Forget,
}

impl Access {
    /// Whether it may change memory.
    pub(crate) fn writes(self) -> bool {
        matches!(self, Self::Write | Self::AtomicWrite)
    }

    /// Whether it is atomic.
    pub(crate) fn is_atomic(self) -> bool {
        matches!(self, Self::AtomicRead | Self::AtomicWrite)
    }
}

/// The memory that a barrier orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Order {
    /// Workgroup memory.
    pub(crate) workgroup: bool,
    /// Storage buffers.
    pub(crate) storage: bool,
    /// Both, within a subgroup.
    pub(crate) subgroup: bool,
}
