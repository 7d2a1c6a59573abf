//! Errors of operators.

use anywarp_backend::BackendError;

use crate::error::{BufferError, Classified, Error, ErrorClass, KernelError, LaunchError, class_of, different_devices};

anywarp_backend::debug_as_display!(OperationError);

/// The error of a refused call of an operator; no part of the call has run.
///
/// An [`Error`] converted from an `OperationError` returns the latter by [`Error::downcast_ref`]:
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
    /// A parameter of a kernel, or its list of parameters, is not written correctly.
    #[error("{operator}: parameter `{argument}`: {problem}")]
    Parameter {
        /// The name of the operator.
        operator: String,
        /// The parameter, as the caller wrote it.
        argument: String,
        /// The problem with the parameter.
        problem: String,
    },
    /// A part of the WGSL that the caller wrote for a kernel is missing or incorrect.
    #[error("{operator}: {what} {problem}")]
    Text {
        /// The name of the operator.
        operator: String,
        /// The part of the WGSL: `the operation`, `the identity`, ...
        what: &'static str,
        /// The problem with this part.
        problem: String,
    },
    /// A call has more or fewer arguments than the kernel has parameters.
    #[error("{operator}: expected {}, got {got}{}", counted(expected, what), in_both_lists(in_place, expected))]
    Count {
        /// The name of the operator.
        operator: String,
        /// The list with the wrong number of arguments: `inputs` or `outputs`.
        what: &'static str,
        /// The parameters of this list, written `name: type`.
        expected: Vec<String>,
        /// The number of arguments of the call in this list.
        got: usize,
        /// The parameters that are both inputs and outputs: a call passes each of them once, as an output.
        in_place: Vec<String>,
    },
    /// An argument has another type than its parameter. There are no implicit conversions.
    #[error("{operator}: '{argument}': expected {expected}, got {got}")]
    Type {
        /// The name of the operator.
        operator: String,
        /// The name of the argument.
        argument: String,
        /// The expected type; for a letter such as `T`, also the parameter that determined its type.
        expected: String,
        /// The type of the argument.
        got: String,
    },
    /// A shape has more or fewer elements than its array.
    #[error(
        "{operator}: '{argument}' has {got} elements, but the shape {shape:?} needs {expected}; change one of the two"
    )]
    Length {
        /// The name of the operator.
        operator: String,
        /// The name of the argument.
        argument: String,
        /// The shape.
        shape: Vec<usize>,
        /// The number of elements of the shape.
        expected: usize,
        /// The number of elements of the array.
        got: usize,
    },
    /// A view that exceeds its array, writes one element twice, or is not permitted for this argument.
    #[error("{operator}: '{argument}' of shape {shape:?} and strides {strides:?} {problem}")]
    View {
        /// The name of the operator.
        operator: String,
        /// The name of the argument.
        argument: String,
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<usize>,
        /// The problem with the view.
        problem: String,
    },
    /// Shapes that cannot be broadcast to a common shape.
    #[error(
        "{operator}: '{argument}' of shape {shape:?} cannot be broadcast to the shape {against:?} of the arguments before it; \
         counted from the last dimension, sizes must be equal or 1{}",
        column(argument, shape, against)
    )]
    Broadcast {
        /// The name of the operator.
        operator: String,
        /// The name of the argument.
        argument: String,
        /// The shape of the argument.
        shape: Vec<usize>,
        /// The shape to which all arguments before this argument are broadcast.
        against: Vec<usize>,
    },
    /// An output whose shape is not that of the result.
    #[error("{operator}: the result has the shape {expected:?}, but the output '{argument}' has {got:?}")]
    Output {
        /// The name of the operator.
        operator: String,
        /// The name of the output.
        argument: String,
        /// The result's shape.
        expected: Vec<usize>,
        /// The output's shape.
        got: Vec<usize>,
    },
    /// The number of elements is unknown, or is given twice.
    #[error("{operator}: {problem}")]
    Size {
        /// The name of the operator.
        operator: String,
        /// The problem with the number of elements.
        problem: &'static str,
    },
    /// An axis that is out of range, or that is given twice.
    #[error("{operator}: axis {axis} {problem} the shape {shape:?}{}", shape_first(shape))]
    Axis {
        /// The name of the operator.
        operator: String,
        /// The axis, counted from 0.
        axis: usize,
        /// `is out of range for` or `is given twice for`.
        problem: &'static str,
        /// The shape of the inputs.
        shape: Vec<usize>,
    },
    /// An array has more elements than the operator can process in one call.
    #[error(
        "{operator}: {argument} has the shape {shape:?}, of too many elements: the limit is {limit}; split the work into several calls"
    )]
    TooLarge {
        /// The name of the operator.
        operator: String,
        /// The name of the argument, or `the result`.
        argument: String,
        /// The shape.
        shape: Vec<usize>,
        /// The greatest permitted number of elements.
        limit: u64,
    },
    /// An output that the call cannot allocate: the caller must pass a buffer.
    #[error("{operator}: '{argument}' {problem}; call `run` with a buffer for it")]
    NotAllocated {
        /// The name of the operator.
        operator: String,
        /// The name of the output.
        argument: String,
        /// The reason why the call cannot allocate a buffer for the output.
        problem: &'static str,
    },
    /// An argument is an invalid slice of its buffer.
    #[error("{operator}: '{argument}': {error}")]
    Slice {
        /// The name of the operator.
        operator: String,
        /// The name of the argument.
        argument: String,
        /// The problem with the slice.
        error: BufferError,
    },
    /// An array, stream or recording that belongs to another device.
    #[error("{operator} runs on {ours}, but {what} belongs to {theirs}: {}", different_devices(ours, theirs))]
    OtherDevice {
        /// The name of the operator.
        operator: String,
        /// The object on the other device: an argument such as `'x'`, `the stream` or `the recording`.
        what: String,
        /// The device of the call.
        ours: String,
        /// The device to which this object belongs.
        theirs: String,
    },
    /// The WGSL of a kernel is not valid: the diagnostic shows the line as the caller wrote it.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The launch of a kernel was refused.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A buffer for the result, or for intermediate results, could not be allocated.
    #[error("{operator}: {error}")]
    Buffer {
        /// The name of the operator.
        operator: String,
        /// The reason why the buffer could not be allocated.
        error: BufferError,
    },
    /// The buffer of an argument is in use by a guard that the caller has not dropped.
    #[error("{operator}: '{argument}' is in use by a {guard}; drop the guard first")]
    InUse {
        /// The name of the operator.
        operator: String,
        /// The name of the argument.
        argument: String,
        /// The kind of guard.
        guard: &'static str,
    },
    /// An option or a size has a value that is not possible for this call.
    #[error("{operator}: {argument} {got} is not possible; {expected}")]
    Choice {
        /// The name of the operator.
        operator: String,
        /// The option or size: `the precision`, `a number of bins of`, ...
        argument: &'static str,
        /// The possible values, in words.
        expected: String,
        /// The value that the caller chose.
        got: String,
    },
    /// A file that cannot be read or written, or has other contents than expected.
    #[error("{operator}: '{file}': {problem}")]
    File {
        /// The name of the operator.
        operator: String,
        /// The path of the file, or `the bytes` for contents in memory.
        file: String,
        /// The place in the file, what was expected there, and what was found.
        problem: String,
    },
    /// The device reported an error.
    #[error("{operator} failed on {device}: {error}")]
    Device {
        /// The name of the operator.
        operator: String,
        /// The device's name.
        device: String,
        /// The error of the backend.
        error: BackendError,
    },
}

