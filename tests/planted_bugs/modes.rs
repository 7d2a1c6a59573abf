//! The effects of the checked mode on a program.

use anywarp::backend::Touch;
use anywarp::{Device, FindingKind, Severity};
use libtest_mimic::{Failed, Trial};

/// A kernel with one race and one index out of range.
const DEFECTIVE: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    data[i] = data[i + 1];
}";

/// The environment variable for a child process, which opens a device, runs a defective kernel, and collects the
/// findings only if the value is `collect`.
const CHILD: &str = "ANYWARP_TEST_UNCOLLECTED";

/// Whether this process is a child of a test; if so, it has run the defective kernel when this returns.
pub(crate) fn is_child() -> bool {
    let Ok(wanted) = std::env::var(CHILD) else { return false };
    let device = Device::open_default().expect("a device");
    run(&device, 2).expect("a run");
    if wanted == "collect" {
        println!("{} collected", device.findings().len());
    }
    // The buffer keeps the device open.
    let kept = device.buffer::<u32>(4).expect("a buffer");
    drop(device);
    eprintln!("the device is dropped");
    drop(kept);
    true
}

fn findings_not_collected_are_printed_at_the_end() -> Result<(), Failed> {
    let said = |device: &str, wanted: &str| -> Result<(String, String), Failed> {
        let output = std::process::Command::new(std::env::current_exe()?)
            .env(CHILD, wanted)
            .env("ANYWARP_DEVICE", device)
            .output()?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok((text(output.stdout), text(output.stderr)))
    };
    let (_, said_checked) = said("cpu:checked", "leave")?;
    let after = said_checked.strip_prefix("the device is dropped\n").ok_or(said_checked.clone())?;
    assert!(
        after.contains("out-of-range") && after.contains("race") && after.contains("data[i] = data[i + 1]"),
        "{after}"
    );
    assert!(after.contains("cpu:checked: 2 findings were not collected by `Device::findings`"), "{after}");
    assert_eq!(said("cpu:checked", "collect")?, ("2 collected\n".to_owned(), "the device is dropped\n".to_owned()));
    assert_eq!(said("cpu", "leave")?.1, "the device is dropped\n");
    Ok(())
}

/// A named case that must succeed.
type Case = (&'static str, fn() -> Result<(), Failed>);

pub(crate) fn trials() -> Vec<Trial> {
    let cases: [Case; 9] = [
        ("the_plain_mode_finds_nothing", the_plain_mode_finds_nothing),
        ("both_modes_compute_the_same", both_modes_compute_the_same),
        ("findings_are_taken_once_and_counted", findings_are_taken_once_and_counted),
        ("a_finding_names_both_sides", a_finding_names_both_sides),
        ("the_text_shows_the_line", the_text_shows_the_line),
        ("findings_not_collected_are_printed_at_the_end", findings_not_collected_are_printed_at_the_end),
        ("reads_of_zeros_are_notes", reads_of_zeros_are_notes),
        ("the_access_itself_is_marked", the_access_itself_is_marked),
        ("a_whole_read_has_its_own_line", a_whole_read_has_its_own_line),
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
    let (one, other) = (race.invocation.ok_or("no invocation")?, race.other.as_ref().ok_or("no other invocation")?);
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

/// A kernel without a bug: each variable is zero at the start.
const ZEROS: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> counts: array<u32, 64>;
var<workgroup> all: atomic<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    var total: array<u32, 4>;
    total[i % 4u] += data[i];
    counts[i] += total[i % 4u];
    atomicAdd(&all, 1u);
    workgroupBarrier();
    var sum: u32;
    for (var k = 0u; k < 4u; k++) { sum += counts[(i + k) % 64u]; }
    data[i] = sum + atomicLoad(&all);
}";

/// The findings of a kernel with one buffer, `data`, of 64 words.
fn findings_of(wgsl: &str) -> Result<anywarp::Findings, Failed> {
    let device = Device::open("cpu:checked")?;
    let kernel = device.kernel(wgsl)?;
    let mut data = device.buffer_from(&[0u8; 256])?;
    kernel.launch().bind("data", &mut data).groups(1)?;
    Ok(device.findings())
}

fn reads_of_zeros_are_notes() -> Result<(), Failed> {
    let findings = findings_of(ZEROS)?;
    assert!(!findings.is_empty() && !findings.has_errors(), "{findings}");
    assert!(findings.iter().all(|finding| finding.kind.severity() == Severity::Note));
    assert!(findings.to_string().starts_with("note: uninitialised: "), "{findings}");
    let broken = findings_of(&ZEROS.replace("workgroupBarrier();", ""))?;
    assert!(broken.has_errors() && broken.errors().all(|finding| finding.kind == FindingKind::Race), "{broken}");
    assert!(broken.errors().count() < broken.len());
    Ok(())
}

/// The part of a line that a finding marks.
fn marked(finding: &anywarp::Finding) -> &str {
    let start = finding.at.column as usize - 1;
    &finding.at.text[start..start + finding.at.width as usize]
}

fn the_access_itself_is_marked() -> Result<(), Failed> {
    let findings = findings_of(ZEROS)?;
    let mut found: Vec<(&str, &str)> =
        findings.iter().map(|finding| (finding.variable.as_str(), marked(finding))).collect();
    found.sort_unstable();
    let wanted = [("counts", "counts[i]"), ("sum", "sum += counts[(i + k) % 64u]"), ("total", "total[i % 4u]")];
    assert_eq!(found, wanted);
    let race = findings_of(&ZEROS.replace("workgroupBarrier();", ""))?;
    let race = race.errors().next().ok_or("no race")?;
    assert_eq!(marked(race), "counts[(i + k) % 64u]", "{race}");
    Ok(())
}

fn a_whole_read_has_its_own_line() -> Result<(), Failed> {
    let findings = findings_of(
        "struct Whole { v: vec3<f32>, w: f32 }
@group(0) @binding(0) var<storage, read_write> data: Whole;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    let whole = data;
    let part = whole.v;
    if i == 1u { data.w = part.x; }
}",
    )?;
    let race = findings.errors().next().ok_or("no race")?;
    let other = race.other.as_ref().ok_or("no other side")?;
    assert_eq!((race.at.line, other.at.line, other.at.column), (7, 5, 17), "{race}");
    Ok(())
}
