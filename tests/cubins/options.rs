//! The command line.

use std::num::ParseIntError;
use std::path::PathBuf;

use anywarp_testing_devices::cts::sample::SampleOptions;
use anywarp_testing_devices::libtest::{HarnessOptions, cores, jobs};
use clap::Parser;

/// Translates kernels to CUDA C++ and compiles them to machine code, without a GPU.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// The architectures.
    #[arg(
        long = "arch",
        value_name = "A,B",
        value_delimiter = ',',
        value_parser = architecture,
        default_value = "sm_75,sm_80,sm_90,sm_100"
    )]
    pub(crate) architectures: Vec<u32>,
    /// The selected part of the conformance cases. Without `--sample` none of them.
    #[command(flatten)]
    pub(crate) sample: SampleOptions,
    /// Only kernels whose name contains this text; the name of a case is its query and sub-parameters.
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Also the kernels of the suite `wgsl_operators`: about 2000, which take minutes.
    #[arg(long)]
    pub(crate) operators: bool,
    /// Without the kernels of the suite `conformance`.
    #[arg(long)]
    pub(crate) no_suites: bool,
    /// Print each failure, not only the first of each kind.
    #[arg(long)]
    pub(crate) list_failures: bool,
    /// Write the CUDA C++ of failing kernels into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) keep: Option<PathBuf>,
    /// The number of threads.
    #[arg(long, value_name = "N", value_parser = jobs, default_value_t = cores())]
    pub(crate) jobs: usize,
    /// The folder of WGSL conformance cases (*.jsonl.gz), or `ANYWARP_CTS_DIR`: only with `--sample`.
    pub(crate) dir: Option<PathBuf>,
    #[command(flatten)]
    _harness: HarnessOptions,
}

impl Options {
    /// Reads the command line, and exits where it is wrong; returns `None` if another test is selected.
    ///
    /// # Errors
    ///
    /// The text names the missing folder.
    pub(crate) fn read() -> Result<Option<Self>, String> {
        let mut options = Self::parse();
        if options.dir.as_ref().is_some_and(|dir| !dir.is_dir() && dir.components().count() == 1) {
            // `cargo test NAME` passes NAME to every test, and NAME selects another test.
            return Ok(None);
        }
        options.dir = options.dir.or_else(|| std::env::var_os("ANYWARP_CTS_DIR").map(PathBuf::from));
        if options.sample.sample().is_some() && options.dir.is_none() {
            return Err("--sample needs the folder of the conformance cases, or ANYWARP_CTS_DIR".to_owned());
        }
        Ok(Some(options))
    }
}

/// Parses an architecture: 90 for `sm_90` or `90`.
fn architecture(text: &str) -> Result<u32, ParseIntError> {
    text.trim().strip_prefix("sm_").unwrap_or(text.trim()).parse()
}
