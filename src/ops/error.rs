//! Errors of operators.

use anywarp_backend::BackendError;

use crate::error::{BufferError, Classified, Error, ErrorClass, KernelError, LaunchError, class_of, different_devices};

anywarp_backend::debug_as_display!(OperationError);

/// A call of an operator was refused; no part of it has run.
///
/// An [`Error`] converted from it returns it by [`Error::downcast_ref`]:
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
    /// A parameter, or the list of parameters, is written incorrectly.
    #[error("{operator}: parameter `{argument}`: {problem}")]
    Parameter {
        /// The operator.
        operator: String,
        /// The parameter as written.
        argument: String,
        /// The problem with it.
        problem: String,
    },
    /// A part of the kernel's text is missing or incorrect.
    #[error("{operator}: {what} {problem}")]
    Text {
        /// The operator.
        operator: String,
        /// `the operation`, `the identity`, ...
        what: &'static str,
        /// The problem with it.
        problem: String,
    },
    /// The numbers of arguments and parameters differ.
    #[error("{operator}: expected {}, got {got}{}", counted(expected, what), in_both_lists(in_place, expected))]
    Count {
        /// The operator.
        operator: String,
        /// `inputs` or `outputs`.
        what: &'static str,
        /// The parameters.
        expected: Vec<String>,
        /// The number of arguments.
        got: usize,
        /// The parameters that are in both lists, so that they are passed once, as outputs.
        in_place: Vec<String>,
    },
    /// An argument of another type. There are no implicit conversions.
    #[error("{operator}: '{argument}': expected {expected}, got {got}")]
    Type {
        /// The operator.
        operator: String,
        /// The argument.
        argument: String,
        /// The expected type, and the parameter that determined a letter.
        expected: String,
        /// The type of the argument.
        got: String,
    },
    /// A shape whose size is not the array's length.
    #[error(
        "{operator}: '{argument}' has {got} elements, but the shape {shape:?} needs {expected}; change one of the two"
    )]
    Length {
        /// The operator.
        operator: String,
        /// The argument.
        argument: String,
        /// The shape.
        shape: Vec<usize>,
        /// The number of elements of that shape.
        expected: usize,
        /// The number of elements of the array.
        got: usize,
    },
    /// A view that exceeds its array, writes one element twice, or is not permitted for this argument.
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
        /// The problem.
        problem: String,
    },
    /// Shapes that cannot be broadcast to a common shape.
    #[error(
        "{operator}: '{argument}' of shape {shape:?} cannot be broadcast to the shape {against:?} of the arguments before it; \
         counted from the last dimension, sizes must be equal or 1{}",
        column(argument, shape, against)
    )]
    Broadcast {
        /// The operator.
        operator: String,
        /// The argument.
        argument: String,
        /// Its shape.
        shape: Vec<usize>,
        /// The joint shape of all arguments before it.
        against: Vec<usize>,
    },
    /// An output whose shape is not that of the result.
    #[error("{operator}: the result has the shape {expected:?}, but the output '{argument}' has {got:?}")]
    Output {
        /// The operator.
        operator: String,
        /// The output.
        argument: String,
        /// The result's shape.
        expected: Vec<usize>,
        /// The output's shape.
        got: Vec<usize>,
    },
    /// The number of elements is unknown, or is given twice.
    #[error("{operator}: {problem}")]
    Size {
        /// The operator.
        operator: String,
        /// The problem.
        problem: &'static str,
    },
    /// An axis that is out of range, or that is given twice.
    #[error("{operator}: axis {axis} {problem} the shape {shape:?}{}", shape_first(shape))]
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
    /// More elements than kernels can count.
    #[error(
        "{operator}: {argument} has the shape {shape:?}, of too many elements: the limit is {limit}; split the work into several calls"
    )]
    TooLarge {
        /// The operator.
        operator: String,
        /// The argument, or `the result`.
        argument: String,
        /// The shape.
        shape: Vec<usize>,
        /// The greatest number of elements.
        limit: u64,
    },
    /// An output that the call cannot allocate: the caller must pass a buffer.
    #[error("{operator}: '{argument}' {problem}; call `run` with a buffer for it")]
    NotAllocated {
        /// The operator.
        operator: String,
        /// The output.
        argument: String,
        /// The reason why no buffer can be allocated for it.
        problem: &'static str,
    },
    /// An invalid slice.
    #[error("{operator}: '{argument}': {error}")]
    Slice {
        /// The operator.
        operator: String,
        /// The argument.
        argument: String,
        /// The problem with the slice.
        error: BufferError,
    },
    /// An array, stream or recording that belongs to another device.
    #[error("{operator} runs on {ours}, but {what} belongs to {theirs}: {}", different_devices(ours, theirs))]
    OtherDevice {
        /// The operator.
        operator: String,
        /// `'x'`, `the stream` or `the recording`.
        what: String,
        /// The device of the call.
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
    /// A buffer for the result, or for intermediate results, could not be allocated.
    #[error("{operator}: {error}")]
    Buffer {
        /// The operator.
        operator: String,
        /// The error of the buffer.
        error: BufferError,
    },
    /// A guard of an argument exists.
    #[error("{operator}: '{argument}' is in use by a {guard}; drop the guard first")]
    InUse {
        /// The operator.
        operator: String,
        /// The argument.
        argument: String,
        /// The guard.
        guard: &'static str,
    },
    /// A choice that is not possible for the arguments.
    #[error("{operator}: {argument} {got} is not possible; {expected}")]
    Choice {
        /// The operator.
        operator: String,
        /// `the precision`, ...
        argument: &'static str,
        /// The possible choices, in words.
        expected: String,
        /// The choice of the caller.
        got: String,
    },
    /// The backend failed.
    #[error("{operator} failed on {device}: {error}")]
    Device {
        /// The operator.
        operator: String,
        /// The device's name.
        device: String,
        /// The error of the backend.
        error: BackendError,
    },
}

