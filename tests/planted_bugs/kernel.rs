//! One kernel from a file: its arguments and expected findings.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anywarp::backend::BindingClass;
use anywarp::{Device, Findings, Kernel, KernelError, UnifiedBuffer, Wgsl};

/// The expected findings: kind, line and variable.
type Wanted = BTreeSet<(String, u32, String)>;

/// The launch that a file describes.
#[derive(Default)]
struct Plan {
    groups: Option<[u32; 3]>,
    buffers: Vec<(String, usize, bool)>,
    sets: Vec<(String, u32)>,
    stops: bool,
}

/// Runs the kernel of a file and compares its findings with the expected ones.
pub(crate) fn run(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let wanted = wanted(&text)?;
    let device = Device::open("cpu:checked").map_err(|error| error.to_string())?;
    let wgsl = Wgsl::open(path).map_err(|error| error.to_string())?;
    let wgsl = wgsl.file(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
    let kernels = match device.kernel(wgsl.clone()) {
        // The kernels of all entry points are tested.
        Err(KernelError::WhichEntryPoint { candidates, .. }) => {
            let each = candidates.into_iter().map(|entry| device.kernel(wgsl.clone().entry(entry)));
            each.collect::<Result<Vec<_>, _>>()
        }
        one => one.map(|kernel| vec![kernel]),
    };
    let mut findings = Findings::default();
    for kernel in kernels.map_err(|error| error.to_string())? {
        findings.extend(launched(&device, &kernel, &text)?);
    }
    let found: Wanted = findings.iter().map(|f| (f.kind.name().to_owned(), f.at.line, f.variable.clone())).collect();
    if found == wanted {
        return Ok(());
    }
    let mut message = String::new();
    for missing in wanted.difference(&found) {
        let _ = writeln!(message, "not found: {missing:?}");
    }
    for extra in found.difference(&wanted) {
        let _ = writeln!(message, "found, but not expected: {extra:?}");
    }
    Err(format!("{message}\n{findings}"))
}

fn wanted(text: &str) -> Result<Wanted, String> {
    let mut wanted = Wanted::new();
    for (number, line) in (1..).zip(text.lines()) {
        for marker in line.split("//~").skip(1) {
            let mut words = marker.split_whitespace();
            let kind = words.next().ok_or_else(|| format!("line {number}: a marker without a kind"))?;
            wanted.insert((kind.to_owned(), number, words.next().unwrap_or("").to_owned()));
        }
    }
    Ok(wanted)
}

fn plan(text: &str) -> Result<Plan, String> {
    let mut plan = Plan::default();
    for line in text.lines().filter_map(|line| line.strip_prefix("//!")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |text: &str| text.parse::<u32>().map_err(|error| format!("{line}: {error}"));
        match words[..] {
            ["groups", extent] => {
                let mut groups = [1; 3];
                for (axis, count) in extent.split(',').enumerate() {
                    groups[axis] = number(count)?;
                }
                plan.groups = Some(groups);
            }
            ["buffer", name, count] => plan.buffers.push((name.to_owned(), number(count)? as usize, false)),
            ["buffer", name, count, "iota"] => plan.buffers.push((name.to_owned(), number(count)? as usize, true)),
            ["set", path, value] => plan.sets.push((path.to_owned(), number(value)?)),
            ["stops"] => plan.stops = true,
            _ => return Err(format!("unknown directive: {line}")),
        }
    }
    Ok(plan)
}

/// Runs the launch that the file describes; returns its findings.
fn launched(device: &Device, kernel: &Kernel, text: &str) -> Result<Findings, String> {
    let plan = plan(text)?;
    let mut buffers: Vec<(String, UnifiedBuffer<u8>)> = Vec::new();
    for binding in kernel.bindings().iter().filter(|binding| binding.class != BindingClass::Uniform) {
        let given = plan.buffers.iter().find(|(name, ..)| *name == binding.name);
        let (count, iota) = given.map_or((64, false), |(_, count, iota)| (*count, *iota));
        let words = (0..count as u32).map(|index| if iota { index } else { 0 });
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        buffers.push((binding.name.clone(), device.buffer_from(&bytes).map_err(|error| error.to_string())?));
    }
    let mut launch = kernel.launch();
    for (name, buffer) in &mut buffers {
        launch = launch.bind(name, buffer);
    }
    for binding in kernel.bindings().iter().filter(|binding| binding.class == BindingClass::Uniform) {
        launch = launch.set_bytes(&binding.name, &vec![0; binding.layout.size as usize]);
    }
    for (path, value) in &plan.sets {
        launch = launch.set_bytes(path, &value.to_le_bytes());
    }
    launch.groups(plan.groups.unwrap_or([1; 3])).map_err(|error| error.to_string())?;
    let findings = device.findings();
    match (device.synchronize(), plan.stops) {
        (Ok(()), false) | (Err(_), true) => Ok(findings),
        (Ok(()), true) => Err(format!("the kernel was not stopped\n{findings}")),
        (Err(error), false) => Err(format!("{error}\n{findings}")),
    }
}
