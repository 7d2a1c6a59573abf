//! One call: the assignment of arguments to parameters, and their checks.

use std::panic::Location;
use std::sync::Arc;

use super::super::error::OperationError;
use super::arguments::{Array, Given};
use super::operand::Operand;
use super::parameters::{Parameter, ParameterType};
use super::preface::parameter_of;
use super::shape::{Sizes, broadcast, elements};
use super::types::{ElementType, KNOWN};
use super::view;
use crate::error::LaunchError;
use crate::submit::{Context, Destination, Refusal};

/// The greatest number of elements of a call: kernels count elements in 32 bits, and the last workgroups also count
/// elements beyond the end.
pub(crate) const MAX_ELEMENTS: u64 = (1 << 32) - (1 << 16);

/// A letter that stands for a type, its type in one call, and the parameter that determined the type.
pub(crate) type Letter = (char, ElementType, String);

/// The name of a kernel that its caller has not named.
pub(crate) fn unnamed(kind: &str, line: &Location<'_>) -> String {
    format!("{kind} ({}:{})", line.file(), line.line())
}

/// The parameters of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    /// The name of the kernel, for errors.
    pub(crate) kernel: String,
    /// The inputs that are not also outputs.
    pub(crate) inputs: Vec<Parameter>,
    pub(crate) outputs: Vec<Parameter>,
    /// The outputs that are also inputs.
    pub(crate) in_place: Vec<String>,
}

impl Signature {
    /// Creates a signature, in which a parameter that is in both lists is an output that is changed in place.
    pub(crate) fn new(kernel: &str, inputs: Vec<Parameter>, outputs: Vec<Parameter>) -> Result<Self, OperationError> {
        let both = |input: &Parameter| outputs.iter().find(|output| output.name == input.name);
        if let Some((input, output)) =
            inputs.iter().filter_map(|input| Some((input, both(input)?))).find(|(input, output)| input != output)
        {
            return Err(OperationError::Parameter {
                operator: kernel.to_owned(),
                argument: input.to_string(),
                problem: format!(
                    "the outputs declare it as `{output}`; an array that is changed in place needs the same declaration in both lists"
                ),
            });
        }
        if let Some(input) = inputs.iter().find(|input| input.atomic && both(input).is_none()) {
            return Err(OperationError::Parameter {
                operator: kernel.to_owned(),
                argument: input.to_string(),
                problem: "only an output can be atomic; put it in the list of outputs".to_owned(),
            });
        }
        let (in_place, inputs): (Vec<_>, Vec<_>) = inputs.iter().cloned().partition(|input| both(input).is_some());
        let in_place = in_place.into_iter().map(|parameter| parameter.name).collect();
        Ok(Self { kernel: kernel.to_owned(), inputs, outputs, in_place })
    }