/// Returns the number and the list of parameters: `no inputs`, `1 input (x: f32)`, `2 inputs (x: f32, y: f32)`.
fn counted(parameters: &[String], plural: &str) -> String {
    let list = parameters.join(", ");
    match parameters.len() {
        0 => format!("no {plural}"),
        1 => format!("1 {} ({list})", plural.trim_end_matches('s')),
        count => format!("{count} {plural} ({list})"),
    }
}

/// Returns the remedy for a wrong number of arguments: parameters in both lists are passed once, as outputs.
fn in_both_lists(in_place: &[String], inputs: &[String]) -> String {
    let names: Vec<String> = in_place.iter().map(|name| format!("'{name}'")).collect();
    let said = match names.as_slice() {
        [] => return String::new(),
        [name] => format!("; {name} is both an input and an output: pass it once, as an output"),
        names => format!("; {} are both inputs and outputs: pass each once, as an output", names.join(", ")),
    };
    if inputs.is_empty() { said + ", and pass `()` as the inputs" } else { said }
}

/// Returns the remedy for an array that cannot be broadcast, but has as many elements as an axis other than the last.
fn column(argument: &str, shape: &[usize], against: &[usize]) -> String {
    let ([length], Some((_, others))) = (shape, against.split_last()) else { return String::new() };
    let Some(axis) = others.iter().position(|size| size == length) else { return String::new() };
    let ones: Vec<usize> =
        against[axis..].iter().enumerate().map(|(at, _)| if at == 0 { *length } else { 1 }).collect();
    let each = if against.len() == 2 { "row".to_owned() } else { format!("index of axis {axis}") };
    format!("; for one value per {each}: `shaped(&{argument}, {ones:?})`")
}

/// Returns the remedy for an axis of a shape with one dimension: the caller may have omitted the shape.
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
