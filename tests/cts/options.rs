//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use super::harness;
use super::sample::Sample;

/// The options of the command line.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The device, in the form of `ANYWARP_DEVICE`; if absent, that variable or the default selects it.
    pub(crate) device: Option<String>,
    /// Separate memory for host and device, even on a device with unified memory.
    pub(crate) staged: bool,
    /// The text that query and sub-parameters, joined by a blank, must contain.
    pub(crate) filter: Option<String>,
    pub(crate) sample: Option<Sample>,
    pub(crate) list_failures: bool,
    /// The number of workers at a time.
    pub(crate) jobs: usize,
    /// A worker without a message for this long is ended.
    pub(crate) timeout: Duration,
    /// Whether this process is a worker.
    pub(crate) worker: bool,
    pub(crate) dir: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments after the program's name.
    ///
    /// # Errors
    ///
    /// The text names the wrong argument.
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
                // Options of the test harness that have no effect here.
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

    /// The arguments that make this program a worker.
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
