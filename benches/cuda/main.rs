//! Compares the native backend for NVIDIA GPUs with the driver's own API: launches, graphs, memory-bound kernels,
//! transfers, streams, matrix products.
//!
//! `cargo bench --features cuda --bench cuda -- [--device SELECTOR] [--section NAME] [--quick] [--json FILE]`
//!
//! Both sides run in one process on the same GPU, in turns. The baseline is the driver API (and cuBLAS) called
//! directly; a further column shows anywarp on the GPU's Vulkan driver, if there is one. Every result is checked before
//! it is timed. Without a GPU nothing is measured; if `ANYWARP_REQUIRE` contains `cuda`, that is a failure. The process
//! fails if a section does, but not if a goal is missed.

mod compilation;
mod elementwise;
mod images;
mod launches;
mod measure;
mod products;
mod raw;
#[path = "../shared/mod.rs"]
#[allow(dead_code, reason = "benches with another baseline use the rest")]
mod shared;
mod streams;
mod table;
mod transfers;

use anywarp::backend::BackendKind;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anywarp::Device;
use anywarp::backend::DeviceKind;
use anywarp_testing_devices::libtest::BenchOptions;
use clap::Parser;
use raw::Raw;
use shared::{Outcome, ended};
use table::Row;

/// A section of the benchmark: its name, and the function that measures it.
type Section = (&'static str, fn(&Bench) -> Outcome<Vec<Row>>);

const SECTIONS: [Section; 6] = [
    ("launches", launches::rows),
    ("elementwise", elementwise::rows),
    ("transfers", transfers::rows),
    ("streams", streams::rows),
    ("products", products::rows),
    ("compilation", compilation::rows),
];

/// The devices and options of every section.
struct Bench {
    device: Device,
    raw: Raw,
    /// The same GPU through its Vulkan driver.
    vulkan: Option<Device>,
    quick: bool,
}

/// The arguments after `--`.
#[derive(Parser)]
struct Arguments {
    /// The GPU.
    #[arg(long, value_name = "SELECTOR", default_value = "cuda")]
    device: String,
    /// Only this section.
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    /// The file for the results as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fewer repetitions, smaller sizes.
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    _bench: BenchOptions,
}

impl Arguments {
    /// Reads the command line, and exits where it is wrong.
    ///
    /// # Errors
    ///
    /// The text lists the names that can be chosen.
    fn read() -> Outcome<Self> {
        let parsed = Self::parse();
        if !SECTIONS.iter().any(|(name, _)| parsed.wants(name)) {
            return Err(format!("--section matches none of {}", SECTIONS.map(|(name, _)| name).join(", ")).into());
        }
        Ok(parsed)
    }

    fn wants(&self, section: &str) -> bool {
        self.section.as_ref().is_none_or(|wanted| wanted == section)
    }
}

/// Opens the GPU through anywarp and through the driver alone; returns `None` without a GPU.
fn open(arguments: &Arguments) -> Outcome<Option<Bench>> {
    let device = match Device::open(&arguments.device) {
        Ok(device) => device,
        Err(error) if required() => return Err(format!("ANYWARP_REQUIRE requires cuda: {error}").into()),
        Err(error) => {
            println!("nothing is measured: {error}");
            return Ok(None);
        }
    };
    let caps = device.caps();
    if caps.backend != BackendKind::Cuda {
        return Err(format!("'{}' is the {} device {}, not cuda", arguments.device, caps.backend, caps.name).into());
    }
    let number = device.selector().rsplit(':').next().and_then(|number| number.parse().ok()).unwrap_or(0);
    let raw = Raw::open(number)?;
    if raw.name != caps.name {
        return Err(format!("GPU {number} is {} for the driver, but {} for anywarp", raw.name, caps.name).into());
    }
    println!("{} ({}), compute capability {}", caps.name, caps.driver, raw.architecture);
    let vulkan = beside(&device);
    Ok(Some(Bench { device, raw, vulkan, quick: arguments.quick }))
}

fn required() -> bool {
    let required = std::env::var("ANYWARP_REQUIRE").unwrap_or_default().to_lowercase();
    required.split(',').any(|backend| backend.trim() == "cuda")
}

/// Opens the Vulkan driver of the same GPU.
fn beside(device: &Device) -> Option<Device> {
    let hardware = [DeviceKind::Discrete, DeviceKind::Integrated];
    let candidate = Device::enumerate().into_iter().find(|candidate| {
        let caps = &candidate.caps;
        caps.backend == BackendKind::Vulkan && hardware.contains(&caps.kind) && caps.name == device.caps().name
    });
    let Some(candidate) = candidate else {
        println!("Vulkan does not list this GPU: the column stays empty");
        return None;
    };
    match Device::open(&candidate.selector) {
        Ok(device) => Some(device),
        Err(error) => {
            eprintln!("the Vulkan column stays empty: {error}");
            None
        }
    }
}

/// Returns the result of `work` on the GPU's Vulkan driver. A failure there is printed, but not fatal.
fn on_vulkan<T>(bench: &Bench, what: &str, work: impl FnOnce(&Device) -> Outcome<T>) -> Option<T> {
    let device = bench.vulkan.as_ref()?;
    let done = work(device);
    device.trim();
    done.inspect_err(|error| eprintln!("{what} on {}: {error}", device.selector())).ok()
}

/// Runs the benchmark; returns whether every section could be measured.
fn run() -> Outcome<bool> {
    let arguments = Arguments::read()?;
    let Some(bench) = open(&arguments)? else {
        return Ok(true);
    };
    let (mut rows, mut complete) = (Vec::new(), true);
    for (name, section) in SECTIONS.into_iter().filter(|(name, _)| arguments.wants(name)) {
        let start = Instant::now();
        match section(&bench) {
            Ok(section) => rows.extend(section),
            Err(error) => {
                eprintln!("section {name} ends early: {error}");
                complete = false;
            }
        }
        bench.device.trim();
        println!("section {name}: {:.1} s", start.elapsed().as_secs_f64());
    }
    if let Some(file) = &arguments.json {
        table::write(file, &rows)?;
    }
    println!("\nraw: the driver API, or cuBLAS, called directly; ratio: ours / raw, the median of pairs\n");
    table::print(&rows);
    Ok(complete)
}

fn main() -> ExitCode {
    ended(run())
}
