//! The costs of loading: the time for which the device waits for data, the cost of a batch beyond its copy, and a
//! comparison with a loader of threads and channels.
//!
//! `cargo bench --bench loader -- [--device SELECTOR] [--staged] [--quick] [--json FILE]`
//!
//! The baseline is hand-written: threads that load batches in turns, a `Vec` for each batch, a channel, and
//! `copy_from_slice`. The baseline for the cost of a batch is the copy alone, by `write`. Both sides run in the same
//! process, in turns. The data on the device is checked before anything is timed.

mod data;
mod plain;
#[allow(dead_code, reason = "nothing is held against wgpu here")]
#[path = "../shared/mod.rs"]
mod shared;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anywarp::loader::{Loader, LoaderBuilder};
use anywarp::{Device, Kernel, UnifiedBuffer};
use data::{Disk, Memory, Readable, check};
use plain::Plain;
use shared::{Arguments, Goal, Outcome, Report, Row, interleaved, repeated, timed};

const WORKERS: usize = 2;
const PREFETCH: usize = 4;

/// A kernel that keeps the device busy for `rounds` rounds over a batch.
const BUSY: &str = "
@group(0) @binding(0) var<uniform> rounds: u32;
@group(0) @binding(1) var<storage> batch: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(64)
fn busy(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0u;
    for (var at = id.x; at < arrayLength(&batch); at += 1024u) { sum += batch[at]; }
    for (var round = 0u; round < rounds; round++) { sum = (sum ^ (sum >> 15u)) * 2221713035u; }
    sums[id.x] += sum;
}";

/// The device's work on each batch.
struct Consumer {
    device: Device,
    busy: Kernel,
    sums: UnifiedBuffer<u32>,
}

impl Consumer {
    fn new(device: &Device) -> Outcome<Self> {
        Ok(Self { device: device.clone(), busy: device.kernel(BUSY)?, sums: device.buffer(1024)? })
    }

    /// Runs the device's work on a batch, and waits for it.
    fn take(&mut self, batch: &UnifiedBuffer<u32>, rounds: u32) -> Outcome<()> {
        let launch = self.busy.launch().set("rounds", rounds).bind("batch", batch);
        launch.bind("sums", &mut self.sums).threads(1024)?;
        Ok(self.device.synchronize()?)
    }

    /// The number of rounds that take the device `time` seconds.
    fn rounds(&mut self, time: f64) -> Outcome<u32> {
        let batch = self.device.buffer_from(&[1; 1024])?;
        let mut rounds = 1000;
        loop {
            let taken = repeated(5, || timed(|| self.take(&batch, rounds)))?;
            if taken > 0.5 * time {
                return Ok((f64::from(rounds) * time / taken) as u32);
            }
            rounds = rounds.saturating_mul(2);
        }
    }
}

fn builder<D: Readable>(device: &Device, data: &Arc<D>, batch: usize) -> LoaderBuilder<u32> {
    Loader::builder(device, Arc::clone(data)).batch_size(batch).workers(WORKERS).prefetch(PREFETCH)
}

/// The share of the time for which the consumer waits, with workers that can load 1.5 times as fast as the device
/// computes.
fn waiting(device: &Device, quick: bool) -> Outcome<Row> {
    const BATCH: usize = 16;
    let batches = if quick { 30 } else { 300 };
    let data = Arc::new(Disk { samples: BATCH * batches, time: Duration::from_micros(100) });
    check(device, &data, BATCH)?;
    let mut consumer = Consumer::new(device)?;
    let mut loader = builder(device, &data, BATCH).build()?;
    // The time in which a worker reads a batch while kernels run. On a CPU device the kernels use the same cores as the
    // workers.
    let (mut reading, mut rounds) = (0.01, 0);
    for _ in 0..3 {
        rounds = consumer.rounds(1.5 * reading / WORKERS as f64)?;
        let mut some = loader.epoch(0);
        for batch in some.by_ref().take(batches / 4) {
            consumer.take(batch?.fields(), rounds)?;
        }
        let stats = some.stats();
        reading = stats.reading.as_secs_f64() / stats.batches as f64;
    }
    let mut other = Consumer::new(device)?;
    // Both sides return shares of the time; in other rows they return seconds.
    let pair = interleaved(
        if quick { 1 } else { 5 },
        || {
            let mut batches = loader.epoch(0);
            for batch in batches.by_ref() {
                consumer.take(batch?.fields(), rounds)?;
            }
            Ok(100.0 * batches.stats().consumer_waited_share())
        },
        || Ok(100.0 * plain_wait(&mut other, &data, BATCH, rounds)?),
    )?;
    Ok(Row {
        what: format!("the consumer waits; {WORKERS} workers, a disk that takes {:.1} ms a batch", 1e3 * reading),
        unit: "%",
        ours: pair.ours,
        baseline: pair.raw,
        ceiling: 0.0,
        judged: (pair.ours, " %"),
        goal: Goal::AtMost(2.0),
    })
}

