//! The cost of a launch compared with raw wgpu: time and heap allocations.
//!
//! `cargo bench --bench overhead -- [--device SELECTOR] [--staged] [--quick] [--json FILE]`
//!
//! Both sides run the same kernel on the same adapter in the same run, in turns. The raw side reuses its pipeline, bind
//! group and buffers, and encodes one pass into one submission.

#[path = "overhead/bare.rs"]
mod bare;
mod shared;

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use anywarp::{Device, Kernel, Recording, UnifiedBuffer};
use bare::Bare;
use shared::{Arguments, Goal, Outcome, Pair, Report, Row, interleaved, repeated, timed};

/// A kernel that adds a parameter to 64 sums, so that a missing or repeated launch changes the sums.
const SOURCE: &str = include_str!("shared/add.wgsl");

// The same kernel with typed bindings.
anywarp::kernels!("benches/shared/add.wgsl");

const THREADS: u32 = 64;
const LAUNCHES: u32 = 1000;
/// The number of launches of a hand-over, small enough for one submission.
const BATCH: u32 = 100;

/// An allocator that counts allocations.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is forwarded unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as in `alloc`.
        unsafe { System.dealloc(start, layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as in `alloc`.
        unsafe { System.realloc(start, layout, bytes) }
    }
}

/// The launches through anywarp, and their data.
struct Ours {
    device: Device,
    kernel: Kernel,
    typed: add::Add,
    total: UnifiedBuffer<u32>,
}

impl Ours {
    fn new(device: &Device) -> Outcome<Self> {
        let (kernel, typed) = (device.kernel(SOURCE)?, add::add(device)?);
        Ok(Self { device: device.clone(), kernel, typed, total: device.buffer(THREADS as usize)? })
    }

    fn launch(&mut self, step: u32) -> Outcome<()> {
        self.kernel.launch().set("params.step", step).bind("total", &mut self.total).threads(THREADS)?;
        Ok(())
    }

    /// Launches once for each step, then waits.
    fn run(&mut self, steps: impl Iterator<Item = u32>) -> Outcome<()> {
        for step in steps {
            self.launch(step)?;
        }
        Ok(self.device.synchronize()?)
    }

    /// The seconds until the device has received [`BATCH`] launches; the execution of the launches is not measured.
    fn hand_over(&mut self) -> Outcome<f64> {
        let seconds = timed(|| {
            for step in 1..=BATCH {
                self.launch(step)?;
            }
            Ok(self.device.submit()?)
        })?;
        self.device.synchronize()?;
        Ok(seconds)
    }

    /// Requests the kernel again, then launches it, as a program does that keeps no kernel.
    fn run_anew(&mut self) -> Outcome<()> {
        self.kernel = self.device.kernel(SOURCE)?;
        self.run(std::iter::once(1))
    }

    fn recording(&mut self) -> Outcome<Recording> {
        let mut recording = self.device.recording();
        for _ in 0..LAUNCHES {
            let launch = self.kernel.launch().set("params.step", 1u32).bind("total", &mut self.total);
            launch.record(&mut recording).threads(THREADS)?;
        }
        Ok(recording)
    }

    /// The seconds to record [`LAUNCHES`] launches; only the launch calls are measured.
    fn record(&mut self, recording: &mut Recording) -> Outcome<f64> {
        recording.clear();
        timed(|| {
            for step in 0..LAUNCHES {
                let launch = self.kernel.launch().set("params.step", step).bind("total", &mut self.total);
                launch.record(recording).threads(THREADS)?;
            }
            Ok(())
        })
    }

    /// The same measurement as [`record`](Self::record), with typed bindings.
    fn record_typed(&mut self, recording: &mut Recording) -> Outcome<f64> {
        recording.clear();
        timed(|| {
            for step in 0..LAUNCHES {
                let arguments = add::Args { params: add::Params { step }, total: &mut self.total };
                self.typed.launch(arguments).record(recording).threads(THREADS)?;
            }
            Ok(())
        })
    }

