//! The cost of one-line kernels compared with hand-written kernels.
//!
//! `cargo bench --bench elementwise -- [--device SELECTOR] [--staged] [--quick] [--json FILE]`
//!
//! The baseline of an operation is the fastest of three kernels written by hand in WGSL, with one, four, or sixteen
//! elements per invocation. The ceiling, and the baseline of a sum, is the device's own copy, in bytes read and
//! written. Every result is checked before it is timed; the process fails if one is wrong, but not if a goal is missed.

#[allow(dead_code, reason = "nothing is held against wgpu here")]
mod shared;

use std::process::ExitCode;

use anywarp::backend::DeviceKind;
use anywarp::ops::{ElementwiseKernel, ReductionKernel};
use anywarp::{Device, Recording, UnifiedBuffer, Wgsl};
use shared::{Arguments, Goal, Outcome, Report, Row, interleaved, repeated, timed};

/// The number of launches per sample.
const LAUNCHES: usize = 8;
const A: f32 = 0.25;

/// Small numbers that are sufficiently distinct, so that results are exact or nearly so.
fn numbers(length: usize, seed: usize) -> Vec<f32> {
    (0..length).map(|at| ((at * 7919 + seed * 104_729) % 1021) as f32 / 256.0 - 2.0).collect()
}

/// An operation, as a one-line kernel and as kernels written by hand. Its result depends on the old value of `y` in
/// some problems.
struct Problem {
    name: &'static str,
    by_hand: &'static str,
    one_line: [&'static str; 3],
    scaled: bool,
    /// The number of bytes read and written per element.
    bytes: usize,
    want: fn(f32, f32) -> f32,
}

const PROBLEMS: [Problem; 2] = [
    Problem {
        name: "saxpy",
        by_hand: include_str!("cuda/saxpy.wgsl"),
        one_line: ["x: f32, y: f32, a: f32", "y: f32", "y = a * x + y"],
        scaled: true,
        bytes: 12,
        want: |x, y| A * x + y,
    },
    Problem {
        name: "tanh(x) * 2 + 1",
        by_hand: include_str!("cuda/squash.wgsl"),
        one_line: ["x: f32", "y: f32", "y = tanh(x) * 2.0 + 1.0"],
        scaled: false,
        bytes: 8,
        want: |x, _| x.tanh() * 2.0 + 1.0,
    },
];

/// The entry points of the kernels written by hand, and their numbers of elements per invocation.
const RUNGS: [(&str, usize); 3] = [("one", 1), ("vectors", 4), ("sixteen", 16)];

/// The device and the two arrays of all runs.
struct Run {
    device: Device,
    x: UnifiedBuffer<f32>,
    y: UnifiedBuffer<f32>,
    pairs: usize,
}

impl Run {
    fn length(&self) -> usize {
        self.x.len()
    }

    fn by_hand(&mut self, problem: &Problem, (entry, each): (&str, usize), launches: usize) -> Outcome<Recording> {
        let kernel = self.device.kernel(Wgsl::new(problem.by_hand).file(problem.name).entry(entry))?;
        let mut recording = self.device.recording();
        for _ in 0..launches {
            let launch = kernel.launch().bind("0.0", &self.x).bind("0.1", &mut self.y);
            let launch = if problem.scaled { launch.set("params.a", A) } else { launch };
            launch.record(&mut recording).threads(self.x.len() / each)?;
        }
        Ok(recording)
    }

    fn one_line(&mut self, problem: &Problem, launches: usize) -> Outcome<Recording> {
        let [inputs, outputs, operation] = problem.one_line;
        let kernel = ElementwiseKernel::new(inputs, outputs, operation)?.name(problem.name);
        let mut recording = self.device.recording();
        for _ in 0..launches {
            let call = kernel.call(&self.device).record(&mut recording);
            if problem.scaled { call.run((&self.x, A), &mut self.y)? } else { call.run(&self.x, &mut self.y)? }
        }
        Ok(recording)
    }

    /// Checks the result of one launch.
    fn check(&mut self, problem: &Problem, what: &str, one: &Recording) -> Outcome<()> {
        let (x, y) = (numbers(self.length(), 1), numbers(self.length(), 2));
        self.y.copy_from_slice(&y)?;
        one.submit()?.wait()?;
        let got = self.y.read()?;
        for (at, got) in got.iter().enumerate() {
            let want = (problem.want)(x[at], y[at]);
            if (got - want).abs() > 1e-4 * want.abs().max(1.0) {
                return Err(format!("wrong result: {}, {what}: element {at} is {got}, not {want}", problem.name).into());
            }
        }
        Ok(())
    }