/// The share of the time for which the hand-written loader makes its consumer wait.
fn plain_wait(consumer: &mut Consumer, data: &Arc<Disk>, batch: usize, rounds: u32) -> Outcome<f64> {
    let mut buffer = consumer.device.buffer(Disk::LENGTH * batch)?;
    let start = Instant::now();
    let mut waited = Duration::ZERO;
    let mut plain = Plain::new(data, batch, WORKERS, PREFETCH);
    loop {
        let since = Instant::now();
        let Some(loaded) = plain.next() else { break };
        waited += since.elapsed();
        buffer.copy_from_slice(&loaded)?;
        consumer.take(&buffer, rounds)?;
    }
    Ok(waited.as_secs_f64() / start.elapsed().as_secs_f64())
}

/// The cost of a batch on the calling thread beyond copying its samples, in microseconds.
fn overhead(device: &Device, length: usize, quick: bool) -> Outcome<Row> {
    const BATCH: usize = 64;
    let batches = if quick { 50 } else { 200 };
    let data = Arc::new(Memory::new(BATCH * batches, length));
    check(device, &data, BATCH)?;
    let mut loader = builder(device, &data, BATCH).workers(0).build()?;
    // There are as many buffers as the loader uses in turns, so that caches make no difference.
    let mut buffers = (0..4).map(|_| device.buffer::<u32>(BATCH * length)).collect::<Result<Vec<_>, _>>()?;
    let pair = interleaved(
        if quick { 5 } else { 201 },
        || timed(|| loader.epoch(0).try_for_each(|batch| Ok(batch.map(drop)?))),
        || {
            timed(|| {
                for batch in 0..batches {
                    let target = &mut buffers[batch % 4];
                    data::read_all(&*data, batch * BATCH..(batch + 1) * BATCH, &mut target.write()?)?;
                }
                Ok(())
            })
        },
    )?;
    let each = |seconds: f64| 1e6 * seconds / batches as f64;
    let (ours, baseline) = (each(pair.ours), each(pair.raw));
    Ok(Row {
        what: format!("a batch of {} KiB by the calling thread; baseline: its copy", BATCH * length * 4 / 1024),
        unit: "us",
        ours,
        baseline,
        ceiling: baseline,
        judged: (ours - baseline, " us more"),
        goal: Goal::AtMost(5.0),
    })
}

/// The consumer's cost of a batch that is ready: taking the batch and returning it, which wakes a worker.
fn ready(device: &Device, quick: bool) -> Outcome<Row> {
    const BATCH: usize = 64;
    let batches = if quick { 50 } else { 500 };
    let data = Arc::new(Memory::new(BATCH * batches, 256));
    check(device, &data, BATCH)?;
    let mut loader = builder(device, &data, BATCH).build()?;
    let mut ours = loader.epoch(0);
    let mut theirs = Plain::new(&data, BATCH, WORKERS, PREFETCH);
    let sleep = || std::thread::sleep(Duration::from_millis(1)); // workers get ahead
    let pair = interleaved(
        batches * 9 / 10,
        || {
            sleep();
            timed(|| ours.next().ok_or("no batch")?.map(drop).map_err(Into::into))
        },
        || {
            sleep();
            timed(|| theirs.next().map(drop).ok_or_else(|| "no batch".into()))
        },
    )?;
    Ok(Row {
        what: "a batch that lies ready: to take and to give back; baseline: threads and a channel".to_owned(),
        unit: "us",
        ours: 1e6 * pair.ours,
        baseline: 1e6 * pair.raw,
        ceiling: 1e6 * waking(if quick { 50 } else { 500 })?,
        judged: (1e6 * pair.ours, " us"),
        goal: Goal::AtMost(5.0),
    })
}

