//! `anywarp bench device`: the highest rates of a device, by measurement: its levels of memory, transfers, launches and
//! arithmetic.

use std::time::{Duration, Instant, SystemTime};

use anywarp::backend::Capabilities;
use anywarp::insight::Ceilings;
use anywarp::{Device, Recording, Wgsl};
use serde::Serialize;

use super::median;
use crate::failure::Failure;
use crate::terminal;

/// Reads a working set again and again: `rounds` times `stride` invocations, each four words at a time.
const READ: &str = "
    @group(0) @binding(0) var<storage> x: array<vec4<u32>>;
    @group(0) @binding(1) var<storage, read_write> y: array<u32>;
    @group(0) @binding(2) var<uniform> size: vec4<u32>; // vectors of the set, a power of two; rounds; invocations
    @compute @workgroup_size(256) fn read(@builtin(global_invocation_id) id: vec3<u32>) {
        var sum = vec4<u32>();
        var at = id.x;
        for (var k = 0u; k < size.y; k++) {
            sum += x[at & (size.x - 1u)];
            // Not a multiple of the set, so that no multiprocessor keeps to a part that its own cache holds.
            at += size.z + 10240u;
        }
        y[id.x] = sum.x + sum.y + sum.z + sum.w;
    }";

/// Follows a chain of indices through a working set, each in a line of its own.
const CHASE: &str = "
    @group(0) @binding(0) var<storage> x: array<u32>;
    @group(0) @binding(1) var<storage, read_write> y: array<u32>;
    @compute @workgroup_size(1) fn chase() {
        var at = 0u;
        for (var k = 0u; k < 8192u; k++) { at = x[at]; }
        y[0] = at;
    }";
const STEPS: f64 = 8192.0;
/// The words between two elements of a chain: a line of 128 bytes.
const LINE: usize = 32;

/// Four chains of an operation: the type, the start, the operation on `a` with the constants `p` and `q`.
const CHAINS: &str = "
    ENABLE
    @group(0) @binding(0) var<storage, read_write> y: array<u32>;
    @compute @workgroup_size(256) fn chains(@builtin(global_invocation_id) id: vec3<u32>) {
        let p = TYPE(y[0]);
        let q = TYPE(y[1]);
        var a = vec4<TYPE>(TYPE(id.x & 7u), p, q, p);
        var b = a + p;
        var c = a + q;
        var d = b + q;
        for (var k = 0u; k < 256u; k++) {
            a = OPERATION(a);
            b = OPERATION(b);
            c = OPERATION(c);
            d = OPERATION(d);
        }
        let all = (a + b) + (c + d);
        // The sum is hardly ever this number, so that nearly nothing is written and nothing can be left out.
        if all.x + all.y + all.z + all.w == TYPE(12345) { y[2] = id.x; }
    }
    fn OPERATION(a: vec4<TYPE>) -> vec4<TYPE> { return BODY; }";
const EACH: f64 = 4.0 * 4.0 * 256.0;
/// The invocations on a GPU, enough for some milliseconds of work.
const INVOCATIONS: usize = 1 << 22;

/// The bandwidth or latency of one working set.
#[derive(Debug, Serialize)]
struct Level {
    bytes: usize,
    bytes_per_second: f64,
    nanoseconds: f64,
}

/// The rate of one kind of operation.
#[derive(Debug, Serialize)]
struct Rate {
    operation: &'static str,
    per_second: f64,
}

#[derive(Debug, Serialize)]
struct Report {
    device: crate::report::Device,
    launch_seconds: f64,
    launches_in_a_recording_seconds: f64,
    upload_bytes_per_second: f64,
    download_bytes_per_second: f64,
    copy_bytes_per_second: f64,
    levels: Vec<Level>,
    arithmetic: Vec<Rate>,
}

/// How long to measure.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    pub(super) repeats: usize,
    pub(super) budget: Duration,
    pub(super) is_quick: bool,
}

/// Measures a device; returns the table, or one object of JSON, and the ceilings.
pub(super) fn table(device: &Device, copy: f64, effort: Effort, json: bool) -> Result<(String, Ceilings), Failure> {
    let largest = match (effort.is_quick, device.caps().kind == anywarp::backend::DeviceKind::Software) {
        (true, _) => 1 << 20,
        (false, true) => 1 << 26,
        (false, false) => 1 << 28,
    };
    let sizes = (14..=28).step_by(2).map(|power| 1usize << power).filter(|bytes| *bytes <= largest);
    let levels = sizes.map(|bytes| level(device, bytes, effort)).collect::<Result<_, _>>()?;
    let (launch, many) = launches(device, effort)?;
    let (upload, download) = transfers(device, effort)?;
    let report = Report {
        device: crate::run::describe_device(device),
        launch_seconds: launch,
        launches_in_a_recording_seconds: many,
        upload_bytes_per_second: upload,
        download_bytes_per_second: download,
        copy_bytes_per_second: copy,
        levels,
        arithmetic: arithmetic(device, effort)?,
    };
    let ceilings = report.ceilings(device, effort.is_quick);
    Ok((if json { serde_json::to_string_pretty(&report).unwrap_or_default() } else { report.text() }, ceilings))
}

