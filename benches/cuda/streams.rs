//! Concurrent work: large copies beside a kernel, and two kernels that are too small for the GPU.
//!
//! The baseline is the longest part alone, in the same pairs; the goal is that all parts together take no longer. The
//! time of the parts one after another is in the note.

use std::cell::RefCell;
use std::time::Instant;

use anywarp::{Device, Kernel, Stream, UnifiedBuffer, Wgsl};

use crate::measure::{Pair, check, interleaved, median, number, repeated, timed};
use crate::table::{Goal, Row};
use crate::{Bench, Outcome};

/// The size of a large copy in bytes.
const LARGE: usize = 256 << 20;
/// The number of words of the kernel beside copies: about one block per multiprocessor.
const WIDE: usize = 128 * 256;
/// The number of words of the small kernels: four blocks.
const NARROW: usize = 4 * 256;
/// The time of a small kernel in seconds.
const SMALL: f64 = 1e-3;
/// The number of elements that are copied to make the device use a buffer.
const PROBE: usize = 256;
/// The goal for the time together, relative to the longest part.
const GOAL: Goal = Goal::AtMost(1.1);

/// A kernel that runs for a given time.
struct Spin {
    kernel: Kernel,
    words: UnifiedBuffer<u32>,
    rounds: u32,
    /// The number of rounds of all launches together.
    total: u64,
}

impl Spin {
    /// Returns a kernel that takes about this number of seconds.
    fn new(device: &Device, length: usize, seconds: f64) -> Outcome<Self> {
        const FIRST: u32 = 1 << 16;
        let kernel = device.kernel(Wgsl::new(include_str!("spin.wgsl")).file("spin.wgsl"))?;
        let words = device.buffer_from(&(0..length as u32).collect::<Vec<_>>())?;
        let mut spin = Self { kernel, words, rounds: FIRST, total: 0 };
        let stream = device.stream();
        let alone = repeated(5, || timed(|| spin.alone(&stream)))?;
        spin.rounds = (f64::from(FIRST) * seconds / alone) as u32;
        spin.check()?;
        Ok(spin)
    }

    fn launch(&mut self, stream: &Stream) -> Outcome<()> {
        let length = self.words.len();
        let launch = self.kernel.launch().set("params.rounds", self.rounds).bind("words", &mut self.words);
        launch.on(stream).threads(length)?;
        self.total += u64::from(self.rounds);
        Ok(())
    }

    /// Submits a launch.
    fn start(&mut self, device: &Device, stream: &Stream) -> Outcome<()> {
        self.launch(stream)?;
        Ok(device.submit()?)
    }

    fn alone(&mut self, stream: &Stream) -> Outcome<()> {
        self.launch(stream)?;
        Ok(stream.synchronize()?)
    }

    fn check(&self) -> Outcome<()> {
        for (index, got) in self.words.read()?.iter().enumerate() {
            let want = advanced(index as u32, self.total);
            if *got != want {
                return Err(format!("wrong result: spin.wgsl: word {index} is {got}, not {want}").into());
            }
        }
        Ok(())
    }
}

/// The random number that follows `word` after this number of steps, by repeated squaring of the step.
fn advanced(word: u32, mut steps: u64) -> u32 {
    let (mut factor, mut summand) = (1_664_525_u32, 1_013_904_223_u32);
    let mut word = word;
    while steps > 0 {
        if steps & 1 == 1 {
            word = word.wrapping_mul(factor).wrapping_add(summand);
        }
        summand = summand.wrapping_mul(factor.wrapping_add(1));
        factor = factor.wrapping_mul(factor);
        steps >>= 1;
    }
    word
}

/// A kernel, an upload and a download, which can run concurrently.
struct Copies {
    device: Device,
    streams: [Stream; 2],
    spin: Spin,
    up: UnifiedBuffer<f32>,
    down: UnifiedBuffer<f32>,
    probe: UnifiedBuffer<f32>,
    /// The value that `run` wrote last to all elements of `up` and `down`.
    value: f32,
}

/// The parts that run concurrently in one measurement.
#[derive(Clone, Copy)]
struct Parts {
    kernel: bool,
    upload: bool,
    download: bool,
    /// The stream of the upload; the kernel is on the first stream.
    stream: usize,
}

impl Copies {
    fn new(device: &Device) -> Outcome<Self> {
        let length = LARGE / 4;
        let streams = [device.stream(), device.stream()];
        let (mut up, down, mut probe) = (device.buffer(length)?, device.buffer(length)?, device.buffer(PROBE)?);
        up.write()?.fill(0.0);
        let copied = repeated(3, || {
            up.write()?.fill(0.0);
            timed(|| {
                streams[1].copy(up.slice(..PROBE), &mut probe)?;
                Ok(streams[1].synchronize()?)
            })
        })?;
        let spin = Spin::new(device, WIDE, copied)?;
        Ok(Self { device: device.clone(), streams, spin, up, down, probe, value: 0.0 })
    }

