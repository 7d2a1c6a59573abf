//! Operators that the user defines in WGSL: elementwise operations and reductions.

use anywarp::UnifiedBuffer;
use anywarp::ops::{AnyInput, AnyOutputs, ElementwiseKernel, ReductionKernel, shaped};

use super::call::{Call, Input, upload};
use super::entry::{Form, Number, Operator, Port, Run, for_type};
use super::parameter::{Kind, Parameter};
use super::reductions::{self, AXIS, KEEP, SEGMENTS};
use crate::dtype::Dtype;
use crate::failure::Failure;

const INPUTS: &[Port] =
    &[Port::new("arguments", "The inputs in their order: files, or numbers").any().form(Form::Rest)];
const DECLARED: Parameter =
    Parameter::new("inputs", Kind::Text, "The inputs: 'x: T, y: T, a: f32'; T is any type").required();
const PREAMBLE: Parameter = Parameter::new("preamble", Kind::Text, "WGSL declarations that the other texts use");
const ALL: &[Dtype] =
    &[Dtype::F4, Dtype::U4, Dtype::I4, Dtype::F8, Dtype::U8, Dtype::I8, Dtype::F2, Dtype::U2, Dtype::I2];

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "elementwise",
        summary: "An operation on arrays, element by element, by WGSL: ElementwiseKernel",
        inputs: INPUTS,
        outputs: &[Port::new("outputs", "The outputs, with the joint shape of the inputs").any().form(Form::Rest)],
        parameters: &[
            DECLARED,
            Parameter::new("outputs", Kind::Text, "The outputs: 'z: T'").required(),
            Parameter::new("operation", Kind::Text, "The operation: 'z = a * x + y'").required(),
            PREAMBLE,
        ],
        run: Run { types: ALL, record: |call, _| elementwise(call) },
    },
    Operator {
        name: "reduction",
        summary: "A reduction by four WGSL expressions: ReductionKernel",
        inputs: &[INPUTS[0], SEGMENTS],
        outputs: &[Port::new("output", "The results, with the remaining sizes").any()],
        parameters: &[
            DECLARED,
            Parameter::new("output", Kind::Text, "The output: 'y: T'").required(),
            Parameter::new("map", Kind::Text, "The value of one element; by default the only input"),
            Parameter::new("combine", Kind::Text, "The combination of two values a and b: 'a + b'").required(),
            Parameter::new("finish", Kind::Text, "The result in terms of the combined value a"),
            Parameter::new("identity", Kind::Text, "The neutral element of --combine").required(),
            Parameter::new("accumulator", Kind::Text, "The type of combined values, if not that of the output"),
            PREAMBLE,
            AXIS,
            KEEP,
        ],
        run: Run { types: ALL, record: |call, _| reduction(call) },
    },
];

/// A buffer of any type.
trait AnyBuffer {
    fn input(&self, shape: Vec<usize>) -> AnyInput<'_>;
    fn output<'a>(&'a mut self, shape: Vec<usize>, outputs: &mut AnyOutputs<'a>);
    fn give(self: Box<Self>, call: &mut Call<'_>, shape: Vec<usize>);
}

impl<T: Number> AnyBuffer for UnifiedBuffer<T> {
    fn input(&self, shape: Vec<usize>) -> AnyInput<'_> {
        AnyInput::new(shaped(self, shape))
    }

    fn output<'a>(&'a mut self, shape: Vec<usize>, outputs: &mut AnyOutputs<'a>) {
        outputs.push(shaped(self, shape));
    }

    fn give(self: Box<Self>, call: &mut Call<'_>, shape: Vec<usize>) {
        call.output(*self, shape);
    }
}

/// Evaluates the expression for the Rust type of a declaration.
macro_rules! for_declared {
    ($dtype:expr, $letter:ident => $run:expr) => {
        for_type!([f32, u32, i32, f64, u64, i64, half::f16, u16, i16], $dtype, $letter => $run)
    };
}

fn elementwise(call: &mut Call<'_>) -> Result<(), Failure> {
    let text = |name| call.values.text(name).unwrap_or_default();
    let arguments = Arguments::new(call)?;
    let kernel = ElementwiseKernel::new(text("inputs"), text("outputs"), text("operation"))?;
    let kernel = kernel.name("of the command line").preamble(text("preamble"));
    let mut results: Vec<Box<dyn AnyBuffer>> = Vec::new();
    let length = arguments.shape.iter().product();
    for declared in text("outputs").split(',') {
        let dtype = arguments.type_of(declared)?;
        results.push(for_declared!(dtype, T => Ok(Box::new(call.empty::<T>(length)?) as Box<dyn AnyBuffer>))?);
    }
    let mut outputs = AnyOutputs::new();
    for result in &mut results {
        result.output(arguments.shape.clone(), &mut outputs);
    }
    kernel.call(&call.device).record(&mut call.recording).run(arguments.inputs(), outputs)?;
    for result in results {
        result.give(call, arguments.shape.clone());
    }
    Ok(())
}

