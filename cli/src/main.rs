//! `anywarp`: runs any WGSL compute kernel from the command line, on any device, and prints the stages of its
//! translation.

mod args;
mod assign;
mod bench;
mod bindings;
mod buffers;
mod cache;
mod check;
mod columns;
mod composition;
mod count;
mod devices;
mod dtype;
mod failure;
mod help;
mod inspect;
mod load;
mod made;
mod matrices;
mod npy;
mod op;
mod origin;
mod output;
mod outputs;
mod page;
mod picture;
mod preview;
mod random;
mod refusal;
mod report;
mod ring;
mod run;
mod shape;
mod source;
mod stage;
mod terminal;
mod timing;
mod trace;
mod translate;
mod tune;
mod values;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};
use crate::failure::Failure;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => return refuse(&message),
    };
    let log = env_logger::Env::new().filter_or("ANYWARP_LOG", "warn,naga=off").write_style("ANYWARP_LOG_STYLE");
    env_logger::Builder::from_env(log).init();

    let result = match &cli.command {
        Command::Devices => devices::devices(cli.json),
        Command::Cache { command } => cache::cache(command, cli.json),
        Command::Inspect(arguments) => inspect::inspect(arguments, cli.json),
        Command::Op(arguments) => op::op(arguments, cli.json),
        Command::Bench(arguments) => bench::bench(arguments, cli.json),
        Command::Check(arguments) => check::check(arguments, cli.json),
        Command::Run(arguments) if arguments.watch => watch::watch(arguments, cli.json),
        Command::Run(arguments) => run::run(arguments, cli.json),
        Command::Tune(arguments) => tune::tune(arguments, cli.json),
        Command::Ring { command } => ring::ring(command, cli.json),
        Command::Trace { command } => trace::trace(command, cli.json),
        Command::Translate(arguments) => translate::translate(arguments, cli.json),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print(cli.json);
            failure.exit_code()
        }
    }
}

/// Reports an error of clap's parser, or prints `--help` and `--version`, which clap reports in the same way.
fn refuse(message: &clap::Error) -> ExitCode {
    let words = || std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let json = words().any(|word| word == "--json");
    let text = refusal::text(message, words()).filter(|_| message.use_stderr());
    let text = text.or_else(|| {
        // A usage error, which is printed as an object with `--json`.
        let plain = (message.use_stderr() && json).then(|| message.to_string())?;
        Some(plain.trim_start_matches("error: ").trim_end().to_owned())
    });
    if let Some(text) = text {
        let failure = Failure::Usage(text);
        failure.print(json);
        return failure.exit_code();
    }
    // A closed pipe is not an error.
    let _ = message.print();
    if message.use_stderr() { ExitCode::from(failure::USAGE) } else { ExitCode::SUCCESS }
}
