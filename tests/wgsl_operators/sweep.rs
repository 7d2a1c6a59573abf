//! One expression of WGSL, evaluated on a device for many rows of arguments in one dispatch.

use anywarp::backend::BackendKind;
use std::sync::Arc;

use anywarp::{Device, Wgsl};

use crate::operator_suite::edges::Row;
use crate::operator_suite::scalar::{Scalar, Value};
use crate::operator_suite::want::{Want, judge};
use anywarp_testing_devices::outcome::{TestResult, fail, skip};

/// The number and arrangement of a value's components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Scalar,
    Vector(usize),
    Matrix { columns: usize, rows: usize },
}

/// The type of an argument or a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Type {
    pub(crate) scalar: Scalar,
    pub(crate) shape: Shape,
}

impl Type {
    pub(crate) fn scalar(scalar: Scalar) -> Self {
        Self { scalar, shape: Shape::Scalar }
    }

    pub(crate) fn vector(scalar: Scalar, lanes: usize) -> Self {
        let shape = if lanes == 1 { Shape::Scalar } else { Shape::Vector(lanes) };
        Self { scalar, shape }
    }

    pub(crate) fn matrix(scalar: Scalar, columns: usize, rows: usize) -> Self {
        Self { scalar, shape: Shape::Matrix { columns, rows } }
    }

    pub(crate) fn lanes(self) -> usize {
        match self.shape {
            Shape::Scalar => 1,
            Shape::Vector(lanes) => lanes,
            Shape::Matrix { columns, rows } => columns * rows,
        }
    }

    pub(crate) fn name(self) -> String {
        let scalar = self.scalar.name();
        match self.shape {
            Shape::Scalar => scalar.to_owned(),
            Shape::Vector(lanes) => format!("vec{lanes}<{scalar}>"),
            Shape::Matrix { columns, rows } => format!("mat{columns}x{rows}<{scalar}>"),
        }
    }

    /// WGSL that reads value `i` from a buffer of scalars.
    fn load(self, buffer: &str) -> String {
        let lanes = self.lanes();
        let one = |lane| {
            let word = format!("{buffer}[i * {lanes}u + {lane}u]");
            if self.scalar == Scalar::Bool { format!("({word} != 0u)") } else { word }
        };
        let all: Vec<String> = (0..lanes).map(one).collect();
        if lanes == 1 { all[0].clone() } else { format!("{}({})", self.name(), all.join(", ")) }
    }

    /// WGSL that writes value `i` to a buffer of scalars.
    fn store(self, value: &str) -> String {
        let lanes = self.lanes();
        let one = |lane: usize| {
            let part = match self.shape {
                Shape::Scalar => value.to_owned(),
                Shape::Vector(_) => format!("{value}[{lane}]"),
                Shape::Matrix { rows, .. } => format!("{value}[{}][{}]", lane / rows, lane % rows),
            };
            let part = if self.scalar == Scalar::Bool { format!("select(0u, 1u, {part})") } else { part };
            format!("    result[i * {lanes}u + {lane}u] = {part};\n")
        };
        (0..lanes).map(one).collect()
    }
}

/// A function from a row of arguments to the expectation for each component of the result.
pub(crate) type Reference = Arc<dyn Fn(&[Vec<Value>]) -> Vec<Want> + Send + Sync>;

/// An expression and its expected results.
#[derive(Clone)]
pub(crate) struct Sweep {
    /// WGSL of the arguments `x`, `y`, `z` and `w`.
    pub(crate) expression: String,
    pub(crate) arguments: Vec<Type>,
    pub(crate) result: Type,
    /// WGSL statements before the expression.
    pub(crate) before: &'static str,
    pub(crate) rows: Arc<dyn Fn() -> Vec<Row> + Send + Sync>,
    pub(crate) reference: Reference,
    /// Features that the case needs in addition to those of its types.
    pub(crate) features: &'static [&'static str],
    /// The reason why only `cpu` can run the case, if there is one.
    pub(crate) only_cpu: Option<&'static str>,
}

const NAMES: [&str; 4] = ["x", "y", "z", "w"];
/// The number of wrong rows that are described; further rows are only counted.
const MAX_DESCRIBED: usize = 6;

