//! The inputs of an operator that is tuned: files, or arrays that are made.

use std::path::Path;

use crate::dtype::Dtype;
use crate::failure::Failure;
use crate::npy::{self, Array};
use crate::op::{Form, Input, Need, Operator, Port, Types, Values};
use crate::{load, matrices};

/// The source of the inputs.
pub(super) enum Given<'a> {
    Files(&'a [String]),
    Sizes { sizes: &'a [u64], dtype: Option<&'a str> },
}

/// The values of all parameters: those of `--set`, and defaults.
pub(super) fn values(operator: &Operator, sets: &[(String, String)]) -> Result<Values, Failure> {
    let mut values = Values::default();
    let known = || operator.parameters.iter().map(|parameter| parameter.name).collect::<Vec<_>>().join(", ");
    for (name, value) in sets {
        let parameter = operator.parameters.iter().find(|parameter| parameter.name == name).ok_or_else(|| {
            let known = if operator.parameters.is_empty() {
                "it has none".to_owned()
            } else {
                format!("choose one of {}", known())
            };
            Failure::Usage(format!("--set {name}: expected a parameter of {}, found '{name}': {known}", operator.name))
        })?;
        let value = parameter.check(value).map_err(|error| Failure::Usage(format!("--set {name}={value}: {error}")))?;
        values.texts.insert(name.clone(), value);
    }
    for parameter in operator.parameters {
        match parameter.need {
            Need::Default(value) => {
                values.texts.entry(parameter.name.to_owned()).or_insert_with(|| value.to_owned());
            }
            Need::Required if !values.texts.contains_key(parameter.name) => {
                let (name, example) = (parameter.name, parameter.kind.example());
                return Err(Failure::Usage(format!(
                    "{}: expected --set {name}=.., found none: write --set {name}={example}",
                    operator.name
                )));
            }
            _ => {}
        }
    }
    Ok(values)
}

/// The inputs, in the order of the ports.
pub(super) fn inputs(operator: &'static Operator, given: &Given<'_>) -> Result<Vec<Input>, Failure> {
    match given {
        Given::Files(files) => {
            let ports = operator.inputs.iter().filter(|port| port.form != Form::Named);
            let mut ports: Vec<&Port> = ports.collect();
            // The last port may take all remaining files.
            if let Some(last) = ports.last().copied().filter(|port| matches!(port.form, Form::Rest | Form::Files)) {
                ports.resize(files.len().max(ports.len()), last);
            }
            if files.len() > ports.len() {
                let (name, expected, found) = (operator.name, ports.len(), files.len());
                return Err(Failure::Usage(format!(
                    "{name}: expected at most {expected} files, found {found}: leave out the others"
                )));
            }
            ports.iter().zip(*files).map(|(port, file)| read(port, file)).collect()
        }
        Given::Sizes { sizes, dtype } => made(operator, sizes, *dtype),
    }
}

fn read(port: &Port, text: &str) -> Result<Input, Failure> {
    let in_file = |message: String| Failure::File(format!("{text}: {message}"));
    let file = load::read(Path::new(text)).map_err(in_file)?;
    let (array, matrix) = if port.form == Form::Matrix {
        let matrix = matrices::parse(Path::new(text), &file).map_err(in_file)?;
        (
            Array { dtype: Dtype::F8, shape: matrix.shape.map(|extent| extent as u64).to_vec(), bytes: Vec::new() },
            Some(matrix),
        )
    } else {
        (npy::parse(file).map_err(in_file)?, None)
    };
    Ok(Input { port: port.name, text: text.to_owned(), array, is_number: false, matrix })
}

fn made(operator: &'static Operator, sizes: &[u64], dtype: Option<&str>) -> Result<Vec<Input>, Failure> {
    let name = operator.name;
    let dtype = match dtype {
        None => operator.run.types[0],
        Some(word) => Dtype::of_elements(word).filter(|dtype| operator.run.types.contains(dtype)).ok_or_else(|| {
            let known = operator.run.types.iter().map(|dtype| dtype.word()).collect::<Vec<_>>().join(", ");
            Failure::Usage(format!(
                "--dtype {word}: expected one of {known} for {name}, found '{word}': choose one of these"
            ))
        })?,
    };
    let required = || operator.inputs.iter().filter(|port| !matches!(port.form, Form::Named | Form::Optional));
    if let Some(port) = required().find(|port| port.form != Form::Required) {
        return Err(Failure::Usage(format!(
            "--sizes: expected an operator whose inputs are arrays, found {name}, whose '{}' is not: give files instead",
            port.name
        )));
    }
    let shapes: Vec<Vec<u64>> = match (name, sizes) {
        ("matmul" | "wide_matmul" | "integer_matmul", &[n]) => vec![vec![n, n]; 2],
        ("matmul" | "wide_matmul" | "integer_matmul", &[m, k, n]) => vec![vec![m, k], vec![k, n]],
        ("conv", &[examples, channels, height, width, outputs, kernel]) => {
            vec![vec![examples, channels, height, width], vec![outputs, channels, kernel, kernel]]
        }
        ("matmul" | "wide_matmul" | "integer_matmul" | "conv", _) => {
            let (expected, example) =
                if name == "conv" { ("six sizes", "32,64,56,56,64,3") } else { ("N or M,K,N", "4096") };
            return Err(Failure::Usage(format!(
                "--sizes: expected {expected} for {name}, found {}: write --sizes {example}",
                sizes.len()
            )));
        }
        _ => vec![sizes.to_vec(); required().count()],
    };
    let pairs = required().zip(shapes).enumerate();
    pairs.map(|(at, (port, shape))| array(port, dtype, shape, at as u64)).collect()
}

/// An array of small numbers without order.
fn array(port: &Port, dtype: Dtype, shape: Vec<u64>, seed: u64) -> Result<Input, Failure> {
    let dtype = match port.types {
        Types::Of(types) => types[0],
        Types::T | Types::Any => dtype,
    };
    let too_large = || {
        let shape = npy::dimensions(&shape);
        Failure::Usage(format!(
            "--sizes: expected arrays below 2^40 bytes, found the shape {shape}: write smaller sizes"
        ))
    };
    let count = shape.iter().try_fold(1_u64, |all, extent| all.checked_mul(*extent)).filter(|count| *count < 1 << 37);
    let count = count.ok_or_else(too_large)?;
    let mut bytes = Vec::new();
    for at in 0..count {
        // The high bits of a product by an odd number are scrambled.
        let number = ((at + 7 * seed) as u32).wrapping_mul(2_654_435_761) >> 25;
        let unit = number as f32 / 128.0 - 0.5;
        match dtype {
            Dtype::B1 => bytes.push((number & 1) as u8),
            Dtype::U1 | Dtype::I1 => bytes.push(number as u8),
            Dtype::U2 | Dtype::I2 => bytes.extend((number as u16).to_le_bytes()),
            Dtype::F2 => bytes.extend(half::f16::from_f32(unit).to_le_bytes()),
            Dtype::U4 | Dtype::I4 => bytes.extend(number.to_le_bytes()),
            Dtype::F4 => bytes.extend(unit.to_le_bytes()),
            Dtype::U8 | Dtype::I8 => bytes.extend(u64::from(number).to_le_bytes()),
            Dtype::F8 => bytes.extend(f64::from(unit).to_le_bytes()),
        }
    }
    let array = Array { dtype, shape, bytes };
    Ok(Input { port: port.name, text: format!("--sizes: {}", port.name), array, is_number: false, matrix: None })
}
