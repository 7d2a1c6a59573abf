//! The contents of debug memory, which kernels write and the host decodes.
//!
//! ```text
//! word 0        words requested so far; may exceed the capacity
//! word 1        records that were dropped
//! words 2..     records, each: site, global invocation id (x, y, z), arguments
//! ```
//!
//! A *site* is one call in the text. The numbers of sites are greater than zero, so in a buffer that was cleared
//! before, a zero ends the records. A record is written completely or not at all. The first record that does not fit is
//! the end: all later ones are counted as dropped.

use naga::Scalar;

/// The number of words of a record before its arguments.
pub(crate) const RECORD_HEADER: u32 = 4;
/// The number of words of the debug memory before its records.
pub(crate) const BUFFER_HEADER: u32 = 2;

/// The name and the parameters of a debug function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    /// The name of the function.
    pub(crate) name: String,
    /// The parameters of the function.
    pub(crate) parameters: Vec<Parameter>,
}

impl Signature {
    /// The number of words of all arguments.
    pub(crate) fn words(&self) -> u32 {
        self.parameters.iter().map(Parameter::words).sum()
    }
}

/// A parameter of a debug function: a scalar, or a vector of scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The name of the parameter.
    pub(crate) name: String,
    /// The type of the scalar, or of the components of the vector.
    pub(crate) scalar: Scalar,
    /// The number of components; `None` for a scalar.
    pub(crate) components: Option<u32>,
}

impl Parameter {
    /// The number of words of the argument.
    pub(crate) fn words(&self) -> u32 {
        self.components.unwrap_or(1) * scalar_words(self.scalar)
    }
}

/// The number of words of one scalar; at least one.
fn scalar_words(scalar: Scalar) -> u32 {
    u32::from(scalar.width).div_ceil(4)
}
