//! Translates kernels to CUDA C++ and compiles them to machine code, without a GPU.
//!
//! ```text
//! cargo test --release --features cuda --test cubins -- [OPTION..] [DIR]
//!
//! DIR               folder of WGSL conformance cases (*.jsonl.gz), or ANYWARP_CTS_DIR: only with --sample
//! --sample PERCENT  also this part of the cases' kernels, selected by --seed N (default 0)
//! --arch A,B        the architectures (default sm_75,sm_80,sm_90,sm_100)
//! --filter TEXT     only kernels whose name contains TEXT; the name of a case is its query and sub-parameters
//! --operators       also the kernels of the suite `operators`: about 2000, which take minutes
//! --no-suites       without the kernels of the suite `conformance`
//! --list-failures   print each failure, not only the first of each kind
//! --keep FOLDER     write the CUDA C++ of failing kernels into FOLDER
//! --jobs N          threads (default: the number of cores)
//! ```
//!
//! The kernels are those in `shaders/` and `examples/shaders/`, those that suites compile while they run on the CPU
//! backend, and those of conformance cases. Kernels with the same CUDA C++ count once. Compiled kernels are kept
//! between runs only where `ANYWARP_CACHE` is set. Without NVRTC no kernel is compiled, which is a failure where
//! `ANYWARP_REQUIRE` contains `nvrtc`. The last line is `N passed, M failed, K skipped`; the exit code is 1 where M is
//! not 0.

#[path = "cubins/capture.rs"]
mod capture;
#[path = "cubins/conformance_suite.rs"]
mod conformance_suite;
#[path = "cts/mod.rs"]
#[allow(dead_code, reason = "only its files and samples are used here")]
mod cts;
#[path = "cubins/gather.rs"]
mod gather;
#[path = "cubins/known.rs"]
mod known;
#[path = "cubins/noted.rs"]
mod noted;
#[path = "cubins/operator_suite.rs"]
mod operator_suite;
#[path = "cubins/options.rs"]
mod options;
#[path = "cubins/report.rs"]
mod report;
#[path = "cubins/work.rs"]
mod work;

use std::process::ExitCode;
use std::time::Instant;

use anywarp_cuda::nvrtc;
use options::Options;
use report::Report;
// The suites' modules refer to each other from the root.
#[allow(unused_imports, reason = "the suites decide which of them they use")]
use {conformance_suite::*, operator_suite::*};

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
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
