//! Errors of operators.

use anywarp_backend::BackendError;

use crate::error::{BufferError, Classified, Error, ErrorClass, KernelError, LaunchError, apart, class_of};

anywarp_backend::debug_as_display!(OperationError);

/// A matrix product or a call of a kernel of one line was refused; nothing of it has run.
///
/// An [`Error`] that was made of one gives it back by [`Error::downcast_ref`]:
///
/// ```
/// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::OperationError;
///
/// let device = anywarp::Device::open("cpu")?;
/// let (a, b) = (device.buffer::<f32>(6)?, device.buffer::<f32>(6)?);
/// let mut c = device.buffer::<f32>(5)?;
/// let error = anywarp::Error::from(anywarp::ops::matmul(&a, &b, &mut c, [2, 2, 3]).unwrap_err());
/// assert!(matches!(error.downcast_ref(), Some(OperationError::Length { .. })));
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
/// # fn main() {}
/// ```
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum OperationError {
    /// A parameter, or the list of them, is not written as it must be.
    #[error("{operator}: parameter `{argument}`: {problem}")]
    Parameter {
        /// The operator.
        operator: String,
        /// The parameter as written.
        argument: String,
        /// The problem with it.
        problem: String,
    },
    /// A part of the kernel's text is missing, or is not what it must be.
    #[error("{operator}: {what} {problem}")]
    Text {
        /// The operator.
        operator: String,
        /// `the operation`, `the identity`, ...
        what: &'static str,
        /// The problem with it.
        problem: String,
    },
    /// More or fewer arguments than parameters.
    #[error("{operator} takes {} ({}); got {got}", counted(expected.len(), what), expected.join(", "))]
    Count {
        /// The operator.
        operator: String,
        /// `inputs` or `outputs`.
        what: &'static str,
        /// The parameters.
        expected: Vec<String>,
        /// How many arguments came.
        got: usize,
    },
    /// An argument of another type. Nothing is converted silently.
    #[error("{operator}: '{argument}' must be {expected}; got {got}")]
    Type {
        /// The operator.
        operator: String,
        /// The argument.
        argument: String,
        /// Its type, and where a letter got its meaning.
        expected: String,
        /// The type of the argument.
        got: String,
    },
    /// A shape that is not the array's length.
    #[error("{operator}: '{argument}' has {got} elements; the shape {shape:?} needs {expected}: change one of the two")]
    Length {
        /// The operator.
        operator: String,
        /// The argument.
        argument: String,
        /// The shape.
        shape: Vec<usize>,
        /// Elements of that shape.
        expected: usize,
        /// Elements of the array.
        got: usize,
    },
    /// A view that reaches beyond its array, writes one element twice, or stands where there can be none.
    #[error("{operator}: '{argument}' of shape {shape:?} and strides {strides:?} {problem}")]
    View {
        /// The operator.
        operator: String,
        /// The argument.
        argument: String,
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<usize>,
        /// What is wrong.
        problem: String,
    },
    /// Shapes that cannot be stretched to one.
    #[error(
        "{operator}: '{argument}' of shape {shape:?} cannot be broadcast to the shape {against:?} of the arguments before it: \
         counted from the last dimension, sizes must be equal or 1"
    )]
    Broadcast {
        /// The operator.
        operator: String,
        /// The argument.
        argument: String,
        /// Its shape.
        shape: Vec<usize>,
        /// The shape of all parameters before it.
        against: Vec<usize>,
    },
    /// An output that is not of the result's shape.
    #[error("{operator}: the result has the shape {expected:?}; the output '{argument}' has {got:?}")]
    Output {
        /// The operator.
        operator: String,
        /// The output.
        argument: String,
        /// The result's shape.
        expected: Vec<usize>,
        /// The output's.
        got: Vec<usize>,
    },
    /// The number of elements is not known, or is given twice.
    #[error("{operator}: {problem}")]
    Size {
        /// The operator.
        operator: String,
        /// The problem.
        problem: &'static str,
    },
    /// An axis that is not one of the shape's, or that is given twice.
    #[error("{operator}: axis {axis} {problem} the shape {shape:?}")]
    Axis {
        /// The operator.
        operator: String,
        /// The axis.
        axis: usize,
        /// `is out of range for` or `is given twice for`.
        problem: &'static str,
        /// The shape of the inputs.
        shape: Vec<usize>,
    },
    /// More elements than kernels count.
    #[error(
        "{operator}: {argument} has the shape {shape:?}; the limit is {limit} elements: split the work over several calls"
    )]
    TooLarge {
        /// The operator.
        operator: String,
        /// The argument, or `the result`.
        argument: String,
        /// The shape.
        shape: Vec<usize>,
        /// The most that there may be.
        limit: u64,
    },
    /// An output that the call cannot allocate: the caller has to give a buffer.
    #[error("{operator}: '{argument}' {problem}: call `run` with a buffer for it")]
    NotAllocated {
        /// The operator.
        operator: String,
        /// The output.
        argument: String,
        /// The reason why no buffer can be made for it.
        problem: &'static str,
    },
    /// A bad slice.
    #[error("{operator}: '{argument}': {error}")]
    Slice {
        /// The operator.
        operator: String,
        /// The argument.
        argument: String,
        /// The problem with it.
        error: BufferError,
    },
    /// An array, a stream or a recording of another device.
    #[error("{operator} runs on {ours}, {what} is of {theirs}: {}", apart(ours, theirs))]
    OtherDevice {
        /// The operator.
        operator: String,
        /// `'x'`, `the stream` or `the recording`.
        what: String,
        /// The device that the call named.
        ours: String,
        /// The other device.
        theirs: String,
    },
    /// The WGSL is not valid: the diagnostic shows the line as the caller wrote it.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The launch was refused.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A buffer for the result, or for what comes between, could not be made.
    #[error("{operator}: {error}")]
    Buffer {
        /// The operator.
        operator: String,
        /// The error of the buffer.
        error: BufferError,
    },
    /// A guard of an argument is alive.
    #[error("{operator}: '{argument}' is in use by a {guard}: drop that first")]
    InUse {
        /// The operator.
        operator: String,
        /// The argument.
        argument: String,
        /// The guard.
        guard: &'static str,
    },
    /// A choice that does not go with the arguments.
    #[error("{operator}: {argument} {got} is not possible: {expected}")]
    Choice {
        /// The operator.
        operator: String,
        /// `the precision`, ...
        argument: &'static str,
        /// The choices that there are, in words.
        expected: String,
        /// The one that was made.
        got: String,
    },
    /// The backend failed.
    #[error("{operator} failed on {device}: {error}")]
    Device {
        /// The operator.
        operator: String,
        /// The device's name.
        device: String,
        /// The backend's reason.
        error: BackendError,
    },
}

/// `1 input`, `2 inputs`.
fn counted(count: usize, plural: &str) -> String {
    let what = if count == 1 { plural.trim_end_matches('s') } else { plural };
    format!("{count} {what}")
}

impl Classified for OperationError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Kernel(error) => error.class(),
            Self::Launch(error) => error.class(),
            Self::Buffer { error, .. } => error.class(),
            Self::Device { error, .. } => class_of(error),
            Self::InUse { .. } => ErrorClass::Retryable,
            Self::TooLarge { .. } => ErrorClass::Resource,
            _ => ErrorClass::Programmer,
        }
    }
}

impl From<OperationError> for Error {
    fn from(error: OperationError) -> Self {
        Self::part(error)
    }
}
