//! Why a one-line kernel was refused.

use crate::error::{BufferError, KernelError, LaunchError};

/// An [`ElementwiseKernel`](super::super::ElementwiseKernel) or
/// [`ReductionKernel`](super::super::ReductionKernel) was refused; nothing of it has run.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OperationError {
    /// A parameter, or the list of them, is not written as it must be.
    #[error("{kernel}: parameter `{parameter}`: {problem}")]
    Parameter {
        /// The kernel.
        kernel: String,
        /// The parameter as written.
        parameter: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A part of the kernel's text is missing, or is not what it must be.
    #[error("{kernel}: {what} {problem}")]
    Text {
        /// The kernel.
        kernel: String,
        /// `the operation`, `the identity`, ...
        what: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// More or fewer arguments than parameters.
    #[error("{kernel} takes {} {what} ({}); got {got}", expected.len(), expected.join(", "))]
    Count {
        /// The kernel.
        kernel: String,
        /// `inputs` or `outputs`.
        what: &'static str,
        /// The parameters.
        expected: Vec<String>,
        /// How many arguments came.
        got: usize,
    },
    /// An argument of another type. Nothing is converted silently.
    #[error("{kernel}: '{parameter}' is {expected}; got {got}")]
    Type {
        /// The kernel.
        kernel: String,
        /// The parameter.
        parameter: String,
        /// Its type, and where a letter got its meaning.
        expected: String,
        /// What came.
        got: String,
    },
    /// A shape that is not the array's length.
    #[error("{kernel}: '{parameter}' was given the shape {shape:?}, which is {expected} elements; it has {got}")]
    Shape {
        /// The kernel.
        kernel: String,
        /// The parameter.
        parameter: String,
        /// The shape.
        shape: Vec<usize>,
        /// Elements of that shape.
        expected: usize,
        /// Elements of the array.
        got: usize,
    },
    /// Shapes that cannot be stretched to one.
    #[error(
        "{kernel}: '{parameter}' of shape {shape:?} does not fit the shape {against:?} of those before it: sizes must \
         agree from the last one on, or be 1"
    )]
    Broadcast {
        /// The kernel.
        kernel: String,
        /// The parameter.
        parameter: String,
        /// Its shape.
        shape: Vec<usize>,
        /// The shape of all parameters before it.
        against: Vec<usize>,
    },
    /// An output that is not of the result's shape.
    #[error("{kernel}: the result has the shape {expected:?}; the output '{parameter}' has {got:?}")]
    Output {
        /// The kernel.
        kernel: String,
        /// The output.
        parameter: String,
        /// The result's shape.
        expected: Vec<usize>,
        /// The output's.
        got: Vec<usize>,
    },
    /// No array tells how many elements there are, or one does and so does the caller.
    #[error("{kernel}: {problem}")]
    Size {
        /// The kernel.
        kernel: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// An axis that is not one of the shape's, or that is given twice.
    #[error("{kernel}: axis {axis} {problem} the shape {shape:?}")]
    Axis {
        /// The kernel.
        kernel: String,
        /// The axis.
        axis: usize,
        /// `is outside of` or `is given twice for`.
        problem: &'static str,
        /// The shape of the inputs.
        shape: Vec<usize>,
    },
    /// More elements than kernels count.
    #[error("{kernel}: the shape {shape:?} has more than {limit} elements: split the work over several calls")]
    TooLarge {
        /// The kernel.
        kernel: String,
        /// The shape.
        shape: Vec<usize>,
        /// The most that there may be.
        limit: u64,
    },
    /// An output that is also an input has to be brought by the caller.
    #[error("{kernel}: '{parameter}' {problem}: call `run` with a buffer for it")]
    NotAllocated {
        /// The kernel.
        kernel: String,
        /// The output.
        parameter: String,
        /// Why no buffer can be made for it.
        problem: &'static str,
    },
    /// A bad slice.
    #[error("{kernel}: '{parameter}': {error}")]
    Slice {
        /// The kernel.
        kernel: String,
        /// The parameter.
        parameter: String,
        /// What is wrong with it.
        error: BufferError,
    },
    /// An array or a recording of another device.
    #[error("{kernel} runs on {ours}, {what} is of {theirs}: all must be of one device")]
    OtherDevice {
        /// The kernel.
        kernel: String,
        /// `'x'` or `the recording`.
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
    #[error("{kernel}: {error}")]
    Buffer {
        /// The kernel.
        kernel: String,
        /// What was refused.
        error: BufferError,
    },
}