    fn sum(&self) -> Outcome<u32> {
        Ok(same(&self.total.read()?)?)
    }
}

/// The value that all threads have computed; an error if they differ.
fn same(sums: &[u32]) -> Result<u32, String> {
    match sums {
        [first, rest @ ..] if rest.iter().all(|sum| sum == first) => Ok(*first),
        _ => Err(format!("the threads do not agree: {sums:?}")),
    }
}

/// Runs every variant once on both sides and compares the sums.
fn verify(ours: &mut Ours, bare: &Bare) -> Outcome<()> {
    ours.run(std::iter::once(1))?;
    bare.run_constant(1)?;
    ours.run((0..LAUNCHES).map(|_| 1))?;
    bare.run_constant(LAUNCHES)?;
    ours.run(1..=LAUNCHES)?;
    bare.run_changing()?;
    ours.recording()?.submit()?.wait()?;
    bare.run_constant(LAUNCHES)?;
    let expected = 1 + 2 * LAUNCHES + LAUNCHES * (LAUNCHES + 1) / 2;
    let (got, raw) = (ours.sum()?, bare.sum()?);
    if got != expected || raw != expected {
        return Err(format!("wrong results: anywarp {got}, raw wgpu {raw}, expected {expected}").into());
    }
    Ok(())
}

/// The number of allocations in `work`: the minimum of several runs, because arenas grow occasionally.
fn allocations(mut work: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    let mut least = u64::MAX;
    for _ in 0..20 {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        work()?;
        least = least.min(ALLOCATIONS.load(Ordering::Relaxed) - before);
    }
    Ok(least as f64)
}

/// A row with the time per launch; its goal is relative to raw wgpu's time.
fn per_launch(what: &str, pair: Pair, ceiling: f64, launches: u32, goal: Goal) -> Row {
    let microseconds = 1e6 / f64::from(launches);
    Row {
        what: what.to_owned(),
        unit: "us",
        ours: pair.ours * microseconds,
        baseline: pair.raw * microseconds,
        ceiling: ceiling * microseconds,
        judged: (pair.ratio, "x"),
        goal,
    }
}

