//! Transfers between host and GPU: from pinned memory in place, and from any memory.
//!
//! Each side's upload ends with a launch that binds the whole buffer, followed by a wait, because anywarp need not
//! transfer anything before such a launch.

use std::hint::black_box;
use std::time::Instant;

use anywarp::{Device, Kernel, UnifiedBuffer, Wgsl};

use crate::measure::{Pair, check, interleaved, number, numbers, repeated, timed};
use crate::raw::{self, BLOCK, Memory, Pinned, Raw, Value};
use crate::table::{Goal, Row};
use crate::{Bench, Outcome, images, on_vulkan};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
/// The size from which the goal applies; below it a transfer's fixed cost dominates.
const GOAL_FROM: usize = 4 * MIB;
/// The size from which transfers through a slice approach the rate of pinned memory.
const SHARE_FROM: usize = 64 * MIB;
/// The number of elements of the launch that uses the buffer.
const PROBE: usize = 256;
const SAXPY: &str = include_str!("saxpy.wgsl");

/// The buffer and the kernel through anywarp.
struct Ours {
    device: Device,
    kernel: Kernel,
    buffer: UnifiedBuffer<f32>,
    source: UnifiedBuffer<f32>,
    probe: UnifiedBuffer<f32>,
}

impl Ours {
    fn new(device: &Device, length: usize) -> Outcome<Self> {
        let kernel = device.kernel(Wgsl::new(SAXPY).file("saxpy.wgsl").entry("one"))?;
        let (buffer, probe) = (device.buffer(length)?, device.buffer(PROBE)?);
        let source = device.buffer_from(&numbers(1, length))?;
        Ok(Self { device: device.clone(), kernel, buffer, source, probe })
    }

    fn use_on_device(&mut self) -> Outcome<()> {
        let launch = self.kernel.launch().set("params.a", 1.0f32).bind("x", &self.buffer);
        launch.bind("y", &mut self.probe).threads(PROBE)?;
        Ok(self.device.synchronize()?)
    }

    /// Uploads data that a write guard has written; the time starts when the guard ends.
    fn upload_in_place(&mut self, seed: u32) -> Outcome<f64> {
        let mut guard = self.buffer.write()?;
        for (index, value) in guard.iter_mut().enumerate() {
            *value = number(seed, index);
        }
        let start = Instant::now();
        drop(guard);
        self.use_on_device()?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn upload(&mut self, from: &[f32]) -> Outcome<f64> {
        timed(|| {
            self.buffer.copy_from_slice(from)?;
            self.use_on_device()
        })
    }

    /// Makes the device write the whole buffer, and waits for it.
    fn write_on_device(&mut self) -> Outcome<()> {
        self.buffer.copy_from(&self.source)?;
        Ok(self.device.synchronize()?)
    }

    fn read(&mut self) -> Outcome<f64> {
        self.write_on_device()?;
        timed(|| {
            black_box(self.buffer.read()?.first());
            Ok(())
        })
    }

    fn download(&mut self, to: &mut [f32]) -> Outcome<f64> {
        self.write_on_device()?;
        timed(|| Ok(self.buffer.copy_to_slice(to)?))
    }

    /// Transfers data once in every way, and checks it.
    fn verify(&mut self, host: &[f32]) -> Outcome<()> {
        self.upload_in_place(2)?;
        self.check_on_device("write", 2)?;
        self.upload(host)?;
        self.check_on_device("copy_from_slice", 3)?;
        self.read()?;
        check("read", &self.buffer.read()?, 0.0, |index| number(1, index))?;
        let mut target = vec![0.0; host.len()];
        self.download(&mut target)?;
        check("copy_to_slice", &target, 0.0, |index| number(1, index))
    }

    /// Checks the device's data, by a copy on the device that is then read.
    fn check_on_device(&mut self, what: &str, seed: u32) -> Outcome<()> {
        let mut copy = self.device.buffer(self.buffer.len())?;
        copy.copy_from(&self.buffer)?;
        check(what, &copy.read()?, 0.0, |index| number(seed, index))
    }
}

/// The driver API with pinned memory of the same size, which is reused.
struct Bare<'a> {
    raw: &'a Raw,
    memory: Memory,
    pinned: Pinned,
    probe: raw::Kernel,
    _probed: Memory,
}

