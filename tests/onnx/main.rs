//! Runs the node tests of ONNX through the public operators of `anywarp::ops` on a device.
//!
//! `cargo test --test onnx -- [OPTION..] [DIR]`; `--help` lists the options. `DIR` is the folder
//! `onnx/backend/test/data/node` of the Python package `onnx` 1.22.0; without it, or the variable `ANYWARP_ONNX_DIR`,
//! nothing runs. The results are compared with those in the files, with the tolerances of ONNX's own runner, and a share
//! of the greatest result for Fourier transforms. `layers.py` makes another folder of cases: real layers, with the results
//! of onnxruntime.
//!
//! A case is a graph: one node, or several for a function that ONNX defines by simpler operators. `operators` computes
//! the nodes; a case with a node or a type that `operators` does not support is not run. The exit code is 1 if a case
//! fails, and with `--check` if fewer cases of a family pass than the table in the file says.

/// Fails with a formatted message.
macro_rules! fail {
    ($($text:tt)*) => { anywarp_testing_devices::outcome::fail(format!($($text)*)) };
}

mod array;
mod case;
mod compare;
mod document;
mod families;
mod graph;
mod known;
mod operators;
mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anywarp::Device;
use anywarp_testing_devices::libtest::HarnessOptions;
use clap::Parser;

use report::Report;

/// Runs the node tests of ONNX on a device.
#[derive(Debug, Parser)]
struct Options {
    /// The device, in the form of `ANYWARP_DEVICE`.
    #[arg(long, value_name = "SELECTOR", default_value = "cpu")]
    device: String,
    /// Only cases whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// The tolerance of floats beside 1e-3 of the expected value.
    #[arg(long, value_name = "NUMBER", default_value_t = compare::ABSOLUTE)]
    absolute: f64,
    /// Print each case with its outcome.
    #[arg(long)]
    list: bool,
    /// Fail if fewer cases pass than the tables of this document say.
    #[arg(long, value_name = "FILE", conflicts_with = "filter")]
    check: Option<PathBuf>,
    /// Write the document.
    #[arg(long, value_name = "FILE", conflicts_with = "filter")]
    write: Option<PathBuf>,
    /// The folder of cases, or `ANYWARP_ONNX_DIR`; without either no case runs.
    dir: Option<PathBuf>,
    #[command(flatten)]
    harness: HarnessOptions,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let Some(dir) = options.dir.clone().or_else(|| std::env::var_os("ANYWARP_ONNX_DIR").map(PathBuf::from)) else {
        println!("skipped: no DIR");
        return ExitCode::SUCCESS;
    };
    if !dir.is_dir() && dir.components().count() == 1 {
        // `cargo test NAME` passes NAME to every test, and NAME selects another test.
        println!("skipped: no DIR ('{}' is not a folder)", dir.display());
        return ExitCode::SUCCESS;
    }
    match run(&options, &dir) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("onnx: {problem}");
            ExitCode::from(2)
        }
    }
}

/// Runs the cases; returns whether none failed and, with `--check`, no number of passed cases fell.
fn run(options: &Options, dir: &Path) -> Result<bool, String> {
    let cases = case::in_folder(dir, options.filter.as_deref())?;
    let device = Device::open(&options.device).map_err(|error| error.to_string())?;
    println!("device: {}", device.caps().name);
    let started = Instant::now();
    let mut report = Report::default();
    for case in &cases {
        let outcome = known::judged(&case.name, &device.caps().name, case.run(&device, options.absolute));
        if options.list {
            println!("{}: {outcome}", case.name);
        }
        report.add(case, outcome);
    }
    print!("{report}");
    println!("{} cases in {:.1} s", cases.len(), started.elapsed().as_secs_f64());
    let mut holds = report.failures() == 0;
    if let Some(path) = &options.check {
        let text = read(path)?;
        for problem in document::check(&report, &text) {
            println!("{}: {problem}", path.display());
            holds = false;
        }
        if holds && text != document::document(&report) {
            println!("{} can be renewed: --write {0}", path.display());
        }
    }
    if let Some(path) = &options.write {
        let text = document::document(&report);
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(holds)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
