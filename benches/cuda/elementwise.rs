//! Memory-bound kernels, relative to the rate of the driver's own copy on this GPU.

use anywarp::{Checks, Device, Kernel, Recording, Unchecked, UnifiedBuffer, Wgsl};

use crate::measure::{Pair, check, interleaved, median, number, numbers, repeated};
use crate::raw::{self, BLOCK, Memory, Raw, Value};
use crate::table::{Goal, Row};
use crate::{Bench, Outcome, images, on_vulkan};

/// The number of launches per sample.
const LAUNCHES: usize = 8;
const A: f32 = 0.25;

/// An elementwise operation to measure; its WGSL kernels are in one file.
struct Problem {
    name: &'static str,
    file: &'static str,
    wgsl: &'static str,
    /// Bytes read and written per element.
    bytes: usize,
    by_hand: &'static str,
    scaled: bool,
    tolerance: f32,
    want: fn(usize) -> f32,
    least: f64,
    note: &'static str,
}

const PROBLEMS: [Problem; 3] = [
    Problem {
        name: "copy",
        file: "copy.wgsl",
        wgsl: include_str!("copy.wgsl"),
        bytes: 8,
        by_hand: "copy4",
        scaled: false,
        tolerance: 0.0,
        want: |index| number(1, index),
        least: 0.97,
        note: "",
    },
    Problem {
        name: "saxpy",
        file: "saxpy.wgsl",
        wgsl: include_str!("saxpy.wgsl"),
        bytes: 12,
        by_hand: "saxpy4",
        scaled: true,
        tolerance: 1e-6,
        want: |index| A * number(1, index) + number(2, index),
        least: 0.95,
        // The number was measured at 2^26 elements on an H200.
        note: "CuPy on an H200: 2468 GB/s",
    },
    Problem {
        name: "tanh(x) * 2 + 1",
        file: "squash.wgsl",
        wgsl: include_str!("squash.wgsl"),
        bytes: 8,
        by_hand: "squash4",
        scaled: false,
        tolerance: 1e-4,
        want: |index| number(1, index).tanh() * 2.0 + 1.0,
        least: 0.95,
        note: "CuPy on an H200: 1652 GB/s",
    },
];

/// A version of a kernel: its name, its entry point, the number of elements per invocation, and whether its checks are
/// turned off by a promise.
type Rung = (&'static str, &'static str, usize, bool);

const RUNGS: [Rung; 4] = [
    ("scalar", "one", 1, false),
    ("vec4", "vectors", 4, false),
    ("4 x vec4", "sixteen", 16, false),
    ("4 x vec4, unchecked", "sixteen", 16, true),
];

/// The kernels through anywarp, and their data.
struct Ours {
    device: Device,
    x: UnifiedBuffer<f32>,
    y: UnifiedBuffer<f32>,
}

impl Ours {
    fn new(device: &Device, length: usize) -> Outcome<Self> {
        Ok(Self { device: device.clone(), x: device.buffer_from(&numbers(1, length))?, y: device.buffer(length)? })
    }

    fn kernel(&self, problem: &Problem, (_, entry, _, unchecked): Rung) -> Outcome<Kernel> {
        let source = Wgsl::new(problem.wgsl).file(problem.file).entry(entry);
        // SAFETY: the kernels compare each index with the length of `y`, and `x` has the same length; their loops count
        // up to that length.
        let off = Checks::Off(unsafe { Unchecked::promise() });
        Ok(self.device.kernel(if unchecked { source.checks(off) } else { source })?)
    }

    /// Records this number of launches of one version.
    fn recording(&mut self, kernel: &Kernel, problem: &Problem, rung: Rung, launches: usize) -> Outcome<Recording> {
        let mut recording = self.device.recording();
        let invocations = self.x.len() / rung.2;
        for _ in 0..launches {
            let launch = kernel.launch().bind("0.0", &self.x).bind("0.1", &mut self.y);
            let launch = if problem.scaled { launch.set("params.a", A) } else { launch };
            launch.record(&mut recording).threads(invocations)?;
        }
        Ok(recording)
    }

    /// Checks the result of one launch; returns a timed recording of many.
    fn verified(&mut self, problem: &Problem, rung: Rung) -> Outcome<Recording> {
        let kernel = self.kernel(problem, rung)?;
        self.y.copy_from_slice(&numbers(2, self.x.len()))?;
        self.recording(&kernel, problem, rung, 1)?.submit()?.wait()?;
        let what = format!("{}, {} on {}", problem.name, rung.0, self.device.selector());
        check(&what, &self.y.read()?, problem.tolerance, problem.want)?;
        if let Some(resources) = kernel.resources() {
            println!("{what}: {resources:?}");
        }
        let mut recording = self.recording(&kernel, problem, rung, LAUNCHES)?;
        recording.timed(true);
        Ok(recording)
    }
}

/// The device's time for one launch of a timed recording, in seconds.
fn seconds(recording: &Recording) -> Outcome<f64> {
    let run = recording.submit()?;
    run.wait()?;
    let timings = run.timings().ok_or("the device has no timings")?;
    let each = LAUNCHES as f64 / timings.entries.len().max(1) as f64;
    Ok(median(timings.entries.iter().map(|entry| entry.duration.as_secs_f64() / each)))
}

/// The kernels through the driver API, and their data.
struct Bare<'a> {
    raw: &'a Raw,
    image: Vec<u8>,
    x: Memory,
    y: Memory,
}

