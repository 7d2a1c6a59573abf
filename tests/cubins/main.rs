//! Translates kernels to CUDA C++ and compiles them to machine code, without a GPU.
//!
//! `cargo test --workspace --test cubins -- [OPTION..] [DIR]`; `--help` lists the options.
//!
//! The kernels are those in `shaders/` and `examples/shaders/`, those that suites compile while they run on the CPU
//! backend, and those of conformance cases. Kernels with the same CUDA C++ count once. Compiled kernels are kept
//! between runs only if `ANYWARP_CACHE` is set. Without NVRTC no kernel is compiled, which is a failure if
//! `ANYWARP_REQUIRE` contains `nvrtc`. The last line is `N passed, M failed, K skipped`; the exit code is 1 if M is not
//! 0.

#[path = "../kernel_texts/collect/mod.rs"]
#[allow(dead_code, reason = "`kernel_texts` uses the rest")]
mod collect;
mod gather;
mod known;
#[path = "../wgsl_operators/suite.rs"]
#[allow(dead_code, reason = "the suite's own test uses the rest")]
mod operator_suite;
mod options;
mod report;
#[path = "../conformance/suite.rs"]
#[allow(dead_code, reason = "the suite's own test uses the rest")]
mod suite;
mod work;

use std::process::ExitCode;
use std::time::Instant;

use anywarp_cuda::nvrtc;
use options::Options;
use report::Report;

fn main() -> ExitCode {
    let options = match Options::read() {
        Ok(Some(options)) => options,
        Ok(None) => return ExitCode::SUCCESS,
        Err(problem) => return refuse(&problem),
    };
    let nvrtc = match nvrtc::library() {
        Ok(nvrtc) => nvrtc,
        Err(error) if required("nvrtc") => return refuse(&error.to_string()),
        Err(error) => {
            println!("skipped: {error}");
            return ExitCode::SUCCESS;
        }
    };
    let (major, minor) = nvrtc.version();
    println!("NVRTC {major}.{minor} from {}", nvrtc.file());

    let start = Instant::now();
    let mut report = Report::new(options.list_failures, options.keep.clone());
    let kernels = match gather::kernels(&options, &mut report) {
        Ok(kernels) => kernels,
        Err(problem) => return refuse(&problem),
    };
    println!("{} kernels in {:.1} s", kernels.len(), start.elapsed().as_secs_f64());
    work::run(nvrtc, &options, &kernels, &mut report);
    println!("{report}");
    if report.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn required(what: &str) -> bool {
    let required = std::env::var("ANYWARP_REQUIRE").unwrap_or_default().to_lowercase();
    required.split(',').any(|name| name.trim() == what)
}

fn refuse(problem: &str) -> ExitCode {
    eprintln!("{problem}");
    ExitCode::FAILURE
}
