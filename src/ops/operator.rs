//! The errors that all operators share.

use super::error::OperationError;
use crate::error::BufferError;
use crate::submit::{Context, Refusal};

/// The name of an operator in error texts: in lower case, as within a sentence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operator(pub(crate) &'static str);

impl Operator {
    pub(crate) fn name(self) -> String {
        self.0.to_owned()
    }

    /// The error of an option or a size whose value is not possible.
    pub(crate) fn choice(self, argument: &'static str, expected: impl Into<String>, got: String) -> OperationError {
        OperationError::Choice { operator: self.name(), argument, expected: expected.into(), got }
    }

    /// The error of a shape with more than `limit` elements.
    pub(crate) fn too_large(self, argument: &str, shape: Vec<usize>, limit: u64) -> OperationError {
        OperationError::TooLarge { operator: self.name(), argument: argument.to_owned(), shape, limit }
    }

    /// The error of an invalid slice.
    pub(crate) fn slice(self, argument: &'static str) -> impl Fn(BufferError) -> OperationError {
        move |error| OperationError::Slice { operator: self.name(), argument: argument.to_owned(), error }
    }

    /// The error of an argument whose buffer is in use by a guard.
    pub(crate) fn in_use(self, argument: &str, guard: &'static str) -> OperationError {
        OperationError::InUse { operator: self.name(), argument: argument.to_owned(), guard }
    }

    /// The error of an argument or a destination that belongs to another device.
    pub(crate) fn other_device(self, ours: &Context, what: String, theirs: String) -> OperationError {
        OperationError::OtherDevice { operator: self.name(), what, ours: ours.selector.clone(), theirs }
    }

    /// The error of a command that `device` refused; `arguments` are the names of the command's buffers, in their
    /// order.
    pub(crate) fn refused(self, device: &Context, arguments: &[&str], refusal: Refusal) -> OperationError {
        match refusal {
            Refusal::InUse { index, guard } => self.in_use(arguments.get(index).unwrap_or(&""), guard),
            Refusal::OtherDevice { what, theirs } => self.other_device(device, format!("the {what}"), theirs),
            Refusal::Device(error) => {
                OperationError::Device { operator: self.name(), device: device.caps().name.clone(), error }
            }
        }
    }
}

/// Directs a builder of another operator to a destination.
macro_rules! directed {
    ($builder:expr, $destination:expr) => {
        match $destination {
            $crate::submit::Destination::Own => $builder,
            $crate::submit::Destination::Stream(ref stream) => $builder.on(stream),
            $crate::submit::Destination::Recording(recording) => $builder.record(recording),
        }
    };
}
pub(crate) use directed;