    /// Runs the parts; returns the seconds from the first submission until all parts have ended and the host has the
    /// bytes.
    fn run(&mut self, parts: Parts) -> Outcome<f64> {
        self.value += 1.0;
        let device = &self.device;
        if parts.download {
            self.down.fill(self.value)?;
        }
        if parts.upload {
            self.up.write()?.fill(self.value);
        }
        device.synchronize()?;
        let start = Instant::now();
        if parts.kernel {
            self.spin.start(device, &self.streams[0])?;
        }
        if parts.upload {
            self.streams[parts.stream].copy(self.up.slice(..PROBE), &mut self.probe)?;
            device.submit()?;
        }
        if parts.download {
            let arrived = self.down.read()?;
            if arrived.last() != Some(&self.value) {
                return Err(format!("wrong result: {:?} came back, not {}", arrived.last(), self.value).into());
            }
        }
        device.synchronize()?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// Runs all parts concurrently and checks every byte of the results.
    fn verify(&mut self, stream: usize) -> Outcome<()> {
        let mut copy = self.device.buffer(self.up.len())?;
        for (index, value) in self.up.write()?.iter_mut().enumerate() {
            *value = number(7, index);
        }
        self.spin.start(&self.device, &self.streams[0])?;
        self.streams[stream].copy(&self.up, &mut copy)?;
        check("an upload beside a kernel", &copy.read()?, 0.0, |index| number(7, index))?;
        self.spin.check()?;
        self.run(Parts { kernel: true, upload: true, download: true, stream })?;
        let value = self.value;
        check("a download beside a kernel", &self.down.read()?, 0.0, |_| value)?;
        check("an upload beside a kernel", &self.probe.read()?, 0.0, |_| value)?;
        self.spin.check()
    }

    fn row(&mut self, name: &str, together: Parts, pairs: usize) -> Outcome<Row> {
        let Parts { kernel, upload, download, stream } = together;
        let none = Parts { kernel: false, upload: false, download: false, stream };
        let alone = [Parts { kernel, ..none }, Parts { upload, ..none }, Parts { download, ..none }];
        let alone = alone.into_iter().filter(|part| part.kernel || part.upload || part.download);
        let mut in_turn = Vec::new();
        // Both sides use the same buffers, in turns.
        let copies = RefCell::new(self);
        let pair = interleaved(
            pairs,
            || copies.borrow_mut().run(together),
            || {
                let each = alone.clone().map(|part| copies.borrow_mut().run(part));
                let each: Vec<f64> = each.collect::<Outcome<_>>()?;
                in_turn.push(each.iter().sum());
                Ok(each.into_iter().fold(0.0, f64::max))
            },
        )?;
        Ok(row(name, pair, median(in_turn.into_iter())))
    }
}

fn row(name: &str, pair: Pair, in_turn: f64) -> Row {
    let milliseconds = |seconds: f64| seconds * 1e3;
    Row {
        name: name.to_owned(),
        unit: "ms",
        ours: milliseconds(pair.ours),
        raw: milliseconds(pair.raw),
        ratio: pair.ratio,
        goal: GOAL,
        vulkan: f64::NAN,
        note: format!("the longest alone; in turn {:.2} ms", milliseconds(in_turn)),
    }
}

/// Measures two kernels of a few blocks each.
fn small(bench: &Bench, pairs: usize) -> Outcome<Row> {
    let device = &bench.device;
    let streams = [device.stream(), device.stream()];
    let mut first = Spin::new(device, NARROW, SMALL)?;
    let rounds = first.rounds;
    let as_long = || Ok::<_, Box<dyn std::error::Error>>(Spin { rounds, ..Spin::new(device, NARROW, SMALL)? });
    let (mut second, mut third) = (as_long()?, as_long()?);
    let both = |[one, other]: [&Stream; 2], first: &mut Spin, second: &mut Spin| {
        timed(|| {
            first.start(device, one)?;
            second.start(device, other)?;
            Ok(device.synchronize()?)
        })
    };
    let [one, other] = &streams;
    both([one, other], &mut first, &mut second)?;
    let in_turn = repeated(pairs, || both([one, one], &mut first, &mut second))?;
    first.check()?;
    second.check()?;
    let pair = interleaved(pairs, || both([one, other], &mut first, &mut second), || timed(|| third.alone(one)))?;
    first.check()?;
    second.check()?;
    Ok(row("two kernels of 4 blocks, two streams", pair, in_turn))
}

/// Measures streams; returns the rows of the table.
pub(crate) fn rows(bench: &Bench) -> Outcome<Vec<Row>> {
    let pairs = if bench.quick { 3 } else { 15 };
    let mut copies = Copies::new(&bench.device)?;
    copies.verify(0)?;
    copies.verify(1)?;
    let two = Parts { kernel: true, upload: true, download: false, stream: 0 };
    let rows = vec![
        copies.row("kernel + 256 MiB up, one stream", two, pairs)?,
        copies.row("kernel + 256 MiB up, two streams", Parts { stream: 1, ..two }, pairs)?,
        copies.row("kernel + 256 MiB up and down", Parts { stream: 1, download: true, ..two }, pairs)?,
        small(bench, 10 * pairs)?,
    ];
    copies.spin.check()?;
    Ok(rows)
}