    fn operation(&mut self, problem: &Problem, copy: f64) -> Outcome<Row> {
        let one = self.one_line(problem, 1)?;
        self.check(problem, "one line", &one)?;
        let mut best: Option<(f64, Recording)> = None;
        for rung in RUNGS {
            let one = self.by_hand(problem, rung, 1)?;
            self.check(problem, rung.0, &one)?;
            let recording = self.by_hand(problem, rung, LAUNCHES)?;
            seconds(&recording)?;
            let taken = repeated(self.pairs.div_ceil(3), || seconds(&recording))?;
            println!("{}, {} by hand: {:.2} GB/s", problem.name, rung.0, self.rate(problem.bytes, taken));
            if best.as_ref().is_none_or(|(best, _)| taken < *best) {
                best = Some((taken, recording));
            }
        }
        let (_, by_hand) = best.ok_or("no kernel by hand was measured")?;
        let one_line = self.one_line(problem, LAUNCHES)?;
        let pair = interleaved(self.pairs, || seconds(&one_line), || seconds(&by_hand))?;
        Ok(Row {
            what: format!("{}, {} elements", problem.name, self.length()),
            unit: "GB/s",
            ours: self.rate(problem.bytes, pair.ours),
            baseline: self.rate(problem.bytes, pair.raw),
            ceiling: self.rate(8, copy),
            judged: (pair.ratio, "x the time by hand"),
            goal: Goal::AtMost(1.02),
        })
    }

    fn rate(&self, bytes: usize, seconds: f64) -> f64 {
        (bytes * self.length()) as f64 / seconds / 1e9
    }

    fn copy(&mut self) -> Outcome<Recording> {
        let mut recording = self.device.recording();
        for _ in 0..LAUNCHES {
            recording.copy(&self.x, &mut self.y)?;
        }
        Ok(recording)
    }

    fn sum(&mut self) -> Outcome<Row> {
        let sum = ReductionKernel::new("x: f32", "y: f32")?.combine("a + b").identity("0").name("sum");
        let want: f64 = numbers(self.length(), 1).into_iter().map(f64::from).sum();
        let got = f64::from(sum.apply::<f32>(&self.device, &self.x)?.read()?[0]);
        if (got - want).abs() > 1e-4 * self.length() as f64 {
            return Err(format!("wrong result: the sum is {got}, not {want}").into());
        }
        let mut recording = self.device.recording();
        for _ in 0..LAUNCHES {
            sum.call(&self.device).record(&mut recording).run(&self.x, self.y.slice_mut(..1))?;
        }
        let copy = self.copy()?;
        let pair = interleaved(self.pairs, || seconds(&recording), || seconds(&copy))?;
        Ok(Row {
            what: format!("sum, {} elements", self.length()),
            unit: "GB/s",
            ours: self.rate(4, pair.ours),
            baseline: f64::NAN,
            ceiling: self.rate(8, pair.raw),
            // A copy reads and writes each element, and a sum only reads it.
            judged: (0.5 / pair.ratio, " of the copy's rate"),
            goal: Goal::AtLeast(0.9),
        })
    }
}

/// The time of one launch in a recording of `LAUNCHES`, in seconds.
fn seconds(recording: &Recording) -> Outcome<f64> {
    Ok(timed(|| Ok(recording.submit()?.wait()?))? / LAUNCHES as f64)
}

fn run() -> Outcome<()> {
    let arguments = Arguments::read();
    let device = arguments.device()?;
    let (length, pairs) = match (arguments.quick, device.caps().kind) {
        (true, _) => (1 << 16, 5),
        (false, DeviceKind::Software) => (1 << 22, 41),
        (false, _) => (1 << 26, 41),
    };
    let x = device.buffer_from(&numbers(length, 1))?;
    let y = device.buffer(length)?;
    let mut run = Run { device: device.clone(), x, y, pairs };
    let copy = run.copy()?;
    seconds(&copy)?;
    let copied = repeated(pairs, || seconds(&copy))?;
    let mut rows = Vec::new();
    for problem in &PROBLEMS {
        rows.push(run.operation(problem, copied)?);
    }
    rows.push(run.sum()?);
    let report = Report {
        bench: "elementwise",
        baseline: "the fastest of three kernels by hand",
        ceiling: "the device's own copy",
        rows,
    };
    report.publish(&device, &arguments)
}

fn main() -> ExitCode {
    shared::ended(run())
}
