//! The cost of compiling a kernel of a hundred lines: for the first time, and with its machine code on disk.

use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use anywarp::{Device, DeviceOptions};

use crate::measure::{median, timed};
use crate::table::{Goal, Row};
use crate::{Bench, Outcome, on_vulkan};

/// A kernel of a hundred lines, with a number that makes the text new to every cache.
fn source(number: u32) -> String {
    let mut text = String::from(
        "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n\
         @compute @workgroup_size(256)\n\
         fn hundred(@builtin(global_invocation_id) id: vec3<u32>) {\n\
         if id.x >= arrayLength(&y) { return; }\n\
         var state = y[id.x];\n",
    );
    for line in 0..46 {
        let (function, factor) = (["sin", "cos", "exp2", "sqrt"][line % 4], line + 2);
        let _ = writeln!(text, "let t{line} = {function}(abs(state) * {factor}.0 + f32(id.x));");
        let _ = writeln!(text, "if t{line} > 0.5 {{ state += t{line}; }} else {{ state -= {factor}.0 * t{line}; }}");
    }
    let _ = writeln!(text, "state += f32({number}u);");
    text.push_str("y[id.x] = state;\n}\n");
    text
}

/// The times of three compilations in milliseconds: the first one, one on another device, and a repeated one.
fn times(device: &Device, salt: u32) -> Outcome<[f64; 3]> {
    let text = source(salt);
    let first = timed(|| Ok(device.kernel(&*text).map(drop)?))?;
    let options = DeviceOptions::default().selector(device.selector());
    let fresh = Device::open_with(&options)?;
    let cached = timed(|| Ok(fresh.kernel(&*text).map(drop)?))?;
    let again = timed(|| Ok(device.kernel(&*text).map(drop)?))?;
    Ok([first, cached, again].map(|seconds| seconds * 1e3))
}

/// The medians of the times for several kernels.
fn medians(device: &Device, quick: bool) -> Outcome<[f64; 3]> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros() as u32;
    let rounds = if quick { 1 } else { 5 };
    let samples = (0..rounds).map(|round| times(device, now.wrapping_add(round))).collect::<Outcome<Vec<_>>>()?;
    Ok([0, 1, 2].map(|column| median(samples.iter().map(|sample| sample[column]))))
}

/// Measures compilation; returns the rows of the table.
pub(crate) fn rows(bench: &Bench) -> Outcome<Vec<Row>> {
    // The first kernel loads the compiler's library before anything is measured.
    let kernel = bench.device.kernel(&*source(0))?;
    println!("a kernel of {} lines: {:?}", source(0).lines().count(), kernel.resources());
    let ours = medians(&bench.device, bench.quick)?;
    let vulkan = on_vulkan(bench, "compiling", |device| medians(device, bench.quick)).unwrap_or([f64::NAN; 3]);
    let names = ["compile 100 lines, first time", "compile 100 lines, from disk", "compile 100 lines, same device"];
    let notes = ["with NVRTC", "another device of the same process", ""];
    let rows = names.into_iter().zip(notes).zip(ours.into_iter().zip(vulkan));
    let row = |((name, note), (ours, vulkan)): ((&str, &str), (f64, f64))| Row {
        name: name.to_owned(),
        unit: "ms",
        ours,
        raw: f64::NAN,
        ratio: f64::NAN,
        goal: Goal::None,
        vulkan,
        note: note.to_owned(),
    };
    Ok(rows.map(row).collect())
}