/// The cost of waking a sleeping thread: one system call.
fn waking(times: usize) -> Outcome<f64> {
    let ended = Arc::new(AtomicBool::new(false));
    let theirs = Arc::clone(&ended);
    let sleeper = std::thread::spawn(move || {
        while !theirs.load(Ordering::SeqCst) {
            std::thread::park();
        }
    });
    let seconds = repeated(times, || {
        std::thread::sleep(Duration::from_millis(1));
        timed(|| {
            sleeper.thread().unpark();
            Ok(())
        })
    });
    ended.store(true, Ordering::SeqCst);
    sleeper.thread().unpark();
    sleeper.join().map_err(|_| "the sleeping thread panicked")?;
    seconds
}

/// The time per batch for samples from memory, until the device has processed the batch.
fn against_plain(device: &Device, length: usize, quick: bool) -> Outcome<Row> {
    const BATCH: usize = 64;
    let batches = if quick { 10 } else { 60 };
    let data = Arc::new(Memory::new(BATCH * batches, length));
    check(device, &data, BATCH)?;
    let mut consumer = Consumer::new(device)?;
    let mut other = Consumer::new(device)?;
    let mut loader = builder(device, &data, BATCH).build()?;
    let mut buffer = device.buffer::<u32>(BATCH * length)?;
    let pair = interleaved(
        if quick { 3 } else { 31 },
        || {
            timed(|| {
                for batch in loader.epoch(0) {
                    consumer.take(batch?.fields(), 0)?;
                }
                Ok(())
            })
        },
        || {
            timed(|| {
                for loaded in Plain::new(&data, BATCH, WORKERS, PREFETCH) {
                    buffer.copy_from_slice(&loaded)?;
                    other.take(&buffer, 0)?;
                }
                Ok(())
            })
        },
    )?;
    // The ceiling is the time of the device alone, on a batch that is in its memory already.
    let whole = device.buffer_from(&vec![1u32; BATCH * length])?;
    let ceiling = repeated(if quick { 5 } else { 101 }, || timed(|| consumer.take(&whole, 0)))?;
    let each = |seconds: f64| 1e6 * seconds / batches as f64;
    Ok(Row {
        what: format!("a batch of {} KiB from memory; baseline: threads and a channel", BATCH * length * 4 / 1024),
        unit: "us",
        ours: each(pair.ours),
        baseline: each(pair.raw),
        ceiling: 1e6 * ceiling,
        judged: (pair.ratio, " of theirs"),
        goal: Goal::AtMost(1.0),
    })
}

fn run() -> Outcome<()> {
    let arguments = Arguments::read();
    let device = arguments.device()?;
    let quick = arguments.quick;
    let rows = vec![
        waiting(&device, quick)?,
        overhead(&device, 16, quick)?,
        overhead(&device, 256, quick)?,
        ready(&device, quick)?,
        against_plain(&device, 64, quick)?,
        against_plain(&device, 1024, quick)?,
        against_plain(&device, 16 << 10, quick)?,
    ];
    let report = Report {
        bench: "loader",
        baseline: "threads, a Vec for each batch, a channel, copy_from_slice; or the copy alone",
        ceiling: "no waiting; the copy alone; the waking of a thread; the device on a batch that lies there",
        rows,
    };
    report.publish(&device, &arguments)
}

fn main() -> ExitCode {
    shared::ended(run())
}