impl<'a> Bare<'a> {
    fn new(raw: &'a Raw, length: usize) -> Outcome<Self> {
        let (x, y) = (raw.memory_of(&numbers(1, length))?, raw.allocate(length * 4)?);
        Ok(Self { raw, image: images::by_hand(raw)?, x, y })
    }

    fn length(&self) -> usize {
        self.x.bytes / 4
    }

    /// The time of a copy by the driver, in seconds.
    fn copy(&self) -> Outcome<f64> {
        self.raw.enter()?;
        self.raw.between_events(LAUNCHES, || self.raw.copy(&self.x, &self.y))
    }

    fn verify_copy(&self) -> Outcome<()> {
        self.copy()?;
        check("cuMemcpyDtoD", &self.raw.values_of::<f32>(&self.y, self.length())?, 0.0, |index| number(1, index))
    }

    /// Loads the problem's kernel in CUDA C++ and checks its result.
    fn verified(&self, problem: &Problem) -> Outcome<raw::Kernel> {
        let length = self.length();
        let count = u32::try_from(length / 4)?;
        let mut values = vec![self.x.value(), self.y.value()];
        values.extend(problem.scaled.then_some(Value::Float(A)));
        values.push(Value::Count(count));
        let mut kernel = self.raw.kernel(&self.image, problem.by_hand, count.div_ceil(BLOCK), &values)?;
        self.raw.upload_pageable(&numbers(2, length), &self.y)?;
        self.raw.launch(&mut kernel)?;
        self.raw.wait()?;
        let what = format!("{} in CUDA C++", problem.name);
        check(&what, &self.raw.values_of::<f32>(&self.y, length)?, problem.tolerance, problem.want)?;
        Ok(kernel)
    }
}

/// The results of a problem, relative to the ceiling.
struct Ladder {
    best: Rung,
    pair: Pair,
    /// The ratio of the bytes moved by a launch and by the driver's copy.
    more: f64,
}

/// Measures memory-bound kernels; returns the rows of the table.
pub(crate) fn rows(bench: &Bench) -> Outcome<Vec<Row>> {
    let length: usize = if bench.quick { 1 << 22 } else { 1 << 26 };
    let pairs = if bench.quick { 5 } else { 25 };
    let mut ours = Ours::new(&bench.device, length)?;
    let bare = Bare::new(&bench.raw, length)?;
    bare.verify_copy()?;
    println!("each rung's share of what cuMemcpyDtoD reaches, {length} elements:");
    let mut rows = Vec::new();
    for problem in &PROBLEMS {
        let ladder = climb(problem, &mut ours, &bare, pairs)?;
        let by_hand = match by_hand(problem, &bare, pairs) {
            Ok(share) => format!("CUDA C++, vec4: {share:.3}"),
            Err(error) => {
                eprintln!("{}, CUDA C++ by hand: {error}", problem.name);
                String::new()
            }
        };
        println!("  {:<16} {by_hand}", problem.name);
        let vulkan = on_vulkan(bench, problem.name, |device| {
            let mut ours = Ours::new(device, length)?;
            let mut best = f64::NAN;
            for rung in RUNGS.into_iter().filter(|rung| !rung.3) {
                let recording = ours.verified(problem, rung)?;
                best = best.min(repeated(pairs, || seconds(&recording))?);
            }
            Ok(best)
        });
        let rate = |bytes: usize, seconds: f64| (bytes * length) as f64 / seconds / 1e9;
        let notes = [ladder.best.0, problem.note, &by_hand].map(str::to_owned);
        rows.push(Row {
            name: format!("{}, 2^{} f32", problem.name, length.ilog2()),
            unit: "GB/s",
            ours: rate(problem.bytes, ladder.pair.ours),
            raw: rate(8, ladder.pair.raw),
            ratio: ladder.more / ladder.pair.ratio,
            goal: Goal::AtLeast(problem.least),
            vulkan: rate(problem.bytes, vulkan.unwrap_or(f64::NAN)),
            note: notes.into_iter().filter(|note| !note.is_empty()).collect::<Vec<_>>().join("; "),
        });
    }
    Ok(rows)
}

/// Measures every version; returns the figures of the best version with checks.
fn climb(problem: &Problem, ours: &mut Ours, bare: &Bare, pairs: usize) -> Outcome<Ladder> {
    let mut best: Option<Ladder> = None;
    for rung in RUNGS {
        let recording = ours.verified(problem, rung)?;
        let pair = interleaved(pairs, || seconds(&recording), || bare.copy())?;
        let more = problem.bytes as f64 / 8.0;
        println!("  {:<16} {:<20} {:.3}", problem.name, rung.0, more / pair.ratio);
        if !rung.3 && best.as_ref().is_none_or(|best| pair.ratio < best.pair.ratio) {
            best = Some(Ladder { best: rung, pair, more });
        }
    }
    best.ok_or_else(|| "there is no rung".into())
}

/// The rate of the kernel written by hand, relative to the driver's copy.
fn by_hand(problem: &Problem, bare: &Bare, pairs: usize) -> Outcome<f64> {
    bare.raw.enter()?;
    let mut kernel = bare.verified(problem)?;
    let raw = bare.raw;
    let one = || {
        raw.enter()?;
        raw.between_events(LAUNCHES, || raw.launch(&mut kernel))
    };
    let pair = interleaved(pairs, one, || bare.copy())?;
    Ok(problem.bytes as f64 / 8.0 / pair.ratio)
}