/// `no inputs`, `1 input (x: f32)`, `2 inputs (x: f32, y: f32)`.
fn counted(parameters: &[String], plural: &str) -> String {
    let list = parameters.join(", ");
    match parameters.len() {
        0 => format!("no {plural}"),
        1 => format!("1 {} ({list})", plural.trim_end_matches('s')),
        count => format!("{count} {plural} ({list})"),
    }
}

/// The remedy where parameters that are in both lists were passed as inputs, too.
fn in_both_lists(in_place: &[String], inputs: &[String]) -> String {
    let names: Vec<String> = in_place.iter().map(|name| format!("'{name}'")).collect();
    let said = match names.as_slice() {
        [] => return String::new(),
        [name] => format!("; {name} is in both lists and is given once, as an output"),
        names => format!("; {} are in both lists and are given once, as outputs", names.join(", ")),
    };
    if inputs.is_empty() { said + ": pass `()` as the inputs" } else { said }
}

/// The remedy for an array that has as many elements as an axis other than the last.
fn column(argument: &str, shape: &[usize], against: &[usize]) -> String {
    let ([length], Some((_, others))) = (shape, against.split_last()) else { return String::new() };
    let Some(axis) = others.iter().position(|size| size == length) else { return String::new() };
    let ones: Vec<usize> =
        against[axis..].iter().enumerate().map(|(at, _)| if at == 0 { *length } else { 1 }).collect();
    let each = if against.len() == 2 { "row".to_owned() } else { format!("index of axis {axis}") };
    format!("; for one value per {each}: `shaped(&{argument}, {ones:?})`")
}

/// The remedy for an axis of arguments that may have no shape.
fn shape_first(shape: &[usize]) -> &'static str {
    if shape.len() == 1 { "; give an argument a shape first: `shaped(&x, [rows, columns])`" } else { "" }
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
