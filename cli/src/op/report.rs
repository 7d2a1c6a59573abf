//! The report of a call: as a table or as JSON.

use std::path::PathBuf;
use std::time::Duration;

use anywarp::backend::{Layout, Shape};
use anywarp::ops;
use serde::Serialize;

use super::call;
use crate::npy::{Array, dimensions};
use crate::report::{Device, microseconds};
use crate::{preview, terminal};

/// The report of one call of an operator. The field names are those of the JSON.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) device: Device,
    pub(super) operator: &'static str,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
    pub(super) repeat: u32,
    /// The clock of the run's time: `device` or `host`.
    pub(super) clock: &'static str,
    pub(super) timings_us: Timings,
    /// The least work of a call, where the operator states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cost: Option<Cost>,
    /// The outcome of a solver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) solution: Option<Solution>,
}

#[derive(Debug, Serialize)]
pub(super) struct Solution {
    iterations: u32,
    relative_residual: f64,
}

impl Solution {
    pub(super) fn new(solution: ops::Solution) -> Self {
        Self { iterations: solution.iterations, relative_residual: solution.relative_residual }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Input {
    name: &'static str,
    file: String,
    dtype: &'static str,
    shape: Vec<u64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Output {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    dtype: &'static str,
    shape: Vec<u64>,
    bytes: usize,
    /// The first elements, as text; in JSON only with `--print`.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Cost {
    pub(super) bytes: u64,
    pub(super) flops: u64,
}

/// Times in microseconds.
#[derive(Debug, Serialize)]
pub(super) struct Timings {
    /// Reading files, and opening the device.
    #[serde(serialize_with = "microseconds")]
    pub(super) load: Duration,
    /// Compiling kernels, and moving inputs to the device.
    #[serde(serialize_with = "microseconds")]
    pub(super) prepare: Duration,
    /// The operator alone: the median of all runs.
    #[serde(serialize_with = "microseconds")]
    pub(super) run: Duration,
    /// The time of the fastest run.
    #[serde(serialize_with = "microseconds")]
    pub(super) run_min: Duration,
    /// Reading results back.
    #[serde(serialize_with = "microseconds")]
    pub(super) download: Duration,
}

impl Input {
    pub(super) fn new(input: &call::Input) -> Self {
        let (dtype, shape) = (input.array.dtype.numpy(), input.array.shape.clone());
        Self { name: input.port, file: input.text.clone(), dtype, shape }
    }
}

impl Output {
    /// Describes an array with its first `shown` elements.
    pub(super) fn new(name: String, file: Option<&PathBuf>, array: &Array, shown: u64) -> Self {
        Self {
            name,
            file: file.map(|path| path.display().to_string()),
            dtype: array.dtype.numpy(),
            shape: array.shape.clone(),
            bytes: array.bytes.len(),
            preview: (shown > 0).then(|| head(array, shown)),
        }
    }
}

/// The first elements of an array; a single one without brackets.
fn head(array: &Array, shown: u64) -> String {
    let element = array.dtype.layout();
    if array.shape.is_empty() {
        return preview::format(&element, &array.bytes, element.size.into(), 1);
    }
    let (size, align) = (element.size, element.align);
    let shape = Shape::Array { stride: size, count: None, element: Box::new(element) };
    let layout = Layout { name: "array".to_owned(), size, align, shape };
    preview::format(&layout, &array.bytes, array.bytes.len() as u64, shown)
}

impl Report {
    /// The report as a table.
    pub(super) fn table(&self) -> String {
        let mut table = terminal::table();
        let Device { name, selector, kind, .. } = &self.device;
        table.add_row(["device".to_owned(), format!("{name} ({selector}, {kind})")]);
        for input in &self.inputs {
            let text = if input.shape.is_empty() && input.file.parse::<f64>().is_ok() {
                input.file.clone()
            } else {
                format!("{}: {} of shape {}", input.file, input.dtype, dimensions(&input.shape))
            };
            table.add_row([input.name.to_owned(), text]);
        }
        table.add_row(["prepare".to_owned(), terminal::duration(self.timings_us.prepare)]);
        table.add_row([self.operator.to_owned(), self.run_text()]);
        if let Some(Solution { iterations, relative_residual }) = &self.solution {
            let text = format!("{iterations} iterations, relative residual {relative_residual:.3e}");
            table.add_row(["solution".to_owned(), text]);
        }
        for output in &self.outputs {
            let what = format!("{} of shape {}", output.dtype, dimensions(&output.shape));
            let file = output.file.as_ref().map(|file| format!(", written to {file}")).unwrap_or_default();
            let values = output.preview.as_ref().map(|preview| format!(": {preview}")).unwrap_or_default();
            table.add_row([output.name.clone(), format!("{what}{file}{values}")]);
        }
        table.trim_fmt()
    }

    fn run_text(&self) -> String {
        let Timings { run, run_min, .. } = &self.timings_us;
        let median = terminal::duration(*run);
        let rate = self.cost.as_ref().map(|cost| cost.bytes as f64 / run.as_secs_f64() / 1e9);
        let rate = rate.filter(|rate| rate.is_finite()).map(|rate| format!(", {rate:.2} GB/s")).unwrap_or_default();
        match self.repeat {
            1 => format!("{median}{rate} ({} clock)", self.clock),
            runs => {
                let min = terminal::duration(*run_min);
                format!("{median} median, {min} least of {runs} runs{rate} ({} clock)", self.clock)
            }
        }
    }
}
