//! Arguments that `cargo test` and `cargo bench` pass to every program, and values of arguments.

use std::num::ParseIntError;
use std::time::Duration;

use clap::Args;

/// The options of the standard test harness. They have no effect on a program with a command line of its own.
#[derive(Args, Clone, Debug)]
pub struct HarnessOptions {
    #[arg(long, hide = true)]
    pub nocapture: bool,
    #[arg(long, hide = true)]
    pub no_capture: bool,
    #[arg(long, hide = true)]
    pub show_output: bool,
    #[arg(long, short, hide = true)]
    pub quiet: bool,
    #[arg(long, hide = true)]
    pub exact: bool,
    #[arg(long, hide = true)]
    pub ignored: bool,
    #[arg(long, hide = true)]
    pub include_ignored: bool,
    #[arg(long, hide = true)]
    pub test_threads: Option<String>,
    #[arg(long, hide = true)]
    pub format: Option<String>,
    #[arg(long, hide = true)]
    pub color: Option<String>,
    #[arg(long, hide = true)]
    pub skip: Vec<String>,
    #[arg(long, hide = true)]
    pub logfile: Option<String>,
}

/// The option that `cargo bench` passes.
#[derive(Args, Clone, Debug)]
pub struct BenchOptions {
    #[arg(long, hide = true)]
    pub bench: bool,
}

/// The number of cores.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A number of jobs, at least 1.
///
/// # Errors
///
/// The text is not a number.
pub fn jobs(text: &str) -> Result<usize, ParseIntError> {
    Ok(text.parse::<usize>()?.max(1))
}

/// A time limit in whole seconds, at least 1.
///
/// # Errors
///
/// The text is not a number.
pub fn seconds(text: &str) -> Result<Duration, ParseIntError> {
    Ok(Duration::from_secs(text.parse::<u64>()?.max(1)))
}
