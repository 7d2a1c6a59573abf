//! Ladders: implementations (rungs) of one operator, each checked, timed, and compared with the ceilings of the same
//! run.

use std::time::{Duration, Instant};

use anywarp::backend::DeviceKind;
use anywarp::ops::Cost;
use anywarp::{Device, Recording, Wgsl};

use crate::shared::{Arguments, Outcome, repeated, timed};

/// The number of launches in one sample.
const LAUNCHES: usize = 4;

/// The limits of a device, measured in this run.
#[derive(Clone, Copy, Debug)]
struct Ceilings {
    /// The number of bytes per second that a copy reads and writes.
    bytes: f64,
    /// The number of `f32` operations per second.
    flops: f64,
}

impl Ceilings {
    /// The minimum time of this cost in seconds, and whether arithmetic (not memory) is the limit.
    fn least(self, cost: Cost) -> (f64, bool) {
        let (bytes, flops) = (cost.bytes as f64 / self.bytes, cost.flops as f64 / self.flops);
        (bytes.max(flops), flops > bytes)
    }
}

/// The measurement of a rung.
struct Rung {
    operator: String,
    what: &'static str,
    cost: Cost,
    seconds: f64,
}

/// All rungs of one run.
pub(crate) struct Ladder {
    pub(crate) device: Device,
    repeats: usize,
    ceilings: Ceilings,
    rungs: Vec<Rung>,
}

impl Ladder {
    /// Measures the ceilings with arrays of `elements` elements of 4 bytes.
    pub(crate) fn on(device: &Device, elements: usize, repeats: usize) -> Outcome<Self> {
        let ceilings =
            Ceilings { bytes: copied(device, elements, repeats)?, flops: computed(device, elements, repeats)? };
        Ok(Self { device: device.clone(), repeats, ceilings, rungs: Vec::new() })
    }

