//! What the mode changes for a program, and what it leaves alone.

use anywarp::backend::Touch;
use anywarp::{Device, FindingKind};
use libtest_mimic::{Failed, Trial};

/// One race, one index out of range.
const DEFECTIVE: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    data[i] = data[i + 1];
}";

/// A name, and what must succeed.
type Case = (&'static str, fn() -> Result<(), Failed>);

pub(crate) fn trials() -> Vec<Trial> {
    let cases: [Case; 5] = [
        ("the_plain_mode_finds_nothing", the_plain_mode_finds_nothing),
        ("both_modes_compute_the_same", both_modes_compute_the_same),
        ("findings_are_taken_once_and_counted", findings_are_taken_once_and_counted),
        ("a_finding_names_both_sides", a_finding_names_both_sides),
        ("the_text_shows_the_line", the_text_shows_the_line),
    ];
    cases.into_iter().map(|(name, run)| Trial::test(format!("modes::{name}"), run)).collect()
}

fn run(device: &Device, times: usize) -> Result<Vec<u32>, Failed> {
    let kernel = device.kernel(DEFECTIVE)?;
    let mut data = device.buffer_from(&(0..64).collect::<Vec<u32>>())?;
    for _ in 0..times {
        kernel.launch().bind("data", &mut data).groups(1)?;
    }
    Ok(data.read()?.to_vec())
}

fn the_plain_mode_finds_nothing() -> Result<(), Failed> {
    let device = Device::open("cpu")?;
    run(&device, 3)?;
    assert!(!device.caps().checked && device.findings().is_empty());
    assert!(Device::open("cpu:checked")?.caps().checked);
    Ok(())
}

fn both_modes_compute_the_same() -> Result<(), Failed> {
    assert_eq!(run(&Device::open("cpu")?, 1)?, run(&Device::open("cpu:checked")?, 1)?);
    Ok(())
}

fn findings_are_taken_once_and_counted() -> Result<(), Failed> {
    let device = Device::open("cpu:checked")?;
    run(&device, 3)?;
    let findings = device.findings();
    assert_eq!(findings.len(), 2, "{findings}");
    let outside = findings.iter().find(|finding| finding.kind == FindingKind::OutOfRange).ok_or("no index")?;
    assert_eq!(outside.occurrences, 3);
    assert!(device.findings().is_empty());
    Ok(())
}

fn a_finding_names_both_sides() -> Result<(), Failed> {
    let device = Device::open("cpu:checked")?;
    run(&device, 1)?;
    let findings = device.findings();
    let race = findings.iter().find(|finding| finding.kind == FindingKind::Race).ok_or("no race")?;
    let (one, other) = (race.invocation.ok_or("nobody")?, race.other.as_ref().ok_or("nobody else")?);
    assert_ne!(one.global, other.invocation.global);
    let touches = [race.touch, other.touch];
    assert!(touches.contains(&Some(Touch::Read)) && touches.contains(&Some(Touch::Write)), "{race}");
    let outside = findings.iter().find(|finding| finding.kind == FindingKind::OutOfRange).ok_or("no index")?;
    assert_eq!((outside.index, outside.count), (Some(64), Some(64)));
    assert_eq!(outside.invocation.map(|invocation| invocation.global), Some([63, 0, 0]));
    Ok(())
}

fn the_text_shows_the_line() -> Result<(), Failed> {
    let device = Device::open("cpu:checked")?;
    run(&device, 1)?;
    let text = device.findings().to_string();
    for part in ["out-of-range: index 64", "--> kernel:5:15", "data[i] = data[i + 1];", "^^^^^^^^^^^", "= help:"] {
        assert!(text.contains(part), "no '{part}' in\n{text}");
    }
    Ok(())
}
