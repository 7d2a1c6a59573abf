//! Replays WGSL execution cases with expected results on a device.
//!
//! `cargo test --test cts -- [OPTION..] [DIR]`; `--help` lists the options.
//!
//! Traces run in child processes, 64 in each, so that a shader that crashes the driver or never ends fails alone.
//! Failures listed in `cts/known_failures.txt` count as skipped; a listed trace that passes counts as failed. On the
//! device `cpu:checked`, a trace also fails if its findings are not those of `cts/expected_findings.txt`. The last line of
//! the output is `N passed, M failed, K skipped`; the exit code is 1 if M is not 0.

mod findings;
mod replay;
mod suite;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anywarp_testing_devices::cts::batch::Workers;
use anywarp_testing_devices::cts::options::Options;
use anywarp_testing_devices::cts::report::Tally;
use anywarp_testing_devices::cts::{known, worker};
use clap::Parser;
use replay::Player;

fn main() -> ExitCode {
    let options = Options::parse();
    if options.worker {
        return work(&options);
    }
    if let Err(fault) = findings::check() {
        return refuse(&fault);
    }
    let Some(dir) = options.dir.clone().or_else(|| std::env::var_os("ANYWARP_CTS_DIR").map(PathBuf::from)) else {
        println!("skipped: no DIR");
        return ExitCode::SUCCESS;
    };
    // `cargo test NAME` passes NAME to every test, and NAME selects another test.
    if !dir.is_dir() && dir.components().count() == 1 && std::env::args_os().count() == 2 {
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
    let worker = options.for_worker();
    let command = || {
        let words = options.launcher.iter().map(OsStr::new).chain([program.as_os_str()]);
        let mut words = words.chain(worker.iter().map(OsStr::new));
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
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
