//! What an operator is going to do, as data.

/// The passes of one call and what they cost, from shapes and capabilities alone: no device is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan<P> {
    /// The commands, in their order; none where there is nothing to do.
    pub(crate) passes: Vec<P>,
    /// Bytes of scratch memory.
    pub(crate) scratch: u64,
    /// Arithmetic operations on elements: a multiplication with an addition counts as two.
    pub(crate) flops: u64,
    /// Bytes that must be read and written at least, each once.
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

/// What a call of an operator costs, for comparing its time with the limits of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cost {
    /// Launches and library calls.
    pub passes: usize,
    /// Bytes of scratch memory.
    pub scratch: u64,
    /// Arithmetic operations on elements: a multiplication with an addition counts as two.
    pub flops: u64,
    /// Bytes that must be read and written at least, each once.
    pub bytes: u64,
}
