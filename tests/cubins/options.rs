//! The command line.

use std::path::PathBuf;

use crate::cts::sample::Sample;
use crate::operator_suite::harness;

/// The options of the command line.
pub(crate) struct Options {
    /// The architectures: 90 for `sm_90`.
    pub(crate) architectures: Vec<u32>,
    /// The selected part of the conformance cases.
    pub(crate) sample: Option<Sample>,
    /// The text that a kernel's name must contain.
    pub(crate) filter: Option<String>,
    /// Whether to include the suite `conformance`.
    pub(crate) conformance: bool,
    /// Whether to include the suite `operators`.
    pub(crate) operators: bool,
    pub(crate) list_failures: bool,
    /// The folder for the CUDA C++ of failures.
    pub(crate) keep: Option<PathBuf>,
    pub(crate) jobs: usize,
    /// The folder of conformance cases.
    pub(crate) dir: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments after the program's name; `None` where another test is selected.
    ///
    /// # Errors
    ///
    /// The text names the wrong argument.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self {
            architectures: vec![75, 80, 90, 100],
            sample: None,
            filter: None,
            conformance: true,
            operators: false,
            list_failures: false,
            keep: None,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            dir: None,
        };
        let (mut percent, mut seed) = (None, 0);
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (name, attached) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (argument.as_str(), None),
            };
            let mut value =
                || attached.clone().or_else(|| arguments.next()).ok_or_else(|| format!("{name} needs a value"));
            match name {
                "--arch" => options.architectures = architectures(&value()?)?,
                "--sample" => percent = Some(number::<f64>(name, &value()?)?),
                "--seed" => seed = number(name, &value()?)?,
                "--filter" => options.filter = Some(value()?),
                "--operators" => options.operators = true,
                "--no-suites" => options.conformance = false,
                "--list-failures" => options.list_failures = true,
                "--keep" => options.keep = Some(value()?.into()),
                "--jobs" => options.jobs = number::<usize>(name, &value()?)?.max(1),
                // Options of the test harness that have no effect here.
                _ if harness::FLAGS.contains(&name) => {}
                _ if harness::VALUES.contains(&name) => drop(value()?),
                _ if name.starts_with('-') => return Err(format!("unknown option {name}")),
                _ if options.dir.is_some() => return Err(format!("a second folder, {argument}")),
                _ => options.dir = Some(PathBuf::from(argument)),
            }
        }
        options.sample = percent.map(|percent| Sample { percent, seed });
        if options.dir.as_ref().is_some_and(|dir| !dir.is_dir() && dir.components().count() == 1) {
            // `cargo test NAME` passes NAME to every test; it selects another one.
            return Ok(None);
        }
        options.dir = options.dir.or_else(|| std::env::var_os("ANYWARP_CTS_DIR").map(PathBuf::from));
        if options.sample.is_some() && options.dir.is_none() {
            return Err("--sample needs the folder of the conformance cases, or ANYWARP_CTS_DIR".to_owned());
        }
        Ok(Some(options))
    }
}

fn architectures(text: &str) -> Result<Vec<u32>, String> {
    let one = |text: &str| number("--arch", text.trim().strip_prefix("sm_").unwrap_or(text.trim()));
    text.split(',').map(one).collect()
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name}: expected a number, got '{text}'"))
}