impl Sweep {
    /// Evaluates every row and checks the results.
    pub(crate) fn run(&self, device: &Device) -> TestResult {
        let strict = device.caps().backend == BackendKind::Cpu;
        self.needs(device, strict)?;
        let rows = (self.rows)();
        let got = self.evaluate(device, &rows)?;
        let lanes = self.result.lanes();
        let (mut wrong, mut described) = (0, String::new());
        for (row, got) in rows.iter().zip(got.chunks(lanes)) {
            let wanted = (self.reference)(row);
            if !judge(row, &wanted, got, strict, |row| (self.reference)(row)) {
                wrong += 1;
                if wrong <= MAX_DESCRIBED {
                    described.push_str(&format!(
                        "\n  {} of {row:?}\n    expected {wanted:?}\n    got      {got:?}",
                        self.expression
                    ));
                }
            }
        }
        if wrong == 0 { Ok(()) } else { fail(format!("{wrong} of {} rows are wrong:{described}", rows.len())) }
    }

    fn needs(&self, device: &Device, strict: bool) -> TestResult {
        let types = self.arguments.iter().chain([&self.result]);
        let of_types = types.filter_map(|ty| ty.scalar.feature());
        let has = device.caps().feature_names();
        if let Some(missing) = of_types.chain(self.features.iter().copied()).find(|feature| !has.contains(feature)) {
            return skip(format!("the device has no {missing}"));
        }
        match self.only_cpu {
            Some(reason) if !strict => skip(reason),
            _ => Ok(()),
        }
    }

    fn evaluate(&self, device: &Device, rows: &[Row]) -> TestResult<Vec<Value>> {
        let source = self.source(rows.len());
        let kernel = device.kernel(Wgsl::new(&source).file("sweep.wgsl"))?;
        let mut buffers = Vec::new();
        for argument in 0..self.arguments.len() {
            let mut bytes: Vec<u8> = rows.iter().flat_map(|row| &row[argument]).flat_map(|v| v.to_bytes()).collect();
            // The size of a binding is a multiple of 4 bytes.
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            buffers.push(device.buffer_from(&bytes)?);
        }
        let size = self.result.scalar.size();
        let length = rows.len() * self.result.lanes() * size;
        // The buffer is filled with a pattern that no correct result has: in a zeroed buffer, a missing write of zero
        // would not be detected.
        let mut result = device.buffer_from(&vec![0xa5u8; length.next_multiple_of(4)])?;
        let launch = NAMES
            .iter()
            .zip(&buffers)
            .fold(kernel.launch(), |l, (name, buffer)| l.bind(format!("in_{name}").as_str(), buffer));
        launch.bind("result", &mut result).threads(rows.len())?;
        let bytes = result.read()?;
        Ok(bytes[..length].chunks(size).map(|bytes| Value::from_bytes(self.result.scalar, bytes)).collect())
    }

    fn source(&self, count: usize) -> String {
        let half = self.arguments.iter().chain([&self.result]).any(|ty| ty.scalar == Scalar::F16);
        let mut source = if half { "enable f16;\n".to_owned() } else { String::new() };
        for (at, (name, ty)) in NAMES.iter().zip(&self.arguments).enumerate() {
            let stored = ty.scalar.stored();
            source.push_str(&format!("@group(0) @binding({at}) var<storage, read> in_{name}: array<{stored}>;\n"));
        }
        let stored = self.result.scalar.stored();
        source.push_str(&format!("@group(0) @binding(9) var<storage, read_write> result: array<{stored}>;\n"));
        source.push_str("@compute @workgroup_size(64)\nfn main(@builtin(global_invocation_id) id: vec3<u32>) {\n");
        source.push_str(&format!("    let i = id.x;\n    if i >= {count}u {{ return; }}\n"));
        for (name, ty) in NAMES.iter().zip(&self.arguments) {
            source.push_str(&format!("    let {name}: {} = {};\n", ty.name(), ty.load(&format!("in_{name}"))));
        }
        let (before, expression) = (self.before, &self.expression);
        source.push_str(&format!("    {before}\n    let r: {} = {expression};\n", self.result.name()));
        source.push_str(&self.result.store("r"));
        source.push_str("}\n");
        source
    }
}
