//! Runs the conformance suite on every place that anywarp claims, and makes the table of places
//! (`docs/places.md`) of what ran.
//!
//! ```text
//! matrix run vulkan-swiftshader dx12    # one line each: passed, failed, skipped
//! matrix record                         # what ran becomes the table
//! matrix table --check                  # the table says what the records say
//! ```
//!
//! A place that needs something installs it: Debian packages, a Python wheel, npm packages. What cannot
//! be installed is a failure of its place, said in one line; with `ANYWARP_MATRIX_ALLOW_MISSING=1` it is
//! skipped. Logs and records of a run lie in `target/matrix`.

mod browser;
mod limited;
mod native;
mod outcome;
mod place;
mod record;
mod requirements;
mod table;
mod wine;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use outcome::Outcome;
use place::{PLACES, Place};

/// Lets a place be skipped whose tools cannot be installed.
const ALLOW_MISSING: &str = "ANYWARP_MATRIX_ALLOW_MISSING";

#[derive(Parser)]
#[command(name = "matrix", about = "The conformance suite on every place that anywarp claims")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lists the places.
    List,
    /// Runs the suite on the places named, or on all.
    Run {
        /// As `matrix list` names them.
        places: Vec<String>,
    },
    /// Reads a log of the suite that was run by hand, on a machine that is not at hand here.
    Read {
        /// The place of the table that the log belongs to.
        place: String,
        /// What the suite printed.
        log: PathBuf,
    },
    /// Takes what ran last into `docs/results/places`, and makes the table of places of it.
    Record,
    /// Makes the table of places (`docs/places.md`) of the records.
    Table {
        /// Only compares, and fails if the table says something else.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
    let done = match Arguments::parse().command {
        Command::List => {
            for place in PLACES {
                println!("{:<20} {}", place.name, place.title);
            }
            Ok(true)
        }
        Command::Run { places } => run(root, &places),
        Command::Read { place, log } => read(root, &place, &log),
        Command::Record => record::take(root).and_then(|()| table::write(root)).map(|()| true),
        Command::Table { check: true } => table::check(root).map(|()| true),
        Command::Table { check: false } => table::write(root).map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("matrix: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all of the places passed.
fn run(root: &Path, names: &[String]) -> Result<bool, String> {
    let places: Vec<&Place> = if names.is_empty() {
        PLACES.iter().filter(|place| place.run.is_some()).collect()
    } else {
        names.iter().map(|name| place::named(name)).collect::<Result<_, _>>()?
    };
    let allow_missing = std::env::var(ALLOW_MISSING).is_ok_and(|value| value == "1");
    let mut all_well = true;
    for place in places {
        let Some(run) = place.run else {
            return Err(format!("{} cannot be run here: {}", place.name, place.how));
        };
        let outcome = run(root, place);
        println!("matrix::{} ... {}", place.name, outcome.line(allow_missing));
        all_well &= outcome.is_well(allow_missing);
        if let Outcome::Ran(report) = outcome {
            record::keep(root, place, &report)?;
        }
    }
    Ok(all_well)
}

fn read(root: &Path, name: &str, log: &Path) -> Result<bool, String> {
    let place = place::named(name)?;
    let text = std::fs::read_to_string(log).map_err(|error| format!("{}: {error}", log.display()))?;
    let outcome = Outcome::of_log(place, &text, log);
    println!("matrix::{} ... {}", place.name, outcome.line(false));
    if let Outcome::Ran(report) = &outcome {
        record::keep(root, place, report)?;
    }
    Ok(outcome.is_well(false))
}
