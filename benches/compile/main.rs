//! Measures the time in which Vulkan's driver compiles kernels: as naga writes them, and after the middle end.
//!
//! `cargo bench --bench compile -- [--suite] [--kernel NAME] [--times N]`; NAME is a part of kernels' names. `--suite`
//! adds every kernel of the conformance suite to those of the benches, `shaders/` and `examples/`.
//!
//! The baseline is plain wgpu: the module as written, with wgpu's own checks. Both forms are compiled in turns, up to
//! the point where the device can run them, without a cache; the medians are compared. The instructions of SPIR-V that
//! the driver receives are printed beside them; they are the same on every machine. The process fails if one kernel
//! takes longer than 1.2 times the baseline (more for two that drivers unroll), or if the geometric mean of all does: a
//! kernel that was optimised must not cost more compile time than it can save.

#[path = "../../tests/kernel_texts/collect/mod.rs"]
#[allow(dead_code, reason = "`kernel_texts` uses the rest")]
mod collect;
mod compiler;
mod forms;
#[path = "../shared/mod.rs"]
#[allow(dead_code, reason = "benches with another baseline use the rest")]
mod shared;
mod size;
#[path = "../../tests/conformance/suite.rs"]
#[allow(dead_code, reason = "the suite's own test uses the rest")]
mod suite;

use std::process::{Command, ExitCode};
use std::time::Duration;

use anywarp_testing_devices::libtest::{BenchOptions, jobs};
use clap::Parser;
use compiler::Compiler;
use forms::Kernel;
use shared::{Outcome, ended};

/// The limit on a kernel's time, relative to the baseline.
const MAX_RATIO: f64 = 1.2;

/// Kernels with a higher limit: plain wgpu counts the iterations of every loop, which prevents drivers from unrolling.
/// In these kernels the count is proven needless, and lavapipe unrolls the loops.
const UNROLLED: &[(&str, f64)] = &[("/conv7x7.wgsl", 4.0), ("/int8_dot.wgsl", 2.5)];

/// The difference below which times count as equal.
const NOISE: Duration = Duration::from_millis(5);

/// The number of repeated measurements of a kernel that exceeds the limit.
const AGAIN: usize = 3;

/// The variable that disables Mesa's cache of compiled shaders.
const NO_CACHE: &str = "MESA_SHADER_CACHE_DISABLE";

/// The arguments after `--`.
#[derive(Parser)]
struct Arguments {
    /// Also every kernel of the conformance suite.
    #[arg(long)]
    suite: bool,
    /// Only kernels whose name contains this text.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// The number of compilations of each form.
    #[arg(long, value_name = "N", default_value = "5", value_parser = jobs)]
    times: usize,
    #[command(flatten)]
    _bench: BenchOptions,
}

/// The medians of both forms of a kernel, measured in turns.
struct Row {
    plain: Duration,
    ours: Duration,
}

/// The numbers of SPIR-V instructions that a driver receives, for both forms of a kernel.
struct Size {
    plain: usize,
    ours: usize,
}

impl Size {
    fn of(kernel: &Kernel) -> Outcome<Self> {
        Ok(Self { plain: size::instructions(&kernel.plain)?, ours: size::instructions(&kernel.ours)? })
    }

    fn ratio(&self) -> f64 {
        self.ours as f64 / self.plain.max(1) as f64
    }
}

impl Row {
    fn ratio(&self) -> f64 {
        self.ours.as_secs_f64() / self.plain.as_secs_f64()
    }

    fn is_too_long(&self, name: &str) -> bool {
        let most = UNROLLED.iter().find(|(part, _)| name.contains(part)).map_or(MAX_RATIO, |(_, most)| *most);
        self.ours > self.plain.mul_f64(most) + NOISE
    }
}

fn measure(compiler: &Compiler, kernel: &Kernel, times: usize) -> Outcome<Row> {
    let (mut plain, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..times {
        plain.push(compiler.compile(&kernel.plain)?);
        ours.push(compiler.compile(&kernel.ours)?);
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    Ok(Row { plain: median(&mut plain), ours: median(&mut ours) })
}

fn run() -> Outcome<bool> {
    let arguments = Arguments::parse();
    let Some(compiler) = Compiler::new()? else {
        println!("no Vulkan device: nothing is measured");
        return Ok(true);
    };
    let mut kernels = forms::of_files(&compiler.caps)?;
    if arguments.suite {
        kernels.extend(forms::of_suite(&compiler.caps)?);
    }
    kernels.retain(|kernel| arguments.kernel.as_ref().is_none_or(|part| kernel.name.contains(part.as_str())));
    println!("{}: medians of {} compilations, in ms", compiler.caps.name, arguments.times);
    println!("{:>9} {:>9} {:>6} {:>8} {:>8} {:>6}  kernel", "plain", "anywarp", "ratio", "SPIR-V", "anywarp", "ratio");
    let (mut logarithms, mut sizes, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    for kernel in &kernels {
        let mut row = measure(&compiler, kernel, arguments.times)?;
        for _ in 0..AGAIN {
            if row.is_too_long(&kernel.name) {
                row = measure(&compiler, kernel, arguments.times)?;
            }
        }
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let size = Size::of(kernel)?;
        println!(
            "{:9.2} {:9.2} {:6.2} {:8} {:8} {:6.2}  {}",
            ms(row.plain),
            ms(row.ours),
            row.ratio(),
            size.plain,
            size.ours,
            size.ratio(),
            kernel.name
        );
        logarithms.push(row.ratio().ln());
        sizes.push(size.ratio().ln());
        if row.is_too_long(&kernel.name) {
            failed.push(kernel.name.as_str());
        }
    }
    if logarithms.is_empty() {
        return Err("no kernel has this name".into());
    }
    let mean = |logarithms: &[f64]| (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
    let (mean, of_sizes) = (mean(&logarithms), mean(&sizes));
    println!("{mean:.2} times the baseline in the geometric mean of {} kernels", logarithms.len());
    println!("{of_sizes:.2} times its instructions");
    for name in &failed {
        println!("FAILED: {name} takes too long: the limit is {MAX_RATIO} times the baseline");
    }
    Ok(failed.is_empty() && mean <= MAX_RATIO)
}

fn main() -> ExitCode {
    // The variable is set for a new process, because drivers read it when they are loaded.
    if std::env::var_os(NO_CACHE).is_none() {
        let again = std::env::current_exe()
            .and_then(|program| Command::new(program).args(std::env::args_os().skip(1)).env(NO_CACHE, "true").status());
        return match again {
            Ok(status) if status.success() => ExitCode::SUCCESS,
            Ok(_) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    ended(run())
}
