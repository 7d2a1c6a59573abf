//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use super::harness;
use super::sample::Sample;

/// What the command line asks for.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The device, as `ANYWARP_DEVICE` names it; without it that variable and the default decide.
    pub(crate) device: Option<String>,
    /// Host and device memory are kept apart even where they are one.
    pub(crate) staged: bool,
    /// Only traces whose query and sub-parameters, joined by a blank, hold this text.
    pub(crate) filter: Option<String>,
    pub(crate) sample: Option<Sample>,
    pub(crate) list_failures: bool,
    /// Workers at a time.
    pub(crate) jobs: usize,
    /// A worker that says nothing for this long is ended.
    pub(crate) timeout: Duration,
    /// This process is a worker.
    pub(crate) worker: bool,
    pub(crate) dir: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments after the program's name.
    ///
    /// # Errors
    ///
    /// Names the argument that is wrong.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
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
                "--device" => options.device = Some(value()?),
                "--staged" => options.staged = true,
                "--filter" => options.filter = Some(value()?),
                "--sample" => percent = Some(number::<f64>(name, &value()?)?),
                "--seed" => seed = number(name, &value()?)?,
                "--list-failures" => options.list_failures = true,
                "--jobs" => options.jobs = number::<usize>(name, &value()?)?.max(1),
                "--timeout" => options.timeout = Duration::from_secs(number::<u64>(name, &value()?)?.max(1)),
                "--worker" => options.worker = true,
                // Taken and left alone.
                _ if harness::FLAGS.contains(&name) => {}
                _ if harness::VALUES.contains(&name) => drop(value()?),
                _ if name.starts_with('-') => return Err(format!("unknown option {name}")),
                _ if options.dir.is_some() => return Err(format!("a second folder, {argument}")),
                _ => options.dir = Some(PathBuf::from(argument)),
            }
        }
        options.sample = percent.map(|percent| Sample { percent, seed });
        Ok(options)
    }

    /// The arguments that make a worker of this program.
    pub(crate) fn for_worker(&self) -> Vec<String> {
        let mut arguments = vec!["--worker".to_owned()];
        if let Some(device) = &self.device {
            arguments.extend(["--device".to_owned(), device.clone()]);
        }
        if self.staged {
            arguments.push("--staged".to_owned());
        }
        arguments
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            device: None,
            staged: false,
            filter: None,
            sample: None,
            list_failures: false,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            timeout: Duration::from_secs(60),
            worker: false,
            dir: None,
        }
    }
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name} needs a number, not '{text}'"))
}
