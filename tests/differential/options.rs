//! The command line.

use std::time::Duration;

use anywarp::Device;

use super::ast::Program;
use super::generate::generate;
use super::run::Mode;
use super::{harness, hostile};

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
    /// Where they run; those of the bias where none is named.
    pub(crate) devices: Vec<String>,
    /// Only the text of this seed's kernel is wanted.
    pub(crate) print: Option<u64>,
    /// Only the numbers about the kernels are wanted: nothing runs on a device.
    pub(crate) statistics: bool,
    /// How long one kernel may be shrunk.
    pub(crate) shrink: Duration,
    /// A child that says nothing for this long is ended.
    pub(crate) timeout: Duration,
    pub(crate) bias: Bias,
    /// This process is a child.
    pub(crate) worker: bool,
    /// This process is a child for this loop without an end.
    pub(crate) endless: Option<usize>,
    /// Nothing was asked for: a quick run, which may also end early.
    pub(crate) limit: Option<Duration>,
}

/// What kernels are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bias {
    /// All that WGSL defines.
    None,
    /// Indices out of range and loops of all kinds.
    Checks,
}

impl Bias {
    fn named(name: &str) -> Result<Self, String> {
        [Self::None, Self::Checks]
            .into_iter()
            .find(|bias| bias.name() == name)
            .ok_or_else(|| format!("--bias is none or checks, not '{name}'"))
    }

    /// Where such kernels run unless devices are named. What Vulkan's drivers make of loops that few programs have is
    /// for whoever asks.
    fn devices(self) -> [&'static str; 2] {
        match self {
            Self::None => ["cpu", "vulkan"],
            Self::Checks => ["cpu", "cpu:checked"],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Checks => "checks",
        }
    }
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
                "--bias" => options.bias = Bias::named(&value()?)?,
                "--endless" => options.endless = Some(number(name, &value()?)?),
                "--worker" => options.worker = true,
                // Taken and left alone.
                _ if harness::FLAGS.contains(&name) => {}
                _ if harness::VALUES.contains(&name) => drop(value()?),
                _ if name.starts_with('-') => return Err(format!("unknown option {name}")),
                // `cargo test NAME` hands NAME to every test.
                _ => return Ok(None),
            }
        }
        if options.devices.is_empty() {
            options.devices = options.bias.devices().iter().map(|device| (*device).to_owned()).collect();
        }
        Ok(Some(options))
    }

    /// The kernel of a seed.
    pub(crate) fn kernel(&self, seed: u64) -> Program {
        match self.bias {
            Bias::None => generate(seed, self.size),
            Bias::Checks => hostile::generate(seed, self.size),
        }
    }

    /// What a list of known faults calls the kernel of a seed.
    pub(crate) fn label(&self, seed: u64) -> String {
        match self.bias {
            Bias::None => format!("seed {seed}, size {}", self.size),
            Bias::Checks => format!("seed {seed}, size {}, bias checks", self.size),
        }
    }

    /// How this device is to keep kernels in range.
    pub(crate) fn modes(&self, device: &Device) -> &'static [Mode] {
        match self.bias {
            _ if device.caps().checked => &[Mode::Explicit],
            Bias::None => &[Mode::Proven],
            Bias::Checks => &[Mode::Proven, Mode::Driver],
        }
    }

    /// How many kernels a child runs: small ones, many.
    pub(crate) fn batch(&self) -> u64 {
        match self.bias {
            Bias::None => 25,
            Bias::Checks => 200,
        }
    }

    /// The arguments that make the kernel of a seed again, but for `--seed`.
    pub(crate) fn says(&self) -> String {
        match self.bias {
            Bias::None => format!("--size {}", self.size),
            Bias::Checks => format!("--size {} --bias checks", self.size),
        }
    }

    /// The arguments of a child that runs `count` kernels from `seed` on.
    pub(crate) fn for_worker(&self, seed: u64, count: u64) -> Vec<String> {
        let pairs = [
            ("--seed", seed.to_string()),
            ("--count", count.to_string()),
            ("--size", self.size.to_string()),
            ("--devices", self.devices.join(",")),
            ("--shrink", self.shrink.as_secs().to_string()),
            ("--bias", self.bias.name().to_owned()),
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
            devices: Vec::new(),
            print: None,
            statistics: false,
            shrink: Duration::from_secs(30),
            timeout: Duration::from_secs(60),
            bias: Bias::None,
            worker: false,
            endless: None,
            limit: Some(QUICK),
        }
    }
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name} needs a number, not '{text}'"))
}