fn times(ours: &mut Ours, bare: &mut Bare, quick: bool) -> Outcome<Vec<Row>> {
    let (many, few) = if quick { (200, 8) } else { (4000, 100) };
    let mut rows = Vec::new();

    let empty = repeated(many, || bare.device_time(bare.raw.encoder()))?;
    let pair = interleaved(many, || timed(|| ours.run(std::iter::once(1))), || timed(|| bare.run_constant(1)))?;
    rows.push(per_launch("launch + wait", pair, empty, 1, Goal::AtMost(1.15)));

    let device = repeated(few, || bare.device_time(bare.encode_constant(LAUNCHES)))?;
    let constant = (0..LAUNCHES).map(|_| 1);
    let raw = || timed(|| bare.run_constant(LAUNCHES));
    let pair = interleaved(few, || timed(|| ours.run(constant.clone())), raw)?;
    rows.push(per_launch("1000 launches, one parameter", pair, device, LAUNCHES, Goal::AtMost(1.2)));

    let changing = repeated(few, || bare.device_time(bare.encode_changing(LAUNCHES)))?;
    let pair = interleaved(few, || timed(|| ours.run(1..=LAUNCHES)), || timed(|| bare.run_changing()))?;
    rows.push(per_launch("1000 launches, 1000 parameters", pair, changing, LAUNCHES, Goal::AtMost(1.2)));

    // The parameters differ from all earlier ones; the raw side writes the parameters of all launches with one call.
    let mut next = 0u32;
    let fresh = || {
        next = next.wrapping_add(LAUNCHES);
        timed(|| ours.run(next..next.wrapping_add(LAUNCHES)))
    };
    let mut next_raw = 0u32;
    let fresh_raw = || {
        next_raw = next_raw.wrapping_add(LAUNCHES);
        timed(|| {
            bare.prefill(next_raw..next_raw.wrapping_add(LAUNCHES));
            bare.run_changing()
        })
    };
    let pair = interleaved(few, fresh, fresh_raw)?;
    rows.push(per_launch("1000 launches, fresh parameters", pair, changing, LAUNCHES, Goal::AtMost(1.2)));

    let pair = interleaved(few * 10, || ours.hand_over(), || bare.hand_over())?;
    rows.push(per_launch("100 launches, without waiting", pair, f64::NAN, BATCH, Goal::None));

    let recording = ours.recording()?;
    let replay = || timed(|| Ok(recording.submit()?.wait()?));
    let pair = interleaved(few, replay, || timed(|| bare.run_constant(LAUNCHES)))?;
    rows.push(per_launch("replay of 1000 recorded launches", pair, device, LAUNCHES, Goal::AtMost(1.2)));

    // Both sides are anywarp: the baseline binds by name.
    let (mut typed, mut named) = (ours.device.recording(), ours.device.recording());
    let side = std::cell::RefCell::new(&mut *ours);
    let pair =
        interleaved(few * 10, || side.borrow_mut().record_typed(&mut typed), || side.borrow_mut().record(&mut named))?;
    rows.push(per_launch("typed launch / dynamic launch", pair, f64::NAN, LAUNCHES, Goal::AtMost(1.0)));

    let pair = interleaved(many, || timed(|| ours.run_anew()), || timed(|| bare.run_constant(1)))?;
    let mut row = per_launch("kernel() again + launch + wait", pair, empty, 1, Goal::AtMost(50.0));
    row.judged = (row.ours - row.baseline, " us above");
    rows.push(row);

    let found = repeated(many, || {
        timed(|| {
            ours.kernel = ours.device.kernel(SOURCE)?;
            Ok(())
        })
    })?;
    let pair = Pair { ours: found, raw: f64::NAN, ratio: f64::NAN };
    rows.push(per_launch("kernel() from the cache", pair, f64::NAN, 1, Goal::None));
    Ok(rows)
}

fn heap(ours: &mut Ours, bare: &Bare) -> Outcome<Vec<Row>> {
    let steps = |launches: u32| (0..launches).map(|_| 1);
    let row = |what: &str, ours: f64, raw: f64, goal| Row {
        what: what.to_owned(),
        unit: "",
        ours,
        baseline: raw,
        ceiling: raw,
        judged: (ours - raw, " more"),
        goal,
    };
    // Each measurement is one submission; the difference between two of them is the cost of the additional launches.
    let (few, many) = (32, 96);
    let ours_few = allocations(|| ours.run(steps(few)))?;
    let ours_many = allocations(|| ours.run(steps(many)))?;
    let raw_few = allocations(|| bare.run_constant(few))?;
    let raw_many = allocations(|| bare.run_constant(many))?;
    let each = |few_count: f64, many_count: f64| (many_count - few_count) / f64::from(many - few);
    let (ours_each, raw_each) = (each(ours_few, ours_many), each(raw_few, raw_many));
    let fixed = |count: f64, each: f64| count - each * f64::from(few);
    Ok(vec![
        row("heap allocations per launch", ours_each, raw_each, Goal::AtMost(0.0)),
        row("heap allocations per submission", fixed(ours_few, ours_each), fixed(raw_few, raw_each), Goal::None),
    ])
}

fn run() -> Outcome<()> {
    let arguments = Arguments::read();
    let (device, raw) = arguments.open()?;
    let (mut ours, mut bare) = (Ours::new(&device)?, Bare::new(raw)?);
    verify(&mut ours, &bare)?;
    let mut rows = times(&mut ours, &mut bare, arguments.quick)?;
    rows.extend(heap(&mut ours, &bare)?);
    let report = Report {
        bench: "overhead",
        baseline: "raw wgpu, the same launches in one pass and one submission",
        ceiling: "the same submission without encoding (for one launch: an empty one)",
        rows,
    };
    report.publish(&device, &arguments)
}

fn main() -> ExitCode {
    shared::ended(run())
}