impl<'a> Bare<'a> {
    fn new(raw: &'a Raw, length: usize) -> Outcome<Self> {
        let (memory, probed) = (raw.allocate(length * 4)?, raw.memory_of(&[1.0f32; PROBE])?);
        let values = [memory.value(), probed.value(), Value::Float(1.0), Value::Count(PROBE as u32)];
        let probe = raw.kernel(&images::by_hand(raw)?, "saxpy", (PROBE as u32).div_ceil(BLOCK), &values)?;
        let mut pinned = raw.pinned(length * 4)?;
        pinned.numbers_mut().copy_from_slice(&numbers(4, length));
        Ok(Self { raw, memory, pinned, probe, _probed: probed })
    }

    /// Uploads data that was written as on our side; the time starts at the end of the write, because bytes in caches
    /// are transferred more slowly.
    fn upload(&mut self, seed: u32) -> Outcome<f64> {
        self.raw.enter()?;
        for (index, value) in self.pinned.numbers_mut().iter_mut().enumerate() {
            *value = number(seed, index);
        }
        self.upload_as_it_is()
    }

    /// Uploads data that is no longer in caches, because it was written long before.
    fn upload_as_it_is(&mut self) -> Outcome<f64> {
        self.raw.enter()?;
        timed(|| {
            self.raw.upload(&self.pinned, &self.memory)?;
            self.raw.launch(&mut self.probe)?;
            self.raw.wait()
        })
    }

    fn download(&mut self) -> Outcome<f64> {
        self.raw.enter()?;
        timed(|| {
            self.raw.download(&self.memory, &mut self.pinned)?;
            self.raw.wait()
        })
    }

    fn upload_pageable(&mut self, from: &[f32]) -> Outcome<f64> {
        self.raw.enter()?;
        timed(|| {
            self.raw.upload_pageable(from, &self.memory)?;
            self.raw.launch(&mut self.probe)?;
            self.raw.wait()
        })
    }

    fn download_pageable(&mut self, to: &mut [f32]) -> Outcome<f64> {
        self.raw.enter()?;
        timed(|| self.raw.download_pageable(&self.memory, to))
    }

    fn verify(&mut self) -> Outcome<()> {
        self.upload(4)?;
        self.pinned.numbers_mut().fill(0.0);
        self.download()?;
        check("raw transfers", self.pinned.numbers(), 0.0, |index| number(4, index))
    }
}

/// Measures transfers; returns the rows of the table.
pub(crate) fn rows(bench: &Bench) -> Outcome<Vec<Row>> {
    let sizes = if bench.quick { &[64 * KIB, 4 * MIB][..] } else { &[64 * KIB, 4 * MIB, 64 * MIB, 256 * MIB] };
    let mut rows = Vec::new();
    for bytes in sizes {
        rows.extend(of_size(bench, *bytes)?);
        bench.device.trim();
    }
    rows.sort_by_key(|row| row.name.rsplit_once(',').map(|(what, _)| what.to_owned()));
    rows.push(round_trip(bench)?);
    Ok(rows)
}

