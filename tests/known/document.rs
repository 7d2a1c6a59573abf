//! `docs/known-failures.md`, generated from the list, and checks that the list is complete.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::faults::{FAULTS, Fault, named};
use crate::reproduction::Reproduction;

/// The failing WGSL cases of WebGPU's conformance suite: a separate list whose entries name faults.
const CTS: &str = include_str!("../cts/known_failures.txt");

const HEAD: &str = "# Known failures

Faults of drivers and compilers that the tests have found. Each fault has a small kernel that shows it: the kernel must
fail where the fault is listed and pass on every other device, and `cargo test --test known` checks both. The cases of
the suites that fail because of the fault must fail, too, so that the list stays true.

Generated from `tests/support/faults.rs` by `cargo test --test known -- --write`.

| fault | where | component |
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
    Err(format!("{} does not match the list; run `cargo test --test known -- --write`", path().display()))
}

/// Checks that each fault has a small, complete reproduction, and that other lists name existing faults.
pub(crate) fn complete() -> Result<(), String> {
    for fault in FAULTS {
        let lines = Reproduction::of(fault)?.source.lines().count();
        if lines > 40 {
            return Err(format!("{}.wgsl has {lines} lines: a reproduction has at most 40", fault.name));
        }
    }
    match entries(CTS).find(|line| named(fault_of(line)).is_none()) {
        Some(line) => Err(format!("tests/cts/known_failures.txt names an unknown fault: {line}")),
        None => Ok(()),
    }
}

/// The path of the document.
pub(crate) fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/known-failures.md"))
}

fn text() -> String {
    let mut text = HEAD.to_owned();
    for fault in FAULTS {
        let _ = writeln!(text, "| [{}](#{}) | {} | {} |", fault.name, fault.name, place(fault), fault.component);
    }
    for fault in FAULTS {
        let _ = write!(
            text,
            "\n## {}\n\n{}\n\n- Where: {}. Component: {}.\n- Evidence: {}\n",
            fault.name,
            fault.what,
            place(fault),
            fault.component,
            fault.evidence
        );
        let cases = cases(fault);
        if !cases.is_empty() {
            let _ = writeln!(text, "- Cases: {}.", cases.join(", "));
        }
        let _ = write!(text, "\n```wgsl\n{}\n```\n", fault.reproduction.trim_end());
    }
    text
}

/// The devices with the fault: a backend, a part of the device's name or driver, and a missing CPU feature.
fn place(fault: &Fault) -> String {
    let place = match (fault.backend, fault.device) {
        ("", "") => "everywhere".to_owned(),
        ("", device) => format!("`{device}`"),
        (backend, "") => backend.to_owned(),
        (backend, device) => format!("{backend}, `{device}`"),
    };
    if fault.lacking.is_empty() { place } else { format!("{place} without {}", fault.lacking) }
}

fn cases(fault: &Fault) -> Vec<String> {
    let mut cases: Vec<String> = fault.cases.iter().map(|(suite, case)| format!("{suite} `{case}`")).collect();
    match entries(CTS).filter(|line| fault_of(line) == fault.name).count() {
        0 => {}
        1 => cases.push("cts: one entry of `tests/cts/known_failures.txt`".to_owned()),
        count => cases.push(format!("cts: {count} entries of `tests/cts/known_failures.txt`")),
    }
    cases
}

fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The fault that an entry names in its last field.
fn fault_of(line: &str) -> &str {
    line.rsplit(" | ").next().unwrap_or_default()
}
