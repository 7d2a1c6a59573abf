//! Cases, which are folders of files.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use anywarp::Device;
use anywarp_testing::onnx::{Kind, Model, Tensor};
use anywarp_testing_devices::outcome::{Stop, TestResult, skip};

use crate::array::{Array, Type};
use crate::compare::compare;
use crate::graph;

/// A case: a folder with a model, inputs and expected outputs.
pub(crate) struct Case {
    /// The name of the folder, without `test_`.
    pub(crate) name: String,
    /// The tested operator: the operator of the node, or of the case whose function this case expands.
    pub(crate) operator: String,
    /// Whether the operator is expanded to simpler operators.
    pub(crate) expanded: bool,
    model: Result<Model, String>,
    path: PathBuf,
}

/// The outcome of a case.
pub(crate) enum Outcome {
    Passed,
    /// The case was not run, for this reason.
    NotRun(String),
    /// The case failed, with this difference or error.
    Failed(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => write!(f, "passed"),
            Self::NotRun(reason) => write!(f, "not run: {reason}"),
            Self::Failed(text) => write!(f, "FAILED: {text}"),
        }
    }
}

/// Finds the cases of a folder whose names contain a text, in the order of the names.
///
/// # Errors
/// The text says that the folder has no cases or cannot be read.
pub(crate) fn in_folder(dir: &Path, filter: Option<&str>) -> Result<Vec<Case>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", dir.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.join("model.onnx").is_file() {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(format!("{} has no folder with a model.onnx", dir.display()));
    }
    paths.sort();
    let cases = paths.into_iter().map(Case::load);
    Ok(cases.filter(|case| filter.is_none_or(|text| case.name.contains(text))).collect())
}

fn model_at(path: &Path) -> Result<Model, String> {
    let bytes = std::fs::read(path.join("model.onnx")).map_err(|error| error.to_string())?;
    Model::read(&bytes)
}

fn operator_of(model: &Result<Model, String>) -> Option<String> {
    model.as_ref().ok()?.graph.nodes.first().map(|node| node.operator.clone())
}

impl Case {
    fn load(path: PathBuf) -> Self {
        let folder = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let model = model_at(&path);
        let base = folder.split_once("_expanded").map(|(base, _)| path.with_file_name(base));
        let operator = match &base {
            Some(base) => operator_of(&model_at(base)),
            None => operator_of(&model),
        };
        let name = folder.strip_prefix("test_").unwrap_or(&folder).to_owned();
        Self { name, operator: operator.unwrap_or_default(), expanded: base.is_some(), model, path }
    }

    pub(crate) fn run(&self, device: &Device, absolute: f64) -> Outcome {
        // A panic of the safe API counts as a failure.
        match catch_unwind(AssertUnwindSafe(|| self.compared(device, absolute))) {
            Ok(Ok(())) => Outcome::Passed,
            Ok(Err(Stop::Skip(reason))) => Outcome::NotRun(reason),
            Ok(Err(Stop::Fail(text))) => Outcome::Failed(text),
            Err(_) => Outcome::Failed("panicked".to_owned()),
        }
    }

    fn compared(&self, device: &Device, absolute: f64) -> TestResult {
        let model = match &self.model {
            Ok(model) => model,
            Err(problem) => return fail!("the model cannot be read: {problem}"),
        };
        for port in model.graph.inputs.iter().chain(&model.graph.outputs) {
            match port.kind {
                Kind::Tensor(number) => drop(Type::of(number)?),
                _ => return skip("sequences and optional values"),
            }
        }
        let mut inputs = Vec::new();
        for (at, port) in model.graph.inputs.iter().enumerate() {
            inputs.push((port.name.clone(), Array::upload(device, &self.tensor("input", at)?)?));
        }
        let outputs = graph::run(device, model, inputs)?;
        for (at, (port, output)) in model.graph.outputs.iter().zip(&outputs).enumerate() {
            let expected = self.tensor("output", at)?;
            compare((&port.name, &self.operator), output, &expected, absolute)?;
        }
        Ok(())
    }

    fn tensor(&self, kind: &str, at: usize) -> TestResult<Tensor> {
        let file = format!("test_data_set_0/{kind}_{at}.pb");
        let bytes = match std::fs::read(self.path.join(&file)) {
            Ok(bytes) => bytes,
            Err(error) => return fail!("{file}: {error}"),
        };
        Tensor::read(&bytes).or_else(|problem| fail!("{file}: {problem}"))
    }
}