/// Returns the median time of a recording of one launch, by the device's own clock where it has one.
fn measured(recording: &mut Recording, effort: Effort) -> Result<f64, Failure> {
    recording.timed(true);
    let (start, mut times) = (Instant::now(), Vec::new());
    // The first run may include work that the driver postpones until then.
    while times.len() <= effort.repeats && (times.len() < 4 || start.elapsed() < effort.budget) {
        let begun = Instant::now();
        let submission = recording.submit()?;
        submission.wait()?;
        let waited = begun.elapsed();
        let timings = submission.timings().filter(|timings| !timings.entries.is_empty());
        let took = timings.map_or(waited, |timings| timings.entries.iter().map(|entry| entry.duration).sum());
        times.push(took.as_secs_f64());
    }
    times.remove(0);
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2].max(1e-9))
}

fn level(device: &Device, bytes: usize, effort: Effort) -> Result<Level, Failure> {
    let invocations = if device.caps().kind == anywarp::backend::DeviceKind::Software { 1 << 14 } else { 1 << 17 };
    let total: usize = if effort.is_quick { 1 << 24 } else { 1 << 30 };
    let rounds = (total / 16 / invocations).max(1);
    let x: Vec<u32> = chain(bytes / 4);
    let x = device.buffer_from(&x)?;
    let mut y = device.buffer::<u32>(invocations)?;
    let kernel = device.kernel(Wgsl::new(READ).file("read.wgsl"))?;
    let mut recording = device.recording();
    let size = [(bytes / 16) as u32, rounds as u32, invocations as u32, 0];
    kernel.launch().bind("x", &x).bind("y", &mut y).set("size", size).record(&mut recording).threads(invocations)?;
    let seconds = measured(&mut recording, effort)?;

    let kernel = device.kernel(Wgsl::new(CHASE).file("chase.wgsl"))?;
    let mut recording = device.recording();
    kernel.launch().bind("x", &x).bind("y", &mut y).record(&mut recording).groups(1)?;
    let chased = measured(&mut recording, effort)?;
    let expected = follow(bytes / 4);
    let found = y.read()?[0];
    if found != expected {
        return Err(Failure::File(format!("the chain through {bytes} bytes: wrong result {found} for {expected}")));
    }
    let rate = (rounds * invocations * 16) as f64 / seconds;
    Ok(Level { bytes, bytes_per_second: rate, nanoseconds: chased / STEPS * 1e9 })
}

/// The successor of a place in a chain through `lines` lines, a power of two: all are visited, in scrambled order.
fn next(line: usize, lines: usize) -> usize {
    // A linear congruential generator of full period (Hull and Dobell, SIAM Review 1962).
    (line.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)) % lines
}

fn chain(words: usize) -> Vec<u32> {
    let lines = words / LINE;
    (0..words).map(|at| if at % LINE == 0 { (next(at / LINE, lines) * LINE) as u32 } else { at as u32 }).collect()
}

fn follow(words: usize) -> u32 {
    let lines = words / LINE;
    let end = (0..STEPS as usize).fold(0, |line, _| next(line, lines));
    (end * LINE) as u32
}

/// The time of one launch with its wait, and that of one of 100 launches in a recording.
fn launches(device: &Device, effort: Effort) -> Result<(f64, f64), Failure> {
    let kernel = device.kernel(
        Wgsl::new(
            "@group(0) @binding(0) var<storage, read_write> y: array<u32>;
             @compute @workgroup_size(1) fn one() { y[0] += 1u; }",
        )
        .file("one.wgsl"),
    )?;
    let mut y = device.buffer_from(&[0u32; 4])?;
    let mut time = |count: usize| -> Result<f64, Failure> {
        let mut recording = device.recording();
        for _ in 0..count {
            kernel.launch().bind("y", &mut y).record(&mut recording).groups(1)?;
        }
        median(effort.repeats, effort.budget, || Ok(recording.submit()?.wait()?))
    };
    let (one, many) = (time(1)?, time(100)?);
    Ok((one, (many - one).max(0.0) / 99.0))
}

/// The rates of copies to the device and back, in bytes per second.
fn transfers(device: &Device, effort: Effort) -> Result<(f64, f64), Failure> {
    let words = if effort.is_quick { 1 << 18 } else { 1 << 22 };
    let mut data = vec![1u32; words];
    let mut buffer = device.buffer_from(&data)?;
    let kernel = device.kernel(
        Wgsl::new(
            "@group(0) @binding(0) var<storage, read_write> y: array<u32>;
             @compute @workgroup_size(1) fn one() { y[0] += 1u; }",
        )
        .file("one.wgsl"),
    )?;
    let launched = |buffer: &mut anywarp::UnifiedBuffer<u32>| -> Result<(), Failure> {
        Ok(kernel.launch().bind("y", buffer).groups(1)?.wait()?)
    };
    let (mut up, mut down) = (Vec::new(), Vec::new());
    for _ in 0..effort.repeats {
        let start = Instant::now();
        buffer.write()?.copy_from_slice(&data);
        launched(&mut buffer)?;
        up.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        data.copy_from_slice(&buffer.read()?);
        down.push(start.elapsed().as_secs_f64());
        data[0] = 1;
    }
    let rate = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        (words * 4) as f64 / times[times.len() / 2]
    };
    Ok((rate(up), rate(down)))
}

