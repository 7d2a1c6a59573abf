//! A location in memory: a space, an offset and checked indices.

use smallvec::SmallVec;

use super::value::Value;

/// The address space of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    /// The buffer bound to a slot: the number in `Program::bindings`.
    Binding(u32),
    /// Workgroup memory.
    Workgroup,
    /// The bytes of `var<immediate>`, read-only.
    Immediate,
    /// Private memory of the invocation. Offsets and strides count bytes of registers: every scalar has its class's
    /// size ([`Class::bytes`](super::Class::bytes)), whatever its type, and is aligned to it.
    Private,
    /// The part of private memory that several functions access: pointees of arguments, results, tables. Offsets have
    /// the same origin as those of [`Space::Private`]; the two spaces never share a byte at the same time.
    Passed,
}

impl Space {
    /// Whether the address space is private memory of one invocation.
    pub(crate) fn is_private(self) -> bool {
        matches!(self, Self::Private | Self::Passed)
    }
}

/// The number of elements that an index selects from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Count {
    /// A number known at compile time; at least 1.
    Fixed(u32),
    /// The length of the binding's runtime-sized array: [`Input::ArrayLength`](super::Input::ArrayLength).
    Runtime,
}

/// One dynamic index in the path to a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Index {
    /// The number of the element, as an unsigned [`Class::I32`](super::Class::I32).
    pub(crate) value: Value,
    /// The distance in bytes between elements.
    pub(crate) stride: u32,
    /// The number of elements. A read beyond the last element returns the last; a write or an atomic beyond it does
    /// nothing (an atomic returns 0).
    pub(crate) count: Count,
    /// Whether the index is proven to be below `count` in every invocation that is active where the place is used.
    pub(crate) proven: bool,
}

impl Index {
    /// The count of an index that is the start of a variable, which the caller of a function passes.
    pub(crate) const NO_LIMIT: Count = Count::Fixed(u32::MAX);

    /// Whether this index is the start of a variable that the caller of a function passes, not an index in the source.
    pub(crate) fn is_base(&self) -> bool {
        self.stride == 1 && self.count == Self::NO_LIMIT
    }
}

/// The place of a scalar in memory, at `offset` plus the sum of `index * stride`. The offset includes constant indices,
/// which are in range.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// The address space of the scalar.
    pub(crate) space: Space,
    /// The offset in bytes from the start of the memory, for dynamic indices of zero.
    pub(crate) offset: u32,
    /// The dynamic indices, outermost first.
    pub(crate) indices: SmallVec<[Index; 2]>,
}
