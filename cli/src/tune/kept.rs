//! Kept results: listed, exported, imported, removed.

use std::path::PathBuf;

use anywarp::tune::{Kept, Record, State, Store};
use clap::Subcommand;
use serde_json::{Value, json};

use super::operator::{self, OperatorArgs};
use crate::composition::read_text;
use crate::failure::Failure;
use crate::terminal;

#[derive(Debug, Subcommand)]
pub(crate) enum KeptCommand {
    /// Find the kernels with which an operator is fastest: `tune op matmul --sizes 4096`
    Op(Box<OperatorArgs>),
    /// Print the best values that are kept, by kernel, device and sizes
    Show,
    /// Write all kept results, as text for `import`
    Export {
        /// The file [default: stdout]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Add results that `export` has written; later ones replace earlier ones
    Import {
        /// The file; `-` reads stdin
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Remove all kept results
    Clear,
}

pub(super) fn run(command: &KeptCommand, json: bool) -> Result<(), Failure> {
    if let KeptCommand::Op(arguments) = command {
        return operator::run(arguments, json);
    }
    let Some(store) = Store::of_this_user() else {
        return Err(Failure::File(
            "no results are kept: ANYWARP_CACHE is 'off', or no folder is known for it".to_owned(),
        ));
    };
    match command {
        // Handled above, as it needs no folder.
        KeptCommand::Op(_) => Ok(()),
        KeptCommand::Show => {
            let kept = store.read()?;
            report(&kept);
            terminal::print(&if json { as_json(&kept) } else { table(&store, &kept) })
        }
        KeptCommand::Export { file } => {
            let kept = store.read()?;
            report(&kept);
            match file {
                None => terminal::print(kept.to_string().trim_end()),
                Some(file) => std::fs::write(file, kept.to_string())
                    .map_err(|error| Failure::File(format!("{}: {error}", file.display()))),
            }
        }
        KeptCommand::Import { file } => {
            let text = read_text(file).map_err(|error| Failure::File(format!("{}: {error}", file.display())))?;
            let kept = store.import(&text)?;
            report(&kept);
            if kept.records.is_empty() && !kept.problems.is_empty() {
                return Err(Failure::File(format!("{}: expected results of tuning, found none", file.display())));
            }
            print_count("imported", kept.records.len(), json)
        }
        KeptCommand::Clear => print_count("removed", store.clear()?, json),
    }
}

fn print_count(what: &str, count: usize, json: bool) -> Result<(), Failure> {
    let unit = if what == "removed" { "file" } else { "result" };
    let plural = if count == 1 { "" } else { "s" };
    terminal::print(&if json { json!({ what: count }).to_string() } else { format!("{count} {unit}{plural} {what}") })
}

/// Reports lines that were ignored.
fn report(kept: &Kept) {
    for problem in &kept.problems {
        eprintln!("warning: {problem}");
    }
}

fn table(store: &Store, kept: &Kept) -> String {
    let mut table = terminal::table();
    table.set_header(["kernel", "sizes", "best values", "cost", "device", "version"]);
    for record in kept.records.iter().filter(|record| record.state == State::Best) {
        // The fingerprint behind the name serves machines; an operator has the word `operator` there.
        let kernel = record.kernel.rsplit_once(' ').map_or(record.kernel.as_str(), |(name, _)| name);
        let energy = record.energy.map(|joules| format!("{:.3} mJ", joules * 1e3));
        let cost = record.time.map(terminal::duration).or(energy).unwrap_or("-".to_owned());
        let (device, version) = (&record.device, &record.version);
        table.add_row([kernel, &record.sizes, &record.values, &cost, device, version]);
    }
    format!("{}: {} candidates\n\n{}", store.folder().display(), kept.records.len(), table.trim_fmt())
}

fn as_json(kept: &Kept) -> String {
    let one = |record: &Record| -> Value {
        let (state, reason) = match &record.state {
            State::Best => ("best", None),
            State::Dropped(reason) => ("dropped", Some(reason)),
            _ => ("measured", None),
        };
        json!({
            "device": record.device, "driver": record.driver, "version": record.version, "kernel": record.kernel,
            "sizes": record.sizes, "values": record.values, "at_us": record.at,
            "time_us": record.time.map(|time| time.as_nanos() as f64 / 1e3), "joules": record.energy,
            "rounds": record.rounds,
            "state": state, "reason": reason,
        })
    };
    let records: Vec<Value> = kept.records.iter().map(one).collect();
    format!("{:#}", json!({ "results": records, "problems": kept.problems }))
}
