//! The plan of an operator's call, as data.

/// The passes of one call and their costs, from shapes and capabilities only: the device is not accessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan<P> {
    /// The commands of the call in their order; none if the call has nothing to do.
    pub(crate) passes: Vec<P>,
    /// The size of the scratch memory, in bytes.
    pub(crate) scratch: u64,
    /// The number of arithmetic operations on elements: a multiplication with an addition counts as two.
    pub(crate) flops: u64,
    /// The least number of bytes that the call must read and write; repeated accesses are not counted.
    pub(crate) bytes: u64,
}

impl<P> Plan<P> {
    /// The plan of a call that has nothing to do.
    pub(crate) fn nothing() -> Self {
        Self { passes: Vec::new(), scratch: 0, flops: 0, bytes: 0 }
    }

    pub(crate) fn cost(&self) -> Cost {
        Cost { passes: self.passes.len(), scratch: self.scratch, flops: self.flops, bytes: self.bytes }
    }
}

/// The cost of an operator's call, to compare its time with the limits of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cost {
    /// The number of launches and library calls.
    pub passes: usize,
    /// The size of the scratch memory, in bytes.
    pub scratch: u64,
    /// The number of arithmetic operations on elements: a multiplication with an addition counts as two.
    pub flops: u64,
    /// The least number of bytes that the call must read and write; repeated accesses are not counted.
    pub bytes: u64,
}
