//! Findings and debug output of `kernels!` name the source files.

use anywarp::{Device, FindingKind, Result};

anywarp::kernels!(mod past = "tests/library/typed_kernels/past_the_end.wgsl", root = "tests/library");

#[test]
fn debug_output_names_the_imported_file() -> Result<()> {
    let device = Device::open("cpu")?;
    let mut data = device.buffer::<u32>(4)?;
    past::main(&device)?.launch(past::Args { data: &mut data }).groups(1)?;
    let output = device.debug_output()?;
    let [line] = output.lines.as_slice() else { panic!("expected one line, got {output:?}") };
    assert_eq!((&*line.file, line.line), ("tests/library/typed_kernels/writes.wgsl", 6));
    assert_eq!(&*line.kernel, "tests/library/typed_kernels/past_the_end.wgsl:main");
    Ok(())
}

#[test]
fn findings_name_the_imported_file() -> Result<()> {
    let device = Device::open("cpu:checked")?;
    let mut data = device.buffer::<u32>(4)?;
    past::main(&device)?.launch(past::Args { data: &mut data }).groups(1)?;
    device.synchronize()?;
    let findings = device.findings();
    let found: Vec<_> = findings.iter().collect();
    let [finding] = found.as_slice() else { panic!("expected one finding, got {findings}") };
    assert!(matches!(finding.kind, FindingKind::OutOfRange), "{finding}");
    assert_eq!((&*finding.at.file, finding.at.line), ("tests/library/typed_kernels/writes.wgsl", 7));
    Ok(())
}
