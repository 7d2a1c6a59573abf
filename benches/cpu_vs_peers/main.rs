//! Compares the CPU backend with its peers: the same kernels, in turns.
//!
//! `cargo bench --bench cpu_vs_peers -- [--kernel NAME] [--processor-time] [--quick]`; NAME is a part of a kernel's name,
//! `programs` for kernels in the manner of programs, on the processor and lavapipe, or `latency` for compile and launch
//! times.
//!
//! The peers are plain Rust on all threads (rayon), written as one would without a framework; Mesa's lavapipe, which
//! compiles the same WGSL with LLVM; ISPC, whose compiler is looked for in `PATH`, for eight lanes of AVX2 and sixteen
//! of AVX-512; and pocl, which compiles OpenCL for the processor. Where one of the last three is not installed, it is left
//! out with a message. Every result is checked before and after it is timed; the process fails if one is wrong or missing,
//! but not if a goal is missed. Data stays on the device: a run consists of the launches and a wait.
//!
//! Times are those of all cores, as they pass. `taskset -c 0 cargo bench --bench cpu_vs_peers -- --processor-time`
//! compares the code instead of the threads: all peers on one core, in the processor time of the process, so that other
//! programs disturb less. With `RUSTFLAGS=-Ctarget-cpu=native` the plain loops use all instructions of the processor, as
//! kernels always do.

#[path = "../checks/case.rs"]
#[allow(dead_code, reason = "the scale is that of a processor here")]
mod case;
mod cases;
mod clock;
mod ispc;
mod latency;
mod measure;
mod opencl;
mod programs;
mod report;
#[path = "../shared/mod.rs"]
#[allow(dead_code, reason = "benches with another baseline use the rest")]
mod shared;
mod side;

use std::process::ExitCode;
use std::time::Duration;

use anywarp::Device;
use anywarp_testing_devices::libtest::BenchOptions;
use cases::Case;
use clap::Parser;
use clock::Clock;
use ispc::Ispc;
use measure::{ISPC, LANES, POCL, PerLane, Samples};
use opencl::OpenCl;
use shared::{Outcome, ended};
use side::Side;

/// The name of the second table, which has kernels in the manner of programs.
const PROGRAMS: &str = "programs";
/// The name of the third table, which has compile and launch times.
const LATENCY: &str = "latency";

/// The arguments after `--`.
#[derive(Parser)]
struct Arguments {
    /// Only kernels whose name contains this text, `programs`, or `latency` for compile and launch times.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// The processor time of kernels in place of the time that passes: for one core.
    #[arg(long)]
    processor_time: bool,
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
        if !cases::ALL.iter().map(|(name, _)| *name).chain([PROGRAMS, LATENCY]).any(|name| parsed.wants(name)) {
            return Err(format!(
                "--kernel matches none of {}, {PROGRAMS}, {LATENCY}",
                cases::ALL.map(|(name, _)| name).join(", ")
            )
            .into());
        }
        Ok(parsed)
    }

    /// Whether the name contains that of `--kernel`.
    fn wants(&self, name: &str) -> bool {
        self.kernel.as_ref().is_none_or(|part| name.contains(part.as_str()))
    }
}

/// Opens the device for `selector` on `backend`; prints the reason if there is none.
fn open(selector: &str, backend: &str) -> Option<Device> {
    match Device::open(selector) {
        Ok(device) if device.caps().backend.name() == backend => {
            let caps = device.caps();
            println!(
                "{selector}: {} ({}), {}",
                caps.name,
                caps.driver,
                if caps.unified { "unified" } else { "staged" }
            );
            Some(device)
        }
        Ok(device) => {
            println!("{selector}: not available ({} was opened instead)", device.caps().name);
            None
        }
        Err(error) => {
            println!("{selector}: not available ({})", error.to_string().lines().next().unwrap_or_default());
            None
        }
    }
}

/// The peers that are not plain Rust.
struct Others {
    devices: [Option<Device>; 2],
    ispc: [Option<Ispc>; 2],
    opencl: Option<OpenCl>,
}

impl Others {
    fn open() -> Self {
        let [avx2, avx512] = has_vectors();
        // SAFETY: this is the first of the peers, and only the others have threads of their own.
        let opencl = unsafe { OpenCl::open() };
        Self {
            devices: [open("cpu", "cpu"), open("vulkan:llvmpipe", "vulkan")],
            ispc: [Ispc::open("avx2-i32x8", avx2), Ispc::open("avx512skx-x16", avx512)],
            opencl,
        }
    }
}

