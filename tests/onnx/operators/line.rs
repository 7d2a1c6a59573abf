//! Kernels of one line of WGSL for each element, and conversions.

use anywarp::Device;
use anywarp::backend::{BackendKind, Capabilities};
use anywarp::ops::{self, AnyInput, AnyOutputs, ElementwiseKernel, shaped};
use anywarp_testing_devices::outcome::{TestResult, skip};

use crate::array::{Array, Type, by_type};

/// A line of WGSL. Its inputs are named `a`, `b`, .., and have the types that kernels compute with; its values are
/// named `p`, `q`, .., and are `f32`; its output is `y`. `T` is the type of `a`, and `Y` that of `y`.
#[derive(Clone, Copy)]
pub(crate) struct Line<'l> {
    pub(crate) operation: &'l str,
    pub(crate) preamble: &'l str,
    pub(crate) values: &'l [f32],
    /// The element type of the result.
    pub(crate) output: Type,
}

impl<'l> Line<'l> {
    pub(crate) fn new(operation: &'l str, output: Type) -> Self {
        Self { operation, preamble: "", values: &[], output }
    }

    pub(crate) fn values(self, values: &'l [f32]) -> Self {
        Self { values, ..self }
    }

    pub(crate) fn preamble(self, preamble: &'l str) -> Self {
        Self { preamble, ..self }
    }

    /// Applies the line to arrays, which are broadcast to one shape.
    pub(crate) fn apply(self, device: &Device, inputs: &[&Array]) -> TestResult<Array> {
        let inputs = inputs.iter().map(|input| wide(device, input)).collect::<TestResult<Vec<Array>>>()?;
        let output = wide_type(device, self.output)?;
        let shape = inputs.iter().try_fold(Vec::new(), |shape, input| broadcast(&shape, &input.shape))?;
        let mut parameters: Vec<String> =
            inputs.iter().zip('a'..).map(|(input, name)| format!("{name}: {}", wgsl(input.kind))).collect();
        parameters.extend(self.values.iter().zip('p'..).map(|(_, name)| format!("{name}: f32")));
        let first = inputs.first().map_or(output, |input| input.kind);
        expect_functions(device, first, self.operation)?;
        let aliases = format!("alias T = {};\nalias Y = {};\n{}", wgsl(first), wgsl(output), self.preamble);
        let kernel = ElementwiseKernel::new(&parameters.join(", "), &format!("y: {}", wgsl(output)), self.operation)?;
        let kernel = kernel.name("of a node").preamble(&aliases);
        let mut arguments = Vec::new();
        for input in &inputs {
            arguments.push(argument(input)?);
        }
        arguments.extend(self.values.iter().map(|value| AnyInput::new(*value)));
        let result = by_type!(output, [F32: f32, F64: f64, F16: half::f16, I32: i32, I64: i64, U32: u32, U64: u64], R => {
            Array::written::<R>(device, output, shape.clone(), |y| {
                let mut outputs = AnyOutputs::new();
                outputs.push(shaped(y, shape));
                Ok(kernel.run(device, arguments, outputs)?)
            })
        })?;
        converted(device, &result, self.output)
    }
}

fn argument(input: &Array) -> TestResult<AnyInput<'_>> {
    by_type!(input.kind, [F32: f32, F64: f64, F16: half::f16, I32: i32, I64: i64, U32: u32, U64: u64], R => {
        Ok(AnyInput::new(shaped(input.get::<R>()?, input.shape.clone())))
    })
}

/// The shape that two shapes are broadcast to, by NumPy's rules.
pub(crate) fn broadcast(a: &[usize], b: &[usize]) -> TestResult<Vec<usize>> {
    let rank = a.len().max(b.len());
    let at = |shape: &[usize], axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis]);
    let sizes = (0..rank).map(|axis| match (at(a, axis), at(b, axis)) {
        (a, b) if a == b || b == 1 => Ok(a),
        (1, b) => Ok(b),
        _ => fail!("shapes {a:?} and {b:?} cannot be broadcast"),
    });
    sizes.collect()
}

/// The type with which kernels of a device compute elements of this type.
pub(crate) fn wide_type(device: &Device, kind: Type) -> TestResult<Type> {
    let has = |feature| device.caps().shader.contains(feature);
    match kind {
        Type::I8 | Type::I16 | Type::I32 => Ok(Type::I32),
        Type::U8 | Type::U16 | Type::U32 | Type::Bool => Ok(Type::U32),
        Type::F16 if has(Capabilities::SHADER_FLOAT16) => Ok(Type::F16),
        Type::F32 | Type::F16 | Type::Bf16 => Ok(Type::F32),
        Type::F64 if has(Capabilities::FLOAT64) => Ok(Type::F64),
        Type::I64 | Type::U64 if has(Capabilities::SHADER_INT64) => Ok(kind),
        Type::F64 | Type::I64 | Type::U64 => skip(format!("the device has no arithmetic of {kind:?}")),
    }
}

/// Skips the case if it needs exponentials, logarithms or similar functions of `f64` on a device whose kernels become
/// SPIR-V or HLSL, which have these functions for floats of 16 and 32 bits only.
pub(crate) fn expect_functions(device: &Device, kind: Type, text: &str) -> TestResult {
    const FUNCTIONS: [&str; 6] = ["exp", "log", "pow", "sin", "cos", "tan"];
    let native = matches!(device.caps().backend, BackendKind::Cpu | BackendKind::Cuda);
    let is_called = || FUNCTIONS.iter().any(|name| text.contains(name));
    if kind == Type::F64 && !native && is_called() {
        return skip("the device has no exp, log and the like of f64");
    }
    Ok(())
}

/// The array converted to the type that kernels compute with.
pub(crate) fn wide(device: &Device, array: &Array) -> TestResult<Array> {
    converted(device, array, wide_type(device, array.kind)?)
}

fn wgsl(wide: Type) -> &'static str {
    match wide {
        Type::F64 => "f64",
        Type::F16 => "f16",
        Type::I32 => "i32",
        Type::I64 => "i64",
        Type::U32 => "u32",
        Type::U64 => "u64",
        _ => "f32",
    }
}

/// Converts an array as ONNX's `Cast` does: every number except 0 is true.
pub(crate) fn cast(device: &Device, array: &Array, to: Type) -> TestResult<Array> {
    match to {
        Type::Bool if array.kind != Type::Bool => Line::new("y = u32(a != T(0))", to).apply(device, &[array]),
        _ => converted(device, array, to),
    }
}

/// Converts the numbers of an array to another type, as Rust's `as` does; booleans are bytes.
pub(crate) fn converted(device: &Device, array: &Array, to: Type) -> TestResult<Array> {
    match (array.kind, to) {
        (from, to) if from == to => return Ok(array.clone()),
        (Type::Bool, Type::U8) | (Type::U8, Type::Bool) => return Ok(array.named(to)),
        _ => {}
    }
    by_type!(array.kind, T => by_type!(to, U => {
        Array::written::<U>(device, to, array.shape.clone(), |y| Ok(ops::cast::<T, U>(array.get::<T>()?, y)?))
    }))
}
