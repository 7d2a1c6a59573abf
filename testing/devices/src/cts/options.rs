//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use super::sample::SampleOptions;
use crate::libtest::{HarnessOptions, cores, jobs, seconds};

/// Replays WGSL execution cases with expected results on a device.
#[derive(Clone, Debug, Parser)]
pub struct Options {
    /// The device, in the form of `ANYWARP_DEVICE`; if absent, that variable or the default selects it.
    #[arg(long, value_name = "SELECTOR")]
    pub device: Option<String>,
    /// Use separate memory for host and device, even on a device with unified memory.
    #[arg(long)]
    pub staged: bool,
    /// Run only traces whose query and sub-parameters, joined by a blank, contain this text.
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    #[command(flatten)]
    pub sample: SampleOptions,
    /// Print each failure: query, sub-parameters, positions, expected and actual values.
    #[arg(long)]
    pub list_failures: bool,
    /// The number of workers at a time.
    #[arg(long, value_name = "N", value_parser = jobs, default_value_t = cores())]
    pub jobs: usize,
    /// The number of seconds without a message of a worker after which its trace fails.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60")]
    pub timeout: Duration,
    /// A program, then its arguments, that start each worker, such as an emulator of another processor. The option is
    /// repeated for each word.
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    pub launcher: Vec<String>,
    /// Run the traces that the standard input names.
    #[arg(long, hide = true)]
    pub worker: bool,
    /// The folder of case files (*.jsonl.gz), or `ANYWARP_CTS_DIR`; without either no trace runs.
    pub dir: Option<PathBuf>,
    #[command(flatten)]
    pub harness: HarnessOptions,
}

impl Options {
    /// The arguments that make this program a worker.
    pub fn for_worker(&self) -> Vec<String> {
        let mut arguments = vec!["--worker".to_owned()];
        if let Some(device) = &self.device {
            arguments.extend(["--device".to_owned(), device.clone()]);
        }
        if self.staged {
            arguments.push("--staged".to_owned());
        }
        arguments
    }
}
