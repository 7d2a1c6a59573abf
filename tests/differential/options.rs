//! The command line.

use std::time::Duration;

use super::harness;

/// What the command line asks for.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Kernels to run, from this seed on.
    pub(crate) count: u64,
    pub(crate) seed: u64,
    /// About how many statements `main` has.
    pub(crate) size: usize,
    /// Child processes at a time.
    pub(crate) jobs: usize,
    pub(crate) devices: Vec<String>,
    /// Only the text of this seed's kernel is wanted.
    pub(crate) print: Option<u64>,
    /// Only the numbers about the kernels are wanted: nothing runs on a device.
    pub(crate) statistics: bool,
    /// How long one kernel may be shrunk.
    pub(crate) shrink: Duration,
    /// A child that says nothing for this long is ended.
    pub(crate) timeout: Duration,
    /// This process is a child.
    pub(crate) worker: bool,
    /// Nothing was asked for: a quick run, which may also end early.
    pub(crate) limit: Option<Duration>,
}

/// How long a run takes that was given no count, at most.
const QUICK: Duration = Duration::from_secs(45);

impl Options {
    /// Reads the arguments after the program's name; `None` where another test was asked for.
    ///
    /// # Errors
    ///
    /// Names the argument that is wrong.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (name, attached) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (argument.as_str(), None),
            };
            let mut value =
                || attached.clone().or_else(|| arguments.next()).ok_or_else(|| format!("{name} needs a value"));
            match name {
                "--count" => (options.count, options.limit) = (number(name, &value()?)?, None),
                "--seed" => options.seed = number(name, &value()?)?,
                "--size" => options.size = number::<usize>(name, &value()?)?.clamp(1, 1000),
                "--jobs" => options.jobs = number::<usize>(name, &value()?)?.max(1),
                "--devices" => options.devices = value()?.split(',').map(str::to_owned).collect(),
                "--print" => options.print = Some(number(name, &value()?)?),
                "--statistics" => options.statistics = true,
                "--shrink" => options.shrink = Duration::from_secs(number(name, &value()?)?),
                "--timeout" => options.timeout = Duration::from_secs(number::<u64>(name, &value()?)?.max(1)),
                "--worker" => options.worker = true,
                // Taken and left alone.
                _ if harness::FLAGS.contains(&name) => {}
                _ if harness::VALUES.contains(&name) => drop(value()?),
                _ if name.starts_with('-') => return Err(format!("unknown option {name}")),
                // `cargo test NAME` hands NAME to every test.
                _ => return Ok(None),
            }
        }
        Ok(Some(options))
    }

    /// The arguments of a child that runs `count` kernels from `seed` on.
    pub(crate) fn for_worker(&self, seed: u64, count: u64) -> Vec<String> {
        let pairs = [
            ("--seed", seed.to_string()),
            ("--count", count.to_string()),
            ("--size", self.size.to_string()),
            ("--devices", self.devices.join(",")),
            ("--shrink", self.shrink.as_secs().to_string()),
        ];
        let pairs = pairs.into_iter().flat_map(|(name, value)| [name.to_owned(), value]);
        ["--worker".to_owned()].into_iter().chain(pairs).collect()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            count: 300,
            seed: 1,
            size: 4,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            devices: vec!["cpu".to_owned(), "vulkan".to_owned()],
            print: None,
            statistics: false,
            shrink: Duration::from_secs(30),
            timeout: Duration::from_secs(60),
            worker: false,
            limit: Some(QUICK),
        }
    }
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name} needs a number, not '{text}'"))
}