/// Whether the processor has the instructions of ISPC's targets: AVX2 with FMA, and AVX-512.
#[cfg(target_arch = "x86_64")]
fn has_vectors() -> [bool; 2] {
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    [avx2, is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl")]
}

/// Whether the processor has the instructions of ISPC's targets.
#[cfg(not(target_arch = "x86_64"))]
fn has_vectors() -> [bool; 2] {
    [false; 2]
}

/// Runs `side` once, on the initial data, and checks the result.
fn check(case: &Case, side: &mut dyn Side) -> Outcome<()> {
    side.prepare()?;
    side.run()?;
    case.expected.check(&side.result()?)
}

/// Checks all sides of `case`, measures the correct sides, then checks them again. Adds errors to `failed`. Returns the
/// samples, and the compile times of ISPC's targets and of pocl in seconds.
fn run_case(
    case: Case,
    others: &Others,
    (budget, clock): (Duration, Clock),
    failed: &mut Vec<String>,
) -> Outcome<(Samples, [f64; 3])> {
    let mut note = |lane: usize, error: &dyn std::fmt::Display| {
        failed.push(format!("{}: {}: {error}", case.name, LANES[lane]));
    };
    let [cpu, lavapipe] =
        others.devices.each_ref().map(|device| device.as_ref().map(|device| (case.on_device)(device)));
    let mut compiled = [f64::NAN; 3];
    let mut made: PerLane<Option<Outcome<Box<dyn Side>>>> =
        [cpu, lavapipe, Some(Ok((case.on_host)())), None, None, None];
    // Where ISPC's text runs on one thread, only one thread is a fair comparison.
    let comparable = case.spmd.parallel || rayon::current_num_threads() == 1;
    for (which, ispc) in others.ispc.iter().enumerate() {
        made[ISPC[which]] = ispc.as_ref().filter(|_| comparable).map(|ispc| {
            let (side, time) = ispc.side(case.name, case.spmd.clone())?;
            compiled[which] = time.as_secs_f64();
            Ok(side)
        });
    }
    made[POCL] = others.opencl.as_ref().map(|opencl| {
        let (side, time) = opencl.side(&case.opencl, &case.spmd)?;
        compiled[ISPC.len()] = time.as_secs_f64();
        Ok(side)
    });
    let mut sides: PerLane<Option<Box<dyn Side>>> = PerLane::default();
    for (lane, side) in made.into_iter().enumerate() {
        let Some(side) = side else { continue };
        match side.and_then(|mut side| check(&case, side.as_mut()).map(|()| side)) {
            Ok(side) => sides[lane] = Some(side),
            Err(error) => note(lane, &error),
        }
    }
    let mut lanes = sides.each_mut().map(|side| side.as_mut().map(|side| || side.run()));
    let samples = measure::interleaved(&mut lanes, budget, clock)?;
    for (lane, side) in sides.iter_mut().enumerate() {
        if let Some(Err(error)) = side.as_mut().map(|side| check(&case, side.as_mut())) {
            note(lane, &format!("after being timed: {error}"));
        }
    }
    Ok((samples, compiled))
}

fn run() -> Outcome<bool> {
    let arguments = Arguments::read()?;
    let others = Others::open();
    println!("rayon: {} threads\n", rayon::current_num_threads());
    let budget = Duration::from_millis(if arguments.quick { 200 } else { 3500 });
    let clock = if arguments.processor_time { Clock::Processor } else { Clock::Wall };
    let mut failed = Vec::new();
    let mut rows = Vec::new();
    for (name, case) in cases::ALL.iter().filter(|(name, _)| arguments.wants(name)) {
        eprintln!("{name} ...");
        let case = case();
        let (name, bytes) = (case.name, case.bytes);
        match run_case(case, &others, (budget, clock), &mut failed) {
            Ok((samples, compiled)) => rows.push(report::Row { name, bytes, samples, compiled }),
            Err(error) => failed.push(format!("{name}: {error}")),
        }
    }
    report::kernels(&rows);
    if arguments.wants(PROGRAMS) {
        report::programs(&programs::measure(&others.devices, (budget, clock), &mut failed));
    }
    if arguments.wants(LATENCY) {
        eprintln!("{LATENCY} ...");
        match latency::measure(&others.devices, arguments.quick) {
            Ok(rows) => report::latencies(&rows),
            Err(error) => failed.push(format!("{LATENCY}: {error}")),
        }
    }
    for line in &failed {
        println!("FAILED: {line}");
    }
    Ok(failed.is_empty())
}

fn main() -> ExitCode {
    ended(run())
}