    /// Measures a rung of `operator`: `record` records it once, `check` verifies the arrays after one run.
    pub(crate) fn rung<A>(
        &mut self,
        (operator, what): (&str, &'static str),
        cost: Cost,
        arrays: &mut A,
        record: impl Fn(&mut A, &mut Recording) -> Outcome<()>,
        check: impl FnOnce(&A) -> Outcome<()>,
    ) -> Outcome<()> {
        let mut one = self.device.recording();
        record(arrays, &mut one)?;
        one.submit()?.wait()?;
        check(arrays).map_err(|error| format!("wrong result: {operator}, {what}: {error}"))?;
        let mut recording = self.device.recording();
        for _ in 0..LAUNCHES {
            record(arrays, &mut recording)?;
        }
        let seconds = sampled(&self.device, self.repeats, LAUNCHES, || Ok(recording.submit()?.wait()?))?;
        self.rungs.push(Rung { operator: operator.to_owned(), what, cost, seconds });
        Ok(())
    }

    /// Measures a rung that runs on the host alone, for devices that are the processor.
    pub(crate) fn host_rung(
        &mut self,
        (operator, what): (&str, &'static str),
        cost: Cost,
        mut work: impl FnMut() -> Outcome<()>,
    ) -> Outcome<()> {
        let seconds = sampled(&self.device, self.repeats, 1, &mut work)?;
        self.rungs.push(Rung { operator: operator.to_owned(), what, cost, seconds });
        Ok(())
    }

    /// Adds a rung that was measured in another way, in seconds.
    pub(crate) fn measured(&mut self, (operator, what): (&str, &'static str), cost: Cost, seconds: f64) {
        self.rungs.push(Rung { operator: operator.to_owned(), what, cost, seconds });
    }

    /// Prints the table, and writes it to the file named by `--json`.
    pub(crate) fn publish(mut self, arguments: &Arguments) -> Outcome<()> {
        // A library or a kernel may be faster than the plain multiply-adds: then its rate is the ceiling.
        let best = self.rungs.iter().map(|rung| rung.cost.flops as f64 / rung.seconds).fold(0.0, f64::max);
        self.ceilings.flops = self.ceilings.flops.max(best);
        let caps = self.device.caps();
        println!("ladder: {} ({}, {})", caps.name, caps.backend, caps.driver);
        let Ceilings { bytes, flops } = self.ceilings;
        println!(
            "ceilings: {:.2} GB/s (a copy in vectors), {:.2} GFLOP/s (the best of this run)\n",
            bytes / 1e9,
            flops / 1e9
        );
        println!("{:<36} {:<18} {:>11} {:>16} {:>8}", "", "rung", "median", "rate", "share");
        for rung in &self.rungs {
            let (least, arithmetic) = self.ceilings.least(rung.cost);
            let (amount, unit) = if arithmetic { (rung.cost.flops, "GFLOP/s") } else { (rung.cost.bytes, "GB/s") };
            let rate = format!("{:.2} {unit}", amount as f64 / rung.seconds / 1e9);
            let (micros, share) =
                (format!("{:.1} us", rung.seconds * 1e6), format!("{:.1} %", 100.0 * least / rung.seconds));
            println!("{:<36} {:<18} {micros:>11} {rate:>16} {share:>8}", rung.operator, rung.what);
        }
        if let Some(file) = arguments.json() {
            std::fs::write(file, serde_json::to_string_pretty(&self.json())?)?;
        }
        Ok(())
    }

    fn json(&self) -> serde_json::Value {
        let caps = self.device.caps();
        let row = |rung: &Rung| {
            let (least, _) = self.ceilings.least(rung.cost);
            serde_json::json!({
                "operator": rung.operator, "rung": rung.what, "seconds": rung.seconds, "flops": rung.cost.flops,
                "bytes": rung.cost.bytes, "share": least / rung.seconds,
            })
        };
        serde_json::json!({
            "bench": "ladder", "device": caps.name, "driver": caps.driver,
            "ceilings": { "bytes": self.ceilings.bytes, "flops": self.ceilings.flops },
            "rungs": self.rungs.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

/// The time for which a GPU works before a measurement: the clock of one that waited, as for the check of a result, is
/// low, and some drivers raise it slowly.
const WARM_UP: Duration = Duration::from_millis(400);

/// The median time of one of `launches` launches in seconds, after a warm-up.
fn sampled(device: &Device, repeats: usize, launches: usize, mut work: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    let least = if device.caps().kind == DeviceKind::Software { Duration::ZERO } else { WARM_UP };
    let start = Instant::now();
    work()?;
    while start.elapsed() < least {
        work()?;
    }
    Ok(repeated(repeats, || timed(&mut work))? / launches as f64)
}

fn copied(device: &Device, elements: usize, repeats: usize) -> Outcome<f64> {
    let kernel = device.kernel(Wgsl::new(include_str!("copy.wgsl")).file("copy.wgsl"))?;
    let x = device.buffer_from(&(0..elements).map(|at| at as f32).collect::<Vec<_>>())?;
    let mut y = device.buffer::<f32>(elements)?;
    let mut recording = device.recording();
    for _ in 0..LAUNCHES {
        kernel.launch().bind("x", &x).bind("y", &mut y).record(&mut recording).threads(elements / 4)?;
    }
    let seconds = sampled(device, repeats, LAUNCHES, || Ok(recording.submit()?.wait()?))?;
    if *x.read()? != *y.read()? {
        return Err("wrong result: the copy for the ceiling".into());
    }
    Ok(8.0 * elements as f64 / seconds)
}

fn computed(device: &Device, elements: usize, repeats: usize) -> Outcome<f64> {
    /// The number of operations of one invocation, as stated in the kernel.
    const EACH: f64 = 2.0 * 4.0 * 8.0 * 64.0;
    let kernel = device.kernel(Wgsl::new(include_str!("multiply_add.wgsl")).file("multiply_add.wgsl"))?;
    let threads = (elements / 4).min(1 << 20);
    let mut y = device.buffer_from(&vec![1.0f32; 4 * threads])?;
    let mut recording = device.recording();
    for _ in 0..LAUNCHES {
        kernel.launch().bind("y", &mut y).record(&mut recording).threads(threads)?;
    }
    let seconds = sampled(device, repeats, LAUNCHES, || Ok(recording.submit()?.wait()?))?;
    match y.read()?.iter().find(|sum| (**sum - 8.0).abs() > 1e-3) {
        Some(wrong) => Err(format!("wrong result: the multiply-adds for the ceiling gave {wrong}").into()),
        None => Ok(EACH * threads as f64 / seconds),
    }
}

/// Checks that `got` is within `tolerance` of `wanted`, relative to the value, or absolute for values below 1.
pub(crate) fn close(got: &[f32], wanted: &[f32], tolerance: f32) -> Outcome<()> {
    if got.len() != wanted.len() {
        return Err(format!("expected {} elements, got {}", got.len(), wanted.len()).into());
    }
    let within = |(got, wanted): (&f32, &f32)| (got - wanted).abs() <= tolerance * wanted.abs().max(1.0);
    match got.iter().zip(wanted).position(|pair| !within(pair)) {
        Some(at) => Err(format!("element {at} is {}, not {}", got[at], wanted[at]).into()),
        None => Ok(()),
    }
}

/// Whether the device is the processor, so that a comparison with the host is fair.
pub(crate) fn is_host(device: &Device) -> bool {
    device.caps().kind == DeviceKind::Software
}

/// Small, distinct numbers, so that results computed from them are exact or nearly so.
pub(crate) fn numbers(length: usize, seed: usize) -> Vec<f32> {
    (0..length).map(|at| ((at * 7919 + seed * 104_729) % 1021) as f32 / 256.0 - 2.0).collect()
}
