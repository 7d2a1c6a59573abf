//! Runs the conformance suite on every place that anywarp claims, and generates the table of places (`docs/places.md`)
//! from the results.
//!
//! ```text
//! matrix run vulkan-swiftshader dx12    # one line each: passed, failed, skipped
//! matrix record                         # turns the last runs into the table
//! matrix table --check                  # checks that the table matches the records
//! ```
//!
//! A place installs its requirements: Debian packages, a Python wheel, npm packages. If the installation fails, the
//! place fails with one line; with `ANYWARP_MATRIX_ALLOW_MISSING=1` it is skipped. Logs and records of a run are in
//! `target/matrix`.

mod also;
mod browser;
mod emulated;
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

/// Allows a place to be skipped if its tools cannot be installed.
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
        /// Names from `matrix list`.
        places: Vec<String>,
    },
    /// Reads a log of the suite from another machine.
    Read {
        /// The place of the table that the log belongs to.
        place: String,
        /// The output of the suite.
        log: PathBuf,
    },
    /// Copies the last runs to `docs/results/places`, and generates the table of places.
    Record,
    /// Generates the table of places (`docs/places.md`) from the records.
    Table {
        /// Only compares, and fails if the table differs.
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

/// Runs the places; returns whether all of them passed.
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
