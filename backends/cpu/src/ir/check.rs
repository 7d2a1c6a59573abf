//! Reports to the checker: what a checked kernel tells about itself while it runs.

use super::inst::{Count, Space, Value};
use super::stmt::SiteId;

/// Most dynamic indices on the way to what one report is about.
pub(crate) const MOST_INDICES: usize = 7;

/// A report; `number` is the place in [`Function::checks`](super::Function::checks) that says of what.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Check {
    /// Which report.
    pub(crate) number: u32,
    /// `Input::SubgroupId`: the lane group that reports.
    pub(crate) group: Value,
    /// At most [`MOST_INDICES`], of class `I32` or `Bool`.
    pub(crate) operands: Vec<Value>,
}

/// What a report is about.
#[derive(Clone, Debug)]
pub(crate) struct CheckSpec {
    /// What is reported.
    pub(crate) kind: CheckKind,
    /// Where in the source.
    pub(crate) site: SiteId,
}

/// The kinds of reports.
#[derive(Clone, Debug)]
pub(crate) enum CheckKind {
    /// Operand: an index, which must be in range.
    Bounds(Range),
    /// Operand: a boolean, whether an integer divisor is zero.
    Divisor,
    /// Operand: a boolean, whether the register variable that is read was written before.
    Written,
    /// Operands: the indices of the access. They must be in range; if they are, memory is touched.
    Access(Reach),
    /// The next iteration of a loop begins.
    Iteration,
    /// A barrier comes next.
    Arrival(Order),
}

/// What an index may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// How many elements there are.
    pub(crate) count: Count,
    /// Whether the index is a signed integer in the source.
    pub(crate) signed: bool,
}

/// An access to memory.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    /// Which memory.
    pub(crate) space: Space,
    /// Offset and length in bytes of each piece, without the dynamic indices.
    pub(crate) pieces: Vec<(u32, u32)>,
    /// Stride and range of each operand.
    pub(crate) indices: Vec<(u32, Range)>,
    /// Whether the first of them says where the variable begins.
    pub(crate) based: bool,
    /// The last constant index on the way to an array's element.
    pub(crate) constant: Option<u32>,
    /// What is done there.
    pub(crate) access: Access,
    /// Whether invocations may race for it, and whether a read must come after a write.
    pub(crate) races: bool,
    pub(crate) starts_unwritten: bool,
}

/// How memory is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Only read.
    Read,
    /// Only written.
    Write,
    /// Read in one step.
    AtomicRead,
    /// Changed in one step.
    AtomicWrite,
    /// Declared without a first value.
    Forget,
}

impl Access {
    /// Whether memory may be different afterwards.
    pub(crate) fn writes(self) -> bool {
        matches!(self, Self::Write | Self::AtomicWrite)
    }

    /// Whether it happens in one step.
    pub(crate) fn is_atomic(self) -> bool {
        matches!(self, Self::AtomicRead | Self::AtomicWrite)
    }
}

/// What a barrier puts in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Order {
    /// Workgroup memory.
    pub(crate) workgroup: bool,
    /// Storage buffers.
    pub(crate) storage: bool,
    /// Both, within a subgroup.
    pub(crate) subgroup: bool,
}
