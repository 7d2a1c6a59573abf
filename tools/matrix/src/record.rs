//! Records of runs: in `target/matrix` after each run, in `docs/results/places` for the table of places.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::outcome::Report;
use crate::place::{PLACES, Place};

/// One run of the suite.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The place's name.
    pub(crate) place: String,
    /// The date of the run: year-month-day.
    pub(crate) date: String,
    /// The commit of the run.
    pub(crate) commit: String,
    /// The suite's results.
    #[serde(flatten)]
    pub(crate) report: Report,
}

/// The folder of a place's logs.
pub(crate) fn folder(root: &Path, place: &Place) -> PathBuf {
    let folder = runs(root).join(place.name);
    // If this fails, writing the first log fails too, and reports it.
    let _ = std::fs::create_dir_all(&folder);
    folder
}

/// Stores a place's report until its next run.
pub(crate) fn keep(root: &Path, place: &Place, report: &Report) -> Result<(), String> {
    let record = Record {
        place: place.name.to_owned(),
        date: said(root, "date", &["-u", "+%Y-%m-%d"])?,
        commit: said(root, "git", &["rev-parse", "--short=7", "HEAD"])?,
        report: report.clone(),
    };
    let text = serde_json::to_string_pretty(&record).map_err(|error| error.to_string())?;
    write(&folder(root, place).join("record.json"), &(text + "\n"))
}

/// Copies the last runs into the repository.
///
/// A run with failed tests is refused.
pub(crate) fn take(root: &Path) -> Result<(), String> {
    let folder = claims(root);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be created: {error}", folder.display()))?;
    for place in PLACES {
        let Ok(text) = std::fs::read_to_string(runs(root).join(place.name).join("record.json")) else { continue };
        let record = parse(&text, place)?;
        if record.report.failed > 0 {
            return Err(format!("{}: {} tests failed in the last run", place.name, record.report.failed));
        }
        write(&folder.join(format!("{}.json", place.name)), &text)?;
    }
    Ok(())
}

/// The records in the repository; places that never ran have none.
pub(crate) fn claimed(root: &Path) -> Result<Vec<(&'static Place, Option<Record>)>, String> {
    let read = |place: &'static Place| match std::fs::read_to_string(claims(root).join(format!("{}.json", place.name)))
    {
        Ok(text) => parse(&text, place).map(|record| (place, Some(record))),
        Err(_) => Ok((place, None)),
    };
    PLACES.iter().map(read).collect()
}

fn runs(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("matrix")
}

fn claims(root: &Path) -> PathBuf {
    root.join("docs/results/places")
}

fn parse(text: &str, place: &Place) -> Result<Record, String> {
    serde_json::from_str(text).map_err(|error| format!("the record of {} cannot be read: {error}", place.name))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("{} cannot be written: {error}", file.display()))
}

/// The first line of a program's output.
fn said(root: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).current_dir(root).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(str::to_owned).ok_or_else(|| format!("{program} {} printed nothing", arguments.join(" ")))
}