    /// Assigns an argument to each parameter: inputs, then outputs.
    pub(crate) fn operands<'a>(
        &self,
        device: &Arc<Context>,
        inputs: Vec<Given<'a>>,
        outputs: Vec<Given<'a>>,
    ) -> Result<(Vec<Operand<'a>>, Vec<Letter>), OperationError> {
        self.count("inputs", &self.inputs, inputs.len())?;
        self.count("outputs", &self.outputs, outputs.len())?;
        let (mut operands, mut letters) = (Vec::new(), Vec::new());
        for (parameter, given) in self.inputs.iter().zip(inputs) {
            operands.push(self.operand(device, parameter, given, (true, false), &mut letters)?);
        }
        for (parameter, given) in self.outputs.iter().zip(outputs) {
            let read = self.in_place.contains(&parameter.name);
            operands.push(self.operand(device, parameter, given, (read, true), &mut letters)?);
        }
        Ok((operands, letters))
    }

    /// The shape to which all inputs are broadcast.
    pub(crate) fn shape_of_inputs(
        &self,
        device: &Arc<Context>,
        inputs: &[Given<'_>],
        size: Option<usize>,
    ) -> Result<Sizes, OperationError> {
        self.count("inputs", &self.inputs, inputs.len())?;
        let mut shapes = Vec::new();
        for (parameter, given) in self.inputs.iter().zip(inputs) {
            if let (Given::Array(array), false) = (given, parameter.raw) {
                shapes.push((parameter.name.as_str(), self.check_array(device, parameter, array, false)?));
            }
        }
        self.join(shapes.iter().map(|(name, shape)| (*name, shape)), size)
    }

    /// Returns an error unless the destination belongs to the call's device.
    pub(crate) fn check_destination(
        &self,
        device: &Arc<Context>,
        destination: &Destination<'_>,
    ) -> Result<(), OperationError> {
        match destination.check(device) {
            Err(Refusal::OtherDevice { what, theirs }) => Err(OperationError::OtherDevice {
                operator: self.kernel.clone(),
                what: format!("the {what}"),
                ours: device.selector.clone(),
                theirs,
            }),
            _ => Ok(()),
        }
    }

    /// Returns an error unless `what` belongs to the device of the call.
    pub(crate) fn same_device(
        &self,
        ours: &Arc<Context>,
        what: &str,
        theirs: &Arc<Context>,
    ) -> Result<(), OperationError> {
        if Arc::ptr_eq(ours, theirs) {
            return Ok(());
        }
        Err(OperationError::OtherDevice {
            operator: self.kernel.clone(),
            what: what.to_owned(),
            ours: ours.selector.clone(),
            theirs: theirs.selector.clone(),
        })
    }

    pub(crate) fn count(&self, what: &'static str, parameters: &[Parameter], got: usize) -> Result<(), OperationError> {
        if parameters.len() == got {
            return Ok(());
        }
        let expected = parameters.iter().map(ToString::to_string).collect();
        let in_place = if what == "inputs" { self.in_place.clone() } else { Vec::new() };
        Err(OperationError::Count { operator: self.kernel.clone(), what, expected, got, in_place })
    }

    /// Whether the elements of this output are atomic.
    pub(crate) fn is_atomic(&self, name: &str) -> bool {
        self.outputs.iter().any(|output| output.atomic && output.name == name)
    }

    /// The error of a refused launch; it names parameters in place of the generated variables.
    pub(crate) fn refused(&self, mut error: LaunchError) -> OperationError {
        let parameter = |variable: &mut String| *variable = parameter_of(variable).to_owned();
        match &mut error {
            LaunchError::InUse { binding, guard, .. } => {
                let (operator, argument) = (self.kernel.clone(), parameter_of(binding).to_owned());
                return OperationError::InUse { operator, argument, guard };
            }
            LaunchError::Conflict { first, second, .. } => [first, second].into_iter().for_each(parameter),
            LaunchError::Length { binding, .. }
            | LaunchError::Offset { binding, .. }
            | LaunchError::Slice { binding, .. } => parameter(binding),
            _ => {}
        }
        OperationError::Launch(error)
    }

    fn operand<'a>(
        &self,
        device: &Arc<Context>,
        parameter: &Parameter,
        given: Given<'a>,
        (read, written): (bool, bool),
        letters: &mut Vec<Letter>,
    ) -> Result<Operand<'a>, OperationError> {
        let Parameter { name, raw, .. } = parameter;
        let element = self.element(parameter, &given, letters)?;
        let shape = match &given {
            Given::Value { .. } => Sizes::new(),
            Given::Array(array) => self.check_array(device, parameter, array, written)?,
        };
        Ok(Operand { name: name.clone(), element, raw: *raw, read, written, given, shape })
    }

    /// Returns the type of an argument; an error unless it is the type of the parameter.
    fn element(
        &self,
        parameter: &Parameter,
        given: &Given<'_>,
        letters: &mut Vec<Letter>,
    ) -> Result<ElementType, OperationError> {
        let wrong = |expected: String, got: String| OperationError::Type {
            operator: self.kernel.clone(),
            argument: parameter.name.clone(),
            expected,
            got,
        };
        let (came, got) = match given {
            Given::Value { element, .. } => (Some(*element), format!("a value of {element}")),
            Given::Array(array) => {
                let layout = array.layout();
                let came = ElementType::of(&layout);
                let name = came.map_or_else(|| layout.name.clone(), |element| element.to_string());
                (came, format!("an array of {name}"))
            }
        };
        let letter = |letter| letters.iter().find(|known| known.0 == letter);
        let (wanted, said) = match parameter.kind {
            ParameterType::Exact(element) => (Some(element), element.to_string()),
            ParameterType::Any(of) => match letter(of) {
                Some((_, element, by)) => (Some(*element), format!("{of}, which is {element} because of '{by}'")),
                None => (came, format!("{of}, which is one of {KNOWN}")),
            },
        };
        match (came, wanted, given) {
            (Some(_), _, Given::Value { .. }) if parameter.raw => {
                Err(wrong(format!("a raw array of {said}, which the operation indexes"), got))
            }
            (Some(came), Some(wanted), _) if came == wanted => {
                if let (ParameterType::Any(of), None) = (parameter.kind, letter_of(parameter.kind, letters)) {
                    letters.push((of, came, parameter.name.clone()));
                }
                Ok(came)
            }
            _ => Err(wrong(said, got)),
        }
    }

    /// Returns the shape of an array; an error for an array of another device, an invalid slice, or a shape or strides
    /// that the array does not permit.
    fn check_array(
        &self,
        device: &Arc<Context>,
        Parameter { name, raw, .. }: &Parameter,
        array: &Array<'_>,
        written: bool,
    ) -> Result<Sizes, OperationError> {
        let kernel = || self.kernel.clone();
        let bytes = array.bound.bytes.clone().map_err(|error| OperationError::Slice {
            operator: kernel(),
            argument: name.clone(),
            error: *error,
        })?;
        self.same_device(device, &format!("'{name}'"), &array.bound.core.device)?;
        let got = ((bytes.end - bytes.start) / array.size.max(1)) as usize;
        let Some(shape) = &array.shape else { return Ok(vec![got]) };
        if let Some(strides) = &array.strides {
            let raw = raw.then(|| "is raw, so the operation indexes it and it cannot have strides".to_owned());
            return match raw.or_else(|| view::fault(shape, strides, got, written)) {
                None => Ok(shape.clone()),
                Some(problem) => Err(self.wrong_view(name, shape, strides, problem)),
            };
        }
        match elements(shape) {
            Some(expected) if expected == got => Ok(shape.clone()),
            expected => Err(OperationError::Length {
                operator: kernel(),
                argument: name.clone(),
                shape: shape.clone(),
                expected: expected.unwrap_or(usize::MAX),
                got,
            }),
        }
    }

    pub(crate) fn wrong_view(&self, name: &str, shape: &[usize], strides: &[usize], problem: String) -> OperationError {
        let (operator, argument) = (self.kernel.clone(), name.to_owned());
        OperationError::View { operator, argument, shape: shape.to_vec(), strides: strides.to_vec(), problem }
    }

    /// The shape to which `operands` are broadcast, or `size` if all of them are values or raw arrays.
    pub(crate) fn shape<'o, 'a: 'o>(
        &self,
        operands: impl Iterator<Item = &'o Operand<'a>>,
        size: Option<usize>,
    ) -> Result<Sizes, OperationError> {
        let walked = operands.filter(|operand| operand.is_walked());
        self.join(walked.map(|operand| (operand.name.as_str(), &operand.shape)), size)
    }

    fn join<'o>(
        &self,
        shapes: impl Iterator<Item = (&'o str, &'o Sizes)>,
        size: Option<usize>,
    ) -> Result<Sizes, OperationError> {
        let mut joined: Option<Sizes> = None;
        for (name, own) in shapes {
            let shape = joined.get_or_insert_with(|| own.clone());
            let against = shape.clone();
            if !broadcast(shape, own) {
                let (kernel, parameter) = (self.kernel.clone(), name.to_owned());
                return Err(OperationError::Broadcast {
                    operator: kernel,
                    argument: parameter,
                    shape: own.clone(),
                    against,
                });
            }
        }
        let problem = match (joined, size) {
            (Some(shape), None) => return self.countable(shape),
            (None, Some(size)) => return self.countable(vec![size]),
            (None, None) => {
                "the number of elements is unknown, as every argument is a value or a raw array; set it with `size`"
            }
            (Some(_), Some(_)) => "the array arguments already determine the number of elements; omit `size`",
        };
        Err(OperationError::Size { operator: self.kernel.clone(), problem })
    }

    /// Returns the shape; an error if it has more elements than kernels can count.
    pub(crate) fn countable(&self, shape: Sizes) -> Result<Sizes, OperationError> {
        if elements(&shape).is_some_and(|count| count as u64 <= MAX_ELEMENTS) {
            return Ok(shape);
        }
        let argument = "the result".to_owned();
        Err(OperationError::TooLarge { operator: self.kernel.clone(), argument, shape, limit: MAX_ELEMENTS })
    }
}

fn letter_of(kind: ParameterType, letters: &[Letter]) -> Option<&Letter> {
    let ParameterType::Any(of) = kind else { return None };
    letters.iter().find(|known| known.0 == of)
}
