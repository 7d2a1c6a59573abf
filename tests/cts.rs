//! Replays WGSL execution cases with expected results on a device.
//!
//! ```text
//! cargo test --release --test cts -- [OPTION..] [DIR]
//!
//! DIR                 folder of case files (*.jsonl.gz), or ANYWARP_CTS_DIR; without either no trace runs
//! --device SELECTOR   the device, in the form of ANYWARP_DEVICE
//! --staged            use separate memory for host and device, even on a device with unified memory
//! --filter TEXT       only traces whose query or sub-parameters contain TEXT
//! --sample PERCENT    only a part of the traces, selected by --seed N (default 0)
//! --list-failures     print each failure: query, sub-parameters, positions, expected and actual values
//! --jobs N            worker processes at a time (default: the number of cores)
//! --timeout SECONDS   the time without a message of a worker after which its trace fails (default 60); a
//!                     software device spends minutes on the large arrays of some cases
//! ```
//!
//! Traces run in child processes, 64 in each, so that a shader which crashes the driver or never ends fails alone.
//! Failures listed in `cts/known_failures.txt` count as skipped; a listed trace that passes counts as failed. The last
//! line of the output is `N passed, M failed, K skipped`; the exit code is 1 where M is not 0.

#[path = "cts/mod.rs"]
mod cts;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use cts::batch::Workers;
use cts::options::Options;
use cts::replay::Player;
use cts::report::Tally;
use cts::{known, suite, worker};

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => return refuse(&problem),
    };
    if options.worker {
        return work(&options);
    }
    let Some(dir) = options.dir.clone().or_else(|| std::env::var_os("ANYWARP_CTS_DIR").map(PathBuf::from)) else {
        println!("skipped: no DIR");
        return ExitCode::SUCCESS;
    };
    if !dir.is_dir() && dir.components().count() == 1 {
        // `cargo test NAME` passes NAME to every test; it selects another one.
        println!("skipped: no DIR ('{}' is not a folder)", dir.display());
        return ExitCode::SUCCESS;
    }
    match run(&options, &dir) {
        Ok(total) => conclude(&options, &total),
        Err(problem) => refuse(&problem),
    }
}

fn run(options: &Options, dir: &std::path::Path) -> Result<Tally, String> {
    let program =
        std::env::current_exe().map_err(|error| format!("cannot find the path of this test program: {error}"))?;
    let command = || {
        let mut command = Command::new(&program);
        command.args(options.for_worker());
        command
    };
    let workers = Workers { command: &command, silence: options.timeout };
    suite::run(options, dir, &workers, &known::parse(known::LIST)?)
}

fn conclude(options: &Options, total: &Tally) -> ExitCode {
    if total.failed() > 0 && !options.list_failures {
        println!("use --list-failures to print the failures");
    }
    print!("{}", total.reasons());
    println!("{total}");
    if total.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn work(options: &Options) -> ExitCode {
    let open = || Player::open(options.device.as_deref(), options.staged);
    match worker::serve(open, std::io::stdin().lock(), std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        // The parent has closed the pipe, and nothing reads the exit code.
        Err(_) => ExitCode::FAILURE,
    }
}

fn refuse(problem: &str) -> ExitCode {
    eprintln!("cts: {problem}");
    ExitCode::from(2)
}
