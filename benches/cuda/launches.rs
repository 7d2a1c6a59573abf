//! The cost of launching a tiny kernel: one launch, a thousand in sequence, a thousand replayed.

use anywarp::{Device, Kernel, Recording, UnifiedBuffer, Wgsl};

use crate::measure::{Pair, check, interleaved, number, numbers, repeated, timed};
use crate::raw::{self, BLOCK, Memory, Raw};
use crate::table::{Goal, Row};
use crate::{Bench, Outcome, images, on_vulkan};

const SAXPY: &str = include_str!("saxpy.wgsl");
/// The number of elements of the tiny kernel.
const LENGTH: usize = 1024;
const LAUNCHES: usize = 1000;
const A: f32 = 0.25;

/// The tiny kernel through anywarp, and its data.
struct Ours {
    device: Device,
    kernel: Kernel,
    x: UnifiedBuffer<f32>,
    y: UnifiedBuffer<f32>,
}

impl Ours {
    fn new(device: &Device) -> Outcome<Self> {
        let kernel = device.kernel(Wgsl::new(SAXPY).file("saxpy.wgsl").entry("one"))?;
        let (x, y) = (device.buffer_from(&numbers(1, LENGTH))?, device.buffer_from(&numbers(2, LENGTH))?);
        Ok(Self { device: device.clone(), kernel, x, y })
    }

    fn run(&mut self, launches: usize) -> Outcome<()> {
        for _ in 0..launches {
            let launch = self.kernel.launch().set("params.a", A).bind("x", &self.x);
            launch.bind("y", &mut self.y).threads(LENGTH)?;
        }
        Ok(self.device.synchronize()?)
    }

    fn recording(&mut self) -> Outcome<Recording> {
        let mut recording = self.device.recording();
        for _ in 0..LAUNCHES {
            let launch = self.kernel.launch().set("params.a", A).bind("x", &self.x).bind("y", &mut self.y);
            launch.record(&mut recording).threads(LENGTH)?;
        }
        Ok(recording)
    }

    /// Checks the result of one launch, of as many launches as a recording has, and of the recording.
    fn verify(&mut self) -> Outcome<()> {
        let what = format!("saxpy on {}", self.device.selector());
        self.run(1)?;
        check(&what, &self.y.read()?, 1e-6, |index| sum(index, 1))?;
        self.run(LAUNCHES)?;
        check(&what, &self.y.read()?, 1e-3, |index| sum(index, 1 + LAUNCHES))?;
        self.recording()?.submit()?.wait()?;
        check(&what, &self.y.read()?, 1e-3, |index| sum(index, 1 + 2 * LAUNCHES))?;
        // `y` is reset, because the sums would grow to infinity.
        self.y.copy_from_slice(&numbers(2, LENGTH))?;
        Ok(())
    }
}

/// The value of `y` at an index after this number of launches.
fn sum(index: usize, launches: usize) -> f32 {
    number(2, index) + launches as f32 * A * number(1, index)
}

/// The tiny kernel through the driver API, and its data.
struct Bare<'a> {
    raw: &'a Raw,
    kernel: raw::Kernel,
    _x: Memory,
    y: Memory,
}

impl<'a> Bare<'a> {
    fn new(raw: &'a Raw) -> Outcome<Self> {
        let (x, y) = (raw.memory_of(&numbers(1, LENGTH))?, raw.memory_of(&numbers(2, LENGTH))?);
        let values = [x.value(), y.value(), raw::Value::Float(A), raw::Value::Count(LENGTH as u32)];
        let kernel = raw.kernel(&images::by_hand(raw)?, "saxpy", LENGTH as u32 / BLOCK, &values)?;
        Ok(Self { raw, kernel, _x: x, y })
    }

    fn launch(&mut self, launches: usize) -> Outcome<()> {
        (0..launches).try_for_each(|_| self.raw.launch(&mut self.kernel))
    }

    fn run(&mut self, launches: usize) -> Outcome<()> {
        self.launch(launches)?;
        self.raw.wait()
    }

    fn graph(&mut self) -> Outcome<raw::Graph> {
        let (raw, kernel) = (self.raw, &mut self.kernel);
        raw.captured(|| (0..LAUNCHES).try_for_each(|_| raw.launch(kernel)))
    }

    fn verify(&mut self) -> Outcome<raw::Graph> {
        self.raw.enter()?;
        self.run(1)?;
        check("raw saxpy", &self.raw.values_of::<f32>(&self.y, LENGTH)?, 1e-6, |index| sum(index, 1))?;
        let graph = self.graph()?;
        self.raw.replay(&graph)?;
        self.raw.wait()?;
        check("raw graph", &self.raw.values_of::<f32>(&self.y, LENGTH)?, 1e-3, |index| sum(index, 1 + LAUNCHES))?;
        Ok(graph)
    }
}

/// Measures launches; returns the rows of the table.
pub(crate) fn rows(bench: &Bench) -> Outcome<Vec<Row>> {
    let mut ours = Ours::new(&bench.device)?;
    let mut bare = Bare::new(&bench.raw)?;
    ours.verify()?;
    let graph = bare.verify()?;
    let recording = ours.recording()?;
    let raw = &bench.raw;
    let (many, few) = if bench.quick { (200, 10) } else { (2000, 100) };

    let one = interleaved(
        many,
        || timed(|| ours.run(1)),
        || {
            raw.enter()?;
            timed(|| bare.run(1))
        },
    )?;
    let row_of = interleaved(
        few,
        || timed(|| ours.run(LAUNCHES)),
        || {
            raw.enter()?;
            timed(|| bare.run(LAUNCHES))
        },
    )?;
    let replayed = interleaved(
        few,
        || timed(|| Ok(recording.submit()?.wait()?)),
        || {
            raw.enter()?;
            timed(|| {
                raw.replay(&graph)?;
                raw.wait()
            })
        },
    )?;
    let vulkan = on_vulkan(bench, "launches", |device| {
        let mut ours = Ours::new(device)?;
        ours.verify()?;
        let recording = ours.recording()?;
        Ok([
            repeated(many / 10, || timed(|| ours.run(1)))?,
            repeated(few, || timed(|| ours.run(LAUNCHES)))?,
            repeated(few, || timed(|| Ok(recording.submit()?.wait()?)))?,
        ])
    });
    let [vulkan_one, vulkan_row_of, vulkan_replayed] = vulkan.unwrap_or([f64::NAN; 3]);
    let row = |name: &str, launches: usize, pair: Pair, most: f64, vulkan: f64, note: &str| {
        let each = |seconds: f64| seconds * 1e6 / launches as f64;
        let (ours, raw, vulkan) = (each(pair.ours), each(pair.raw), each(vulkan));
        let (name, note, goal) = (name.to_owned(), note.to_owned(), Goal::AtMost(most));
        Row { name, unit: "us", ours, raw, ratio: pair.ratio, goal, vulkan, note }
    };
    Ok(vec![
        row("launch + wait, saxpy of 1024", 1, one, 1.15, vulkan_one, "cuLaunchKernel + cuStreamSynchronize"),
        row("1000 launches in a row, each", LAUNCHES, row_of, 1.2, vulkan_row_of, "cuLaunchKernel"),
        row("1000 launches replayed, each", LAUNCHES, replayed, 1.2, vulkan_replayed, "a CUDA graph"),
    ])
}
