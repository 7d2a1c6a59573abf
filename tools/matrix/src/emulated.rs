//! The processor of another architecture, emulated by QEMU: the suite, the unit tests of the CPU backend, and a part of the
//! WGSL conformance cases.
//!
//! QEMU runs the instructions of the other architecture on this one. So it proves the generated code and the calling
//! convention, but it keeps the order of memory accesses of this machine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::limited::{Ended, run};
use crate::native::{SUITE, built, found};
use crate::outcome::{Outcome, Report};
use crate::place::Place;
use crate::record::folder;
use crate::requirements::{Package, packages, standard_library};

const TARGET: &str = "aarch64-unknown-linux-gnu";
const LINKER: &str = "/usr/bin/aarch64-linux-gnu-gcc";
const QEMU: &str = "/usr/bin/qemu-aarch64";
/// The libraries of the other architecture.
const LIBRARIES: &str = "/usr/aarch64-linux-gnu";
const PACKAGES: &[Package] = &[("gcc-aarch64-linux-gnu", LINKER), ("qemu-user", QEMU)];
/// The time limit of each program, about ten times the time on two cores.
const RUNNING: Duration = Duration::from_secs(3600);
/// A unit test of how long a launch takes on the machine itself, which QEMU exceeds.
const OF_TIME: &str = "small_work_has_ended_when_it_is_submitted_and_costs_little";
/// The share of the conformance cases, in per cent.
const SHARE: &str = "2";

pub(crate) fn aarch64(root: &Path, place: &Place) -> Outcome {
    let folder = folder(root, place);
    if let Err(missing) = packages(&folder, PACKAGES).and_then(|()| standard_library(TARGET)) {
        return Outcome::Missing(missing);
    }
    every_part(root, place, &folder).unwrap_or_else(|outcome| outcome)
}

fn every_part(root: &Path, place: &Place, folder: &Path) -> Result<Outcome, Outcome> {
    let linker = [("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER)];
    let log = folder.join("build.log");
    let only_cpu = ["--package", "anywarp", "--no-default-features", "--features", "cpu"];
    let arguments =
        [&["test", "--no-run", "--target", TARGET, "--test", SUITE, "--test", "cts"], &only_cpu[..]].concat();
    let programs = built(root, &log, &arguments, &linker)?;
    let backend_log = folder.join("build-backend.log");
    let arguments = ["test", "--no-run", "--target", TARGET, "--package", "anywarp-cpu", "--lib"];
    let backend = built(root, &backend_log, &arguments, &linker)?;

    let suite_log = folder.join("suite.log");
    let mut suite = emulated(root, found(&programs, SUITE, &log)?);
    suite.arg(place.device).env("ANYWARP_REQUIRE", place.device);
    let report = match Outcome::of(place, &run(&mut suite, RUNNING, &suite_log), &suite_log) {
        Outcome::Ran(report) if report.failed == 0 => report,
        other => return Ok(other),
    };
    let unit_log = folder.join("backend.log");
    let mut unit = emulated(root, found(&backend, "anywarp_cpu", &backend_log)?);
    unit.args(["--skip", OF_TIME]);
    let mut also = format!("unit tests of the backend: {}", last_line(&run(&mut unit, RUNNING, &unit_log), &unit_log)?);
    if let Some(cases) = cases(root) {
        let cases_log = folder.join("cases.log");
        let mut replay = emulated(root, found(&programs, "cts", &log)?);
        replay.args(["--device", place.device, "--sample", SHARE, "--seed", "1", "--timeout", "900"]);
        replay.args(["--launcher", QEMU, "--launcher", "-L", "--launcher", LIBRARIES]).arg(cases);
        let total = last_line(&run(&mut replay, RUNNING, &cases_log), &cases_log)?;
        also += &format!("; {SHARE} % of the WGSL conformance cases: {total}");
    }
    Ok(Outcome::Ran(Report { also, ..report }))
}

/// A program of the other architecture.
fn emulated(root: &Path, program: &Path) -> Command {
    let mut command = Command::new(QEMU);
    command.current_dir(root).args(["-L", LIBRARIES]).arg(program).env("INSTA_UPDATE", "no");
    command
}

/// The folder of the conformance cases, if there is one.
fn cases(root: &Path) -> Option<PathBuf> {
    let folder = std::env::var_os("ANYWARP_CTS_DIR").map_or_else(|| root.join("../shared/conformance"), PathBuf::from);
    [folder.join("cases"), folder].into_iter().find(|folder| folder.is_dir())
}

/// The counts in the last line of a program that succeeded.
fn last_line(ended: &Ended, log: &Path) -> Result<String, Outcome> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no output");
    match ended {
        Ended::Status { code: Some(0), .. } => Ok(counts(last)),
        ended => Err(Outcome::Broken(format!("{last} ({ended:?})"), log.into())),
    }
}

/// The counts of the harness's last line without its words: `5 passed, 1 skipped`.
fn counts(line: &str) -> String {
    let counts = line.strip_prefix("test result: ok. ").unwrap_or(line);
    let kept = counts.split([';', ',']).map(str::trim).filter(|part| {
        let count = part.split(' ').next().unwrap_or_default();
        count != "0" && count.bytes().all(|digit| digit.is_ascii_digit()) && !count.is_empty()
    });
    kept.filter(|part| !part.ends_with("measured") && !part.ends_with("filtered out")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_both_harnesses() {
        let line = "test result: ok. 172 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 9.54s";
        assert_eq!(counts(line), "172 passed, 1 ignored");
        assert_eq!(counts("345 passed, 0 failed, 12 skipped"), "345 passed, 12 skipped");
    }

    #[test]
    fn a_program_that_fails_breaks_the_place() {
        let log = std::env::temp_dir().join(format!("anywarp-matrix-emulated-{}.log", std::process::id()));
        std::fs::write(&log, "line\n3 passed, 1 failed, 0 skipped\n").expect("the log");
        let ended = |code| Ended::Status { code: Some(code), seconds: 1 };
        let (good, bad) = (last_line(&ended(0), &log), last_line(&ended(1), &log));
        std::fs::remove_file(&log).expect("the log");
        assert!(good.is_ok_and(|counts| counts == "3 passed, 1 failed"));
        assert!(bad.is_err_and(|outcome| outcome.line(false).contains("3 passed, 1 failed")));
    }
}
