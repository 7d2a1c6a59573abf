//! The processor of another architecture, emulated by QEMU: the suite, the rings, the unit tests of the CPU backend, and a part
//! of the WGSL conformance cases.
//!
//! QEMU runs the instructions of the other architecture on this one. So it proves the generated code and the calling
//! convention, but it keeps the order of memory accesses of this machine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::also::{last_line, with, with_tests};
use crate::limited::run;
use crate::native::{RINGS, SUITE, built, found};
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
        [&["test", "--no-run", "--target", TARGET, "--test", SUITE, "--test", RINGS, "--test", "cts"], &only_cpu[..]]
            .concat();
    let programs = built(root, &log, &arguments, &linker)?;
    let backend_log = folder.join("build-backend.log");
    let arguments = ["test", "--no-run", "--target", TARGET, "--package", "anywarp-cpu", "--lib"];
    let backend = built(root, &backend_log, &arguments, &linker)?;

    let report = match tests(root, place, found(&programs, SUITE, &log)?, &folder.join("suite.log")) {
        Outcome::Ran(report) if report.failed == 0 => report,
        other => return Ok(other),
    };
    // The suite prints the name of this machine's processor, which is not the one that runs it.
    let report = Report { device: format!("{}, {}", emulator()?, driver(&report.device)), ..report };
    let rings = tests(root, place, found(&programs, RINGS, &log)?, &folder.join("rings.log"));
    let mut report = match with_tests(report, "rings", rings) {
        Outcome::Ran(report) if report.failed == 0 => report,
        other => return Ok(other),
    };
    let unit_log = folder.join("backend.log");
    let mut unit = emulated(root, found(&backend, "anywarp_cpu", &backend_log)?);
    unit.args(["--skip", OF_TIME]);
    let total = last_line(&run(&mut unit, RUNNING, &unit_log), &unit_log)?;
    report = with(report, &format!("unit tests of the backend: {total}"));
    if let Some(cases) = cases(root) {
        let cases_log = folder.join("cases.log");
        let mut replay = emulated(root, found(&programs, "cts", &log)?);
        replay.args(["--device", place.device, "--sample", SHARE, "--seed", "1", "--timeout", "900"]);
        replay.args(["--launcher", QEMU, "--launcher", "-L", "--launcher", LIBRARIES]).arg(cases);
        let total = last_line(&run(&mut replay, RUNNING, &cases_log), &cases_log)?;
        report = with(report, &format!("{SHARE} % of the WGSL conformance cases: {total}"));
    }
    Ok(Outcome::Ran(report))
}

/// Runs the tests of a program on the place's device.
fn tests(root: &Path, place: &Place, program: &Path, log: &Path) -> Outcome {
    let mut tests = emulated(root, program);
    tests.arg(place.device).env("ANYWARP_REQUIRE", place.device);
    Outcome::of(place, &run(&mut tests, RUNNING, log), log)
}

/// The emulator and its version: `QEMU 7.2.22`.
fn emulator() -> Result<String, Outcome> {
    let output = Command::new(QEMU).arg("--version").output();
    let output = output.map_err(|error| Outcome::Missing(format!("{QEMU} cannot be started: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    // "qemu-aarch64 version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)".
    let version = text.split_whitespace().skip_while(|word| *word != "version").nth(1).unwrap_or("of unknown version");
    Ok(format!("QEMU {version}"))
}

/// The driver in a description of the CPU backend, `AMD EPYC Cranelift 0.135`.
fn driver(device: &str) -> &str {
    device.rfind("Cranelift").map_or(device, |at| &device[at..])
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