fn reduction(call: &mut Call<'_>) -> Result<(), Failure> {
    let values = call.values;
    let text = |name| values.text(name).unwrap_or_default();
    let arguments = Arguments::new(call)?;
    let mut kernel = ReductionKernel::new(text("inputs"), text("output"))?.name("of the command line");
    kernel = kernel.combine(text("combine")).identity(text("identity")).preamble(text("preamble"));
    if let Some(map) = values.text("map") {
        kernel = kernel.map(map);
    }
    if let Some(finish) = values.text("finish") {
        kernel = kernel.finish(finish);
    }
    if let Some(accumulator) = values.text("accumulator") {
        kernel = kernel.accumulator(accumulator);
    }
    let dtype = arguments.type_of(text("output"))?;
    for_declared!(dtype, T => reductions::reduce::<T>(call, &kernel, arguments.inputs(), &arguments.shape))
}

/// The inputs of a call, with the types of their declarations.
struct Arguments {
    /// The letter or the name of each declared type, and the type of its argument.
    types: Vec<(String, Dtype)>,
    buffers: Vec<(Box<dyn AnyBuffer>, Vec<usize>)>,
    /// The shape to which all inputs are broadcast.
    shape: Vec<usize>,
}

impl Arguments {
    fn new(call: &Call<'_>) -> Result<Self, Failure> {
        let declared = call.values.text("inputs").unwrap_or_default();
        let names: Vec<&str> = declared.split(',').filter(|one| !one.trim().is_empty()).collect();
        let given: Vec<&Input> = call.inputs("arguments").collect();
        if names.len() != given.len() {
            let (expected, found) = (names.len(), given.len());
            return Err(Failure::Usage(format!(
                "--inputs '{declared}': expected {expected} files or numbers, found {found}: give one for each input"
            )));
        }
        // The type of a letter is that of the first file that is declared with it.
        let mut types: Vec<(String, Dtype)> = Vec::new();
        for (declared, input) in names.iter().zip(&given).filter(|(_, input)| !input.is_number) {
            types.push((word(declared).to_owned(), input.array.dtype));
        }
        let mut arguments = Self { types, buffers: Vec::new(), shape: Vec::new() };
        for (declared, input) in names.iter().zip(given) {
            let shape: Vec<usize> = input.array.shape.iter().map(|extent| *extent as usize).collect();
            arguments.shape = joint(&arguments.shape, &shape).ok_or_else(|| {
                let (ours, theirs) = (&arguments.shape, &shape);
                let text = &input.text;
                Failure::File(format!(
                    "{text}: expected a shape that can be broadcast to {ours:?}, found {theirs:?}: counted from the last \
                     dimension, sizes must be equal or 1"
                ))
            })?;
            let dtype = if input.is_number { arguments.type_of(declared)? } else { input.array.dtype };
            let buffer = for_declared!(dtype, T => Ok(if input.is_number {
                let number = T::parse(&input.text).ok_or_else(|| of_type(input, dtype))?;
                Box::new(call.device.buffer_from(&[number])?) as Box<dyn AnyBuffer>
            } else {
                Box::new(upload::<T>(&call.device, input)?) as Box<dyn AnyBuffer>
            }))?;
            arguments.buffers.push((buffer, shape));
        }
        Ok(arguments)
    }

    /// The type of a declaration: `x: T`.
    fn type_of(&self, declared: &str) -> Result<Dtype, Failure> {
        let word = word(declared);
        let known = self.types.iter().find(|(letter, _)| letter == word).map(|(_, dtype)| *dtype);
        known.or_else(|| Dtype::from_word(word)).ok_or_else(|| {
            let declared = declared.trim();
            Failure::Usage(format!(
                "'{declared}': expected the type of a file, or f32, f16, f64, i32, u32, i64, u64, i16 or u16, found '{word}': \
                 write one of these"
            ))
        })
    }

    fn inputs(&self) -> Vec<AnyInput<'_>> {
        self.buffers.iter().map(|(buffer, shape)| buffer.input(shape.clone())).collect()
    }
}

fn of_type(input: &Input, dtype: Dtype) -> Failure {
    let (text, word) = (&input.text, dtype.word());
    Failure::Usage(format!("{text}: expected a number of type {word}, found '{text}': write 1, or a file"))
}

/// The word for the type in a declaration such as `x: T`.
fn word(declared: &str) -> &str {
    declared.split_once(':').map_or(declared, |(_, word)| word).trim()
}

/// `numpy`'s joint shape; `None` if the shapes cannot be broadcast.
pub(crate) fn joint(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let size = |shape: &[usize], axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |at| shape[at]);
    (0..rank)
        .map(|axis| match (size(a, axis), size(b, axis)) {
            (1, other) | (other, 1) => Some(other),
            (one, other) => (one == other).then_some(one),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::joint;

    #[test]
    fn shapes_are_joined_as_numpy_does() {
        assert_eq!(joint(&[], &[3]), Some(vec![3]));
        assert_eq!(joint(&[2, 1], &[3]), Some(vec![2, 3]));
        assert_eq!(joint(&[1], &[0]), Some(vec![0]));
        assert_eq!(joint(&[2], &[3]), None);
    }
}
