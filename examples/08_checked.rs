//! A faulty kernel on `cpu:checked`: the findings, the corrected kernel without findings, and printing from a kernel.

use anywarp::{Device, FindingKind, Kernel, Wgsl};

/// A kernel that should reverse each run of 64 numbers, but has two faults: a barrier is missing between writing the
/// tile and reading the elements of other invocations, and the index is one too large.
const BROKEN: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn reverse(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) own: u32) {
    tile[own] = data[id.x];
    data[id.x] = tile[64 - own];
}
";

const PRINTING: &str = "\
// anywarp:debug
fn debug(step: u32, sum: u32) {}

@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0u;
    for (var step = 1u; step <= 3; step++) {
        sum += step * id.x;
        if id.x == 7 { debug(step, sum); }
    }
}
";

fn main() -> anywarp::Result<()> {
    let device = Device::open("cpu:checked")?;
    let broken = device.kernel(Wgsl::new(BROKEN).file("reverse.wgsl"))?;
    run(&device, &broken)?;
    let findings = device.findings();
    println!("{findings}\n");
    for kind in [FindingKind::Race, FindingKind::OutOfRange] {
        assert!(findings.iter().any(|finding| finding.kind == kind && finding.at.line == 7), "{kind} is not found");
    }

    let text = BROKEN.replace("    data[id.x] = tile[64", "    workgroupBarrier();\n    data[id.x] = tile[63");
    let repaired = device.kernel(Wgsl::new(text).file("reverse.wgsl"))?;
    let reversed = run(&device, &repaired)?;
    assert!(reversed.iter().enumerate().all(|(at, value)| *value == (at as u32 ^ 63)));
    assert!(device.findings().is_empty());
    println!("corrected: no findings, and the numbers are in reverse order: {:?}...\n", &reversed[..4]);

    // Printing works on every device.
    let device = Device::open_default()?;
    device.kernel(Wgsl::new(PRINTING).file("count.wgsl"))?.launch().threads(256)?;
    let output = device.debug_output()?;
    print!("{} printed:\n{output}", device.caps().name);
    assert_eq!(output.lines.len(), 3);
    Ok(())
}

fn run(device: &Device, kernel: &Kernel) -> anywarp::Result<Vec<u32>> {
    let numbers: Vec<u32> = (0..256).collect();
    let mut data = device.buffer_from(&numbers)?;
    kernel.launch().bind("data", &mut data).threads(256)?;
    Ok(data.read()?.to_vec())
}