fn of_size(bench: &Bench, bytes: usize) -> Outcome<Vec<Row>> {
    let length = bytes / 4;
    let (most, budget) = if bench.quick { (20, 64 * MIB) } else { (300, 2048 * MIB) };
    let pairs = (budget / bytes).clamp(7, most);
    let host = numbers(3, length);
    let (mut first, mut second) = (vec![0.0; length], vec![0.0; length]);
    let mut ours = Ours::new(&bench.device, length)?;
    let mut bare = Bare::new(&bench.raw, length)?;
    ours.verify(&host)?;
    bare.verify()?;
    let in_place = interleaved(pairs, || ours.upload_in_place(5), || bare.upload(5))?;
    let read = interleaved(pairs, || ours.read(), || bare.download())?;
    let copied = interleaved(pairs, || ours.upload(&host), || bare.upload_pageable(&host))?;
    let of_pinned = interleaved(pairs, || ours.upload(&host), || bare.upload_as_it_is())?;
    let downloaded = interleaved(pairs, || ours.download(&mut first), || bare.download_pageable(&mut second))?;
    drop((ours, bare));
    let size = if bytes < MIB { format!("{} KiB", bytes / KIB) } else { format!("{} MiB", bytes / MIB) };
    let vulkan = on_vulkan(bench, &size, |device| {
        let mut ours = Ours::new(device, length)?;
        ours.verify(&host)?;
        Ok([
            repeated(pairs, || ours.upload_in_place(5))?,
            repeated(pairs, || ours.read())?,
            repeated(pairs, || ours.upload(&host))?,
            repeated(pairs, || ours.download(&mut first))?,
        ])
    });
    let vulkan = vulkan.unwrap_or([f64::NAN; 4]);
    let row = |what: &str, pair: Pair, vulkan: f64, note: &str| {
        let rate = |seconds: f64| bytes as f64 / seconds / 1e9;
        let in_place = what.starts_with("pinned") && bytes >= SHARE_FROM;
        let share = if in_place { 0.97 } else { 0.95 };
        let goal = if bytes >= GOAL_FROM { Goal::AtLeast(share) } else { Goal::None };
        let (ours, raw, ratio) = (rate(pair.ours), rate(pair.raw), 1.0 / pair.ratio);
        let (name, note) = (format!("{what}, {size}"), note.to_owned());
        Row { name, unit: "GB/s", ours, raw, ratio, goal, vulkan: rate(vulkan), note }
    };
    Ok(vec![
        row("pinned: write() in place", in_place, vulkan[0], "cuMemcpyHtoDAsync, pinned"),
        row("pinned: read()", read, vulkan[1], "cuMemcpyDtoHAsync, pinned"),
        row("slice: copy_from_slice", copied, vulkan[2], "cuMemcpyHtoD, pageable"),
        Row {
            name: format!("slice: copy_from_slice of pinned, {size}"),
            note: "cuMemcpyHtoDAsync, pinned, written long ago".to_owned(),
            goal: if bytes >= SHARE_FROM { Goal::AtLeast(0.85) } else { Goal::None },
            ..row("", of_pinned, vulkan[2], "")
        },
        row("slice: copy_to_slice", downloaded, vulkan[3], "cuMemcpyDtoH, pageable"),
    ])
}

/// Measures the smallest job: an upload of 4 KiB, a kernel, a download of 4 KiB.
fn round_trip(bench: &Bench) -> Outcome<Row> {
    const LENGTH: usize = 1024;
    let kernel = bench.device.kernel(Wgsl::new(SAXPY).file("saxpy.wgsl").entry("one"))?;
    let (ones, mut buffer) = (bench.device.buffer_from(&[1.0f32; LENGTH])?, bench.device.buffer::<f32>(LENGTH)?);
    let mut first = vec![0.0f32; LENGTH];
    let raw = &bench.raw;
    let (raw_ones, memory) = (raw.memory_of(&[1.0f32; LENGTH])?, raw.allocate(LENGTH * 4)?);
    let values = [raw_ones.value(), memory.value(), Value::Float(1.0), Value::Count(LENGTH as u32)];
    let mut add = raw.kernel(&images::by_hand(raw)?, "saxpy", (LENGTH as u32).div_ceil(BLOCK), &values)?;
    let mut pinned = raw.pinned(LENGTH * 4)?;
    let mut second = vec![0.0f32; LENGTH];
    let rounds = if bench.quick { 50 } else { 3000 };
    let pair = interleaved(
        rounds,
        || {
            timed(|| {
                buffer.copy_from_slice(&first)?;
                kernel.launch().set("params.a", 1.0f32).bind("x", &ones).bind("y", &mut buffer).threads(LENGTH)?;
                Ok(buffer.copy_to_slice(&mut first)?)
            })
        },
        || {
            raw.enter()?;
            timed(|| {
                pinned.numbers_mut().copy_from_slice(&second);
                raw.upload(&pinned, &memory)?;
                raw.launch(&mut add)?;
                raw.download(&memory, &mut pinned)?;
                raw.wait()?;
                second.copy_from_slice(pinned.numbers());
                Ok(())
            })
        },
    )?;
    let done = first[0];
    if done < rounds as f32 || first != vec![done; LENGTH] || second != vec![done; LENGTH] {
        return Err(format!("wrong results after {done} rounds: {} and {}", first[LENGTH - 1], second[0]).into());
    }
    Ok(Row {
        name: "4 KiB up, kernel, 4 KiB down".to_owned(),
        unit: "us",
        ours: pair.ours * 1e6,
        raw: pair.raw * 1e6,
        ratio: pair.ratio,
        goal: Goal::AtMost(1.3),
        vulkan: f64::NAN,
        note: "pinned copies, cuLaunchKernel, one wait".to_owned(),
    })
}
