//! The command line.

use std::time::Duration;

use anywarp::Device;

use super::ast::Program;
use super::generate::generate;
use super::run::Mode;
use super::{harness, hostile};

/// The options of the command line.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The number of kernels, from this seed on.
    pub(crate) count: u64,
    pub(crate) seed: u64,
    /// The approximate number of statements of `main`.
    pub(crate) size: usize,
    /// The number of child processes at a time.
    pub(crate) jobs: usize,
    /// The devices; those of the bias where none is named.
    pub(crate) devices: Vec<String>,
    /// Print the kernel of this seed only.
    pub(crate) print: Option<u64>,
    /// Print figures about the kernels only; no kernel runs on a device.
    pub(crate) statistics: bool,
    /// The time limit for shrinking one kernel.
    pub(crate) shrink: Duration,
    /// A child without a message for this long is ended.
    pub(crate) timeout: Duration,
    pub(crate) bias: Bias,
    /// Whether this process is a child.
    pub(crate) worker: bool,
    /// The endless loop that this process, a child, runs.
    pub(crate) endless: Option<usize>,
    /// The time limit of a run without options, which may end early.
    pub(crate) limit: Option<Duration>,
}

/// The kind of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bias {
    /// Everything that WGSL defines.
    None,
    /// Indices out of range and loops of all kinds.
    Checks,
}

impl Bias {
    fn named(name: &str) -> Result<Self, String> {
        [Self::None, Self::Checks]
            .into_iter()
            .find(|bias| bias.name() == name)
            .ok_or_else(|| format!("--bias: expected none or checks, got '{name}'"))
    }

    /// The devices where such kernels run by default. Vulkan drivers handle unusual loops badly, so hostile kernels run
    /// there only on request.
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

/// The time limit of a run without a count.
const MAX_QUICK_RUN: Duration = Duration::from_secs(45);

impl Options {
    /// Reads the arguments after the program's name; `None` where another test is selected.
    ///
    /// # Errors
    ///
    /// The text names the wrong argument.
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
                // Options of the test harness that have no effect here.
                _ if harness::FLAGS.contains(&name) => {}
                _ if harness::VALUES.contains(&name) => drop(value()?),
                _ if name.starts_with('-') => return Err(format!("unknown option {name}")),
                // `cargo test NAME` passes NAME to every test.
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

    /// The name of a seed's kernel in the list of known faults.
    pub(crate) fn label(&self, seed: u64) -> String {
        match self.bias {
            Bias::None => format!("seed {seed}, size {}", self.size),
            Bias::Checks => format!("seed {seed}, size {}, bias checks", self.size),
        }
    }

    /// The modes in which kernels run on this device.
    pub(crate) fn modes(&self, device: &Device) -> &'static [Mode] {
        match self.bias {
            _ if device.caps().checked => &[Mode::Explicit],
            Bias::None => &[Mode::Proven],
            Bias::Checks => &[Mode::Proven, Mode::Driver],
        }
    }

    /// The number of kernels per child; hostile kernels are small, so a child runs many.
    pub(crate) fn batch(&self) -> u64 {
        match self.bias {
            Bias::None => 25,
            Bias::Checks => 200,
        }
    }

    /// The arguments that generate the kernel again, except `--seed`.
    pub(crate) fn kernel_arguments(&self) -> String {
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
            limit: Some(MAX_QUICK_RUN),
        }
    }
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name}: expected a number, got '{text}'"))
}
