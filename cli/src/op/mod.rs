//! `anywarp op`: runs one of the operators of `anywarp::ops` on arrays of files.
//!
//! [`all`] is the only list of operators: the command line, `--list`, the help and the runs come from its entries.

mod attention;
mod by_key;
mod call;
mod command;
mod conversions;
mod convolutions;
mod counting;
mod dense;
mod entry;
mod extremes;
mod fourier;
mod generated;
mod images;
mod joins;
mod list;
mod matmul;
mod numbers;
mod parameter;
mod places;
mod pools;
mod rearrangements;
mod reductions;
mod report;
mod rows;
mod scans;
mod scatters;
mod searches;
mod selections;
mod sequences;
mod shapes;
mod signals;
mod solvers;
mod sorts;
mod sparse;
mod takes;
mod texts;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anywarp::backend::Clock;

pub(crate) use call::{Call, Input, Solved};
pub(crate) use command::{OpArgs, example};
pub(crate) use entry::{Form, Operator, Port, Types};
pub(crate) use parameter::{Need, Values};

use crate::dtype::Dtype;
use crate::failure::{self, Failure};
use crate::matrices::EXTENSIONS;
use crate::npy::{self, Array};
use crate::run::{describe_device, open};
use crate::{load, matrices, preview, terminal, timing};

/// Every operator, by family.
const FAMILIES: &[&[Operator]] = &[
    reductions::OPERATORS,
    by_key::OPERATORS,
    scans::OPERATORS,
    selections::OPERATORS,
    sorts::OPERATORS,
    extremes::OPERATORS,
    searches::OPERATORS,
    counting::OPERATORS,
    matmul::OPERATORS,
    sparse::OPERATORS,
    dense::OPERATORS,
    solvers::OPERATORS,
    fourier::OPERATORS,
    signals::OPERATORS,
    rows::OPERATORS,
    attention::OPERATORS,
    convolutions::OPERATORS,
    pools::OPERATORS,
    images::OPERATORS,
    rearrangements::OPERATORS,
    joins::OPERATORS,
    takes::OPERATORS,
    scatters::OPERATORS,
    conversions::OPERATORS,
    sequences::OPERATORS,
    generated::OPERATORS,
    texts::OPERATORS,
];

/// Every operator.
pub(crate) fn all() -> impl Iterator<Item = &'static Operator> {
    FAMILIES.iter().copied().flatten()
}

/// An operator by its name.
pub(crate) fn named(name: &str) -> Option<&'static Operator> {
    all().find(|operator| operator.name == name)
}

/// Lists the operators, or runs one and prints its report.
pub(crate) fn op(arguments: &OpArgs, json: bool) -> Result<(), Failure> {
    let Some(chosen) = &arguments.chosen else {
        if arguments.list {
            return list::print(json);
        }
        return Err(Failure::Usage(
            "expected NAME or --list, found none: write anywarp op sum x.npy; anywarp op --list names all operators"
                .to_owned(),
        ));
    };
    let outputs = check_outputs(chosen)?;
    let start = Instant::now();
    let inputs =
        chosen.files.iter().map(|(port, text)| read(chosen.operator, port, text)).collect::<Result<Vec<_>, _>>()?;
    let device = open(chosen.device.as_deref())?;
    let load = start.elapsed();

    let result = run(chosen, &device, &inputs, outputs, load, json);
    let findings = device.findings();
    if findings.is_empty() {
        return result;
    }
    if !findings.has_errors() && !chosen.strict {
        failure::print_notes(&findings, json);
        return result;
    }
    if let Err(failure) = result {
        failure.print(json);
    }
    Err(Failure::Findings(findings))
}

/// The operator that the command line selects, with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) operator: &'static str,
    /// The files in the order of the ports, each with the name of its port.
    pub(crate) files: Vec<(&'static str, String)>,
    pub(crate) outputs: Vec<PathBuf>,
    pub(crate) values: Values,
    pub(crate) device: Option<String>,
    pub(crate) repeat: u32,
    pub(crate) print: Option<u64>,
    pub(crate) strict: bool,
}

