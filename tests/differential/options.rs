//! The command line.

use std::time::Duration;

use anywarp::Device;
use anywarp_testing::random_kernels::ast::Program;
use anywarp_testing::random_kernels::generate::generate;
use anywarp_testing::random_kernels::hostile;
use anywarp_testing_devices::libtest::{HarnessOptions, cores, jobs, seconds};
use clap::builder::RangedU64ValueParser;
use clap::{Parser, ValueEnum};

use crate::run::Mode;

/// Runs random kernels on several devices and on a reference in plain Rust, and compares the results.
#[derive(Clone, Debug, Parser)]
pub(crate) struct Options {
    /// The number of kernels. By default 300, or as many as fit in 45 seconds.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// The first kernel's seed.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The approximate number of statements of `main`. The known bugs are listed for 4.
    #[arg(long, value_name = "N", default_value = "4", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    pub(crate) size: usize,
    /// The number of child processes at a time.
    #[arg(long, value_name = "N", value_parser = jobs, default_value_t = cores())]
    pub(crate) jobs: usize,
    /// The devices, in the form of `ANYWARP_DEVICE`. By default `cpu,vulkan`; with `--bias checks`, `cpu,cpu:checked`.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) devices: Vec<String>,
    /// Only print the kernel of this seed.
    #[arg(long, value_name = "S")]
    pub(crate) print: Option<u64>,
    /// Only print figures about the kernels, without a device.
    #[arg(long)]
    pub(crate) statistics: bool,
    /// The seconds for finding a smaller failing kernel.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "30")]
    pub(crate) shrink: Duration,
    /// The seconds without a message after which a child is ended.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60")]
    pub(crate) timeout: Duration,
    /// The kind of kernels.
    #[arg(long, value_enum, default_value_t = Bias::None)]
    pub(crate) bias: Bias,
    /// Run the kernels in this process, and write messages about them.
    #[arg(long, hide = true)]
    pub(crate) worker: bool,
    /// Run this endless loop.
    #[arg(long, hide = true)]
    pub(crate) endless: Option<usize>,
    /// Names of other tests, which `cargo test NAME` passes to every test.
    #[arg(hide = true)]
    pub(crate) other_tests: Vec<String>,
    #[command(flatten)]
    _harness: HarnessOptions,
}

/// The kind of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bias {
    /// Everything that WGSL defines.
    None,
    /// Indices out of range and loops of all kinds.
    Checks,
}

impl Bias {
    /// The default devices for kernels of this kind. Vulkan drivers handle unusual loops badly, so kernels of
    /// [`Bias::Checks`] run there only on request.
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

/// The number of kernels of a run without a count, and its time limit.
const QUICK_RUN: (u64, Duration) = (300, Duration::from_secs(45));

impl Options {
    /// Reads the command line; exits where it is wrong.
    pub(crate) fn read() -> Self {
        let mut options = Self::parse();
        if options.devices.is_empty() {
            options.devices = options.bias.devices().iter().map(|device| (*device).to_owned()).collect();
        }
        options
    }

    /// The number of kernels to run.
    pub(crate) fn count(&self) -> u64 {
        self.count.unwrap_or(QUICK_RUN.0)
    }

    /// The time limit of a run without a count, which may end early.
    pub(crate) fn limit(&self) -> Option<Duration> {
        self.count.is_none().then_some(QUICK_RUN.1)
    }

    /// Generates the kernel of a seed.
    pub(crate) fn kernel(&self, seed: u64) -> Program {
        match self.bias {
            Bias::None => generate(seed, self.size),
            Bias::Checks => hostile::generate(seed, self.size),
        }
    }

    /// The name of a seed's kernel in the list of known bugs.
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

    /// The number of kernels per child; kernels of [`Bias::Checks`] are small, so a child runs many.
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
