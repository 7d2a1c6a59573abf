//! `docs/known-failures.md`, generated from the list, and checks that the list is complete.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::reproduction::Reproduction;
use anywarp_testing_devices::driver_bugs::{DRIVER_BUGS, DriverBug, named};

/// The list of failing cases from WebGPU's conformance suite, whose entries name bugs.
const CTS: &str = include_str!("../cts/known_failures.txt");

const HEAD: &str = "# Known failures

Bugs of drivers and compilers that the tests have found. Each bug has a small kernel that shows it: the kernel must
fail where the bug is listed and pass on every other device, and `cargo test --test driver_bugs` checks both. The cases of
the suites that fail because of the bug must fail, too, so that the list stays true.

Generated from `testing/devices/src/driver_bugs.rs` by `cargo test --test driver_bugs -- --write`.

| bug | where | component |
|---|---|---|
";

/// Writes the document.
pub(crate) fn write() -> ExitCode {
    match std::fs::write(path(), text()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", path().display());
            ExitCode::FAILURE
        }
    }
}

/// Checks that the document matches the list.
pub(crate) fn check() -> Result<(), String> {
    let written = std::fs::read_to_string(path()).unwrap_or_default();
    if written.replace("\r\n", "\n") == text() {
        return Ok(());
    }
    Err(format!("{} does not match the list; run `cargo test --test driver_bugs -- --write`", path().display()))
}

/// Checks that each bug has a small, complete reproduction, and that other lists only name existing bugs.
pub(crate) fn complete() -> Result<(), String> {
    for bug in DRIVER_BUGS {
        let lines = Reproduction::of(bug)?.source.lines().count();
        if lines > 40 {
            return Err(format!("{}.wgsl has {lines} lines: a reproduction has at most 40", bug.name));
        }
    }
    match entries(CTS).find(|line| named(bug_of(line)).is_none()) {
        Some(line) => Err(format!("tests/cts/known_failures.txt names an unknown bug: {line}")),
        None => Ok(()),
    }
}

/// The path of the document.
pub(crate) fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/known-failures.md"))
}

fn text() -> String {
    let mut text = HEAD.to_owned();
    for bug in DRIVER_BUGS {
        let _ = writeln!(text, "| [{}](#{}) | {} | {} |", bug.name, bug.name, place(bug), bug.component);
    }
    for bug in DRIVER_BUGS {
        let _ = write!(
            text,
            "\n## {}\n\n{}\n\n- Where: {}. Component: {}.\n- Evidence: {}\n",
            bug.name,
            bug.what,
            place(bug),
            bug.component,
            bug.evidence
        );
        let cases = cases(bug);
        if !cases.is_empty() {
            let _ = writeln!(text, "- Cases: {}.", cases.join(", "));
        }
        let _ = write!(text, "\n```wgsl\n{}\n```\n", bug.reproduction.trim_end());
    }
    text
}

/// The devices that have the bug: a backend, a part of the device's name or driver, and a missing CPU feature.
fn place(bug: &DriverBug) -> String {
    let place = match (bug.backend, bug.device) {
        ("", "") => "everywhere".to_owned(),
        ("", device) => format!("`{device}`"),
        (backend, "") => backend.to_owned(),
        (backend, device) => format!("{backend}, `{device}`"),
    };
    if bug.lacking.is_empty() { place } else { format!("{place} without {}", bug.lacking) }
}

fn cases(bug: &DriverBug) -> Vec<String> {
    let mut cases: Vec<String> = bug.cases.iter().map(|(suite, case)| format!("{suite} `{case}`")).collect();
    match entries(CTS).filter(|line| bug_of(line) == bug.name).count() {
        0 => {}
        1 => cases.push("cts: one entry of `tests/cts/known_failures.txt`".to_owned()),
        count => cases.push(format!("cts: {count} entries of `tests/cts/known_failures.txt`")),
    }
    cases
}

fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The bug that an entry of the list names in its last field but one.
fn bug_of(line: &str) -> &str {
    line.rsplit(" | ").nth(1).unwrap_or_default()
}