fn run(
    chosen: &Chosen,
    device: &anywarp::Device,
    inputs: &[Input],
    outputs: &[PathBuf],
    load: Duration,
    json: bool,
) -> Result<(), Failure> {
    let operator = named(chosen.operator).ok_or_else(|| Failure::Usage(format!("{}: no operator", chosen.operator)))?;
    let start = Instant::now();
    let mut call = Call::record(operator, device, inputs, &chosen.values)?;
    device.synchronize()?;
    let prepare = start.elapsed();
    let (times, prepare) = match call.solved {
        Some(_) if chosen.repeat > 1 => {
            let (name, repeat) = (operator.name, chosen.repeat);
            return Err(Failure::Usage(format!(
                "--repeat {repeat}: expected 1, as {name} runs until it has converged, found {repeat}: leave it out"
            )));
        }
        Some(Solved { time, .. }) => (timing::Times::of(time), prepare.saturating_sub(time)),
        None => {
            call.recording.timed(true);
            (timing::measure(&call.recording, chosen.repeat, json)?, prepare)
        }
    };
    let printed = device.debug_output()?.to_string();
    // A closed stderr cannot be reported.
    let _ = std::io::stderr().lock().write_all(printed.as_bytes());
    let start = Instant::now();
    let arrays = call.read()?;
    let download = start.elapsed();
    let many = operator.outputs.iter().any(|port| port.form == Form::Rest);
    if !outputs.is_empty() && outputs.len() != arrays.len() {
        let (expected, found) = (arrays.len(), outputs.len());
        return Err(Failure::Usage(format!(
            "--out: expected {expected} files, one for each output, found {found}: name {expected} files"
        )));
    }
    let mut failed = Vec::new();
    for ((path, array), output) in outputs.iter().zip(&arrays).zip(&call.outputs) {
        if let Err(error) = std::fs::write(path, output.file(path, array)?) {
            let path = path.display();
            failed.push(format!(
                "--out {path}: expected to write the file after the run, {error}: check the folder and its free space"
            ));
        }
    }
    let shown = chosen.print.or((outputs.is_empty() && !json).then_some(preview::SHOWN)).unwrap_or(0);
    let name = |at: usize| if many { format!("output {}", at + 1) } else { operator.outputs[at].name.to_owned() };
    let describe = |(at, array): (usize, &Array)| report::Output::new(name(at), outputs.get(at), array, shown);
    let report = report::Report {
        device: describe_device(device),
        operator: operator.name,
        inputs: inputs.iter().map(report::Input::new).collect(),
        outputs: arrays.iter().enumerate().map(describe).collect(),
        repeat: chosen.repeat,
        clock: match times.clock {
            Clock::Device => "device",
            Clock::Host => "host",
        },
        timings_us: report::Timings { load, prepare, run: times.median(), run_min: times.min(), download },
        cost: call.cost.map(|cost| report::Cost { bytes: cost.bytes, flops: cost.flops }),
        solution: call.solved.map(|solved| report::Solution::new(solved.solution)),
    };
    let text = if json { serde_json::to_string_pretty(&report).unwrap_or_default() } else { report.table() };
    terminal::print(&text)?;
    if failed.is_empty() { Ok(()) } else { Err(Failure::File(failed.join("\n"))) }
}

/// Reads an input of an operator: a file, or a number on the command line.
fn read(operator: &str, port: &'static str, text: &str) -> Result<Input, Failure> {
    let form = named(operator).and_then(|known| known.inputs.iter().find(|known| known.name == port));
    let form = form.map(|port| port.form);
    if form == Some(Form::Rest) && text.parse::<f64>().is_ok() {
        let array = Array { dtype: Dtype::F8, shape: Vec::new(), bytes: Vec::new() };
        return Ok(Input { port, text: text.to_owned(), array, is_number: true, matrix: None });
    }
    let in_file = |message: String| Failure::File(format!("{text}: {message}"));
    let file = load::read(Path::new(text)).map_err(in_file)?;
    let (array, matrix) = if form == Some(Form::Matrix) {
        let matrix = matrices::parse(Path::new(text), &file).map_err(in_file)?;
        (
            Array { dtype: Dtype::F8, shape: matrix.shape.map(|extent| extent as u64).to_vec(), bytes: Vec::new() },
            Some(matrix),
        )
    } else {
        (npy::parse(file).map_err(in_file)?, None)
    };
    Ok(Input { port, text: text.to_owned(), array, is_number: false, matrix })
}

/// Returns the files of the outputs, after a check that they differ and that their names end as their contents require.
fn check_outputs(chosen: &Chosen) -> Result<&[PathBuf], Failure> {
    let ports = named(chosen.operator).map_or(&[][..], |operator| operator.outputs);
    for (at, path) in chosen.outputs.iter().enumerate() {
        let (shown, extension) = (path.display(), crate::source::extension(path));
        if ports.get(at).is_some_and(|port| port.form == Form::Matrix) {
            if !EXTENSIONS.contains(&&*extension) {
                let name = ports[at].name;
                return Err(Failure::Usage(format!(
                    "--out {shown}: expected FILE.mtx or FILE.npz, found '{shown}': write -o {name}.mtx"
                )));
            }
        } else if extension != "npy" {
            return Err(Failure::Usage(format!("--out {shown}: expected FILE.npy, found '{shown}': write -o y.npy")));
        }
        if chosen.outputs[..at].contains(path) {
            return Err(Failure::Usage(format!(
                "--out {shown}: expected a file for each output, found '{shown}' twice: choose another name"
            )));
        }
    }
    Ok(&chosen.outputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_different_and_each_entry_is_complete() {
        let names: Vec<&str> = all().map(|operator| operator.name).collect();
        for (at, operator) in all().enumerate() {
            let name = operator.name;
            assert!(!names[..at].contains(&name), "{name} is there twice");
            assert!(!operator.outputs.is_empty() && !operator.run.types.is_empty(), "{name}");
            let texts = operator.inputs.iter().chain(operator.outputs).map(|port| port.summary);
            let texts = texts.chain(operator.parameters.iter().map(|parameter| parameter.summary));
            for text in texts.chain([operator.summary]) {
                assert!(!text.is_empty() && !text.ends_with('.'), "{name}: '{text}'");
            }
            for parameter in operator.parameters {
                if let Need::Default(value) = parameter.need {
                    assert!(parameter.check(value).is_ok(), "{name}: --{} {value}", parameter.name);
                }
            }
        }
    }
}