fn arithmetic(device: &Device, effort: Effort) -> Result<Vec<Rate>, Failure> {
    let has = |feature| device.caps().shader.contains(feature);
    let cases = [
        ("f32 multiply-add", "f32", "", "fma(a, vec4(0.5f), vec4(0.5f))", 2.0, true),
        ("f32 sine", "f32", "", "sin(a)", 1.0, true),
        ("f32 square root", "f32", "", "sqrt(a + 1.0f)", 1.0, true),
        ("f32 division", "f32", "", "(a + 1.0f) / (a + 2.0f)", 1.0, true),
        ("u32 add", "u32", "", "(a + 1u) ^ (a << vec4(1u))", 3.0, true),
        ("u32 multiply-add", "u32", "", "a * a + 1013904223u", 2.0, true),
        (
            "f16 multiply-add",
            "f16",
            "enable f16;",
            "fma(a, vec4(0.5h), vec4(0.5h))",
            2.0,
            has(Capabilities::SHADER_FLOAT16),
        ),
    ];
    let mut rates = Vec::new();
    for (operation, ty, enable, body, count, can) in cases {
        if !can {
            continue;
        }
        let text =
            CHAINS.replace("ENABLE", enable).replace("TYPE", ty).replace("OPERATION", "step_of").replace("BODY", body);
        let kernel = device.kernel(Wgsl::new(text).file("chains.wgsl"))?;
        let is_host = device.caps().kind == anywarp::backend::DeviceKind::Software;
        let invocations = match (effort.is_quick, is_host) {
            (true, _) => INVOCATIONS >> 11,
            (false, true) => INVOCATIONS >> 5,
            (false, false) => INVOCATIONS,
        };
        let mut y = device.buffer_from(&[1u32, 2, 3, 4])?;
        let mut recording = device.recording();
        kernel.launch().bind("y", &mut y).record(&mut recording).threads(invocations)?;
        let seconds = measured(&mut recording, effort)?;
        rates.push(Rate { operation, per_second: count * EACH * invocations as f64 / seconds });
    }
    Ok(rates)
}

impl Report {
    fn ceilings(&self, device: &Device, is_quick: bool) -> Ceilings {
        let caps = device.caps();
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Ceilings {
            device: format!("{}, {}", caps.backend.name(), caps.name),
            driver: caps.driver.clone(),
            at: since.as_secs(),
            is_quick,
            warp: caps.subgroup_size.map_or(0, |(_, most)| most),
            launch: self.launches_in_a_recording_seconds,
            copy: self.copy_bytes_per_second,
            reads: self.levels.iter().map(|level| (level.bytes as u64, level.bytes_per_second)).collect(),
            rates: self.arithmetic.iter().map(|rate| (rate.operation.to_owned(), rate.per_second)).collect(),
        }
    }

    fn text(&self) -> String {
        let giga = |rate: f64| format!("{:.1} GB/s", rate / 1e9);
        let mut levels = terminal::table();
        levels.set_header(["working set", "reading", "latency"]);
        for level in &self.levels {
            levels.add_row([
                format!("{} KiB", level.bytes >> 10),
                giga(level.bytes_per_second),
                format!("{:.1} ns", level.nanoseconds),
            ]);
        }
        let mut rates = terminal::table();
        rates.set_header(["operation", "rate"]);
        for rate in &self.arithmetic {
            rates.add_row([rate.operation.to_owned(), format!("{:.1} Gop/s", rate.per_second / 1e9)]);
        }
        let mut others = terminal::table();
        others.set_header(["", "median"]);
        others.add_row(["a launch and the wait for it".to_owned(), format!("{:.2} us", self.launch_seconds * 1e6)]);
        let one = format!("{:.2} us", self.launches_in_a_recording_seconds * 1e6);
        others.add_row(["one more launch in a recording".to_owned(), one]);
        others.add_row(["copy in device memory (read and written)".to_owned(), giga(self.copy_bytes_per_second)]);
        others.add_row(["upload, with a launch".to_owned(), giga(self.upload_bytes_per_second)]);
        others.add_row(["download".to_owned(), giga(self.download_bytes_per_second)]);
        format!("{} ({})\n\n{levels}\n\n{rates}\n\n{others}", self.device.name, self.device.selector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_visit_every_line() {
        for words in [1 << 12, 1 << 14, 1 << 18] {
            let x = chain(words);
            let (mut at, mut count) = (0, 0);
            loop {
                at = x[at as usize];
                count += 1;
                if at == 0 {
                    break;
                }
            }
            assert_eq!(count, words / LINE);
        }
    }
}
