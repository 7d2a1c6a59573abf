//! How fast bytes get from the host to the device and back, as a share of what the machine can do.
//!
//! `cargo bench --bench transfer -- [--device SELECTOR] [--staged] [--quick] [--json FILE]`
//!
//! With memory of its own the device is held against raw wgpu with reused mapped staging buffers;
//! where memory is one, against a plain copy of as many bytes. Either side's upload ends with the
//! same small use by the device, waited for, because before that nothing has to have moved.

mod shared;

use std::hint::black_box;
use std::process::ExitCode;

use anywarp::{Device, UnifiedBuffer};
use shared::{Arguments, Goal, Outcome, Pair, Raw, Report, Row, interleaved, repeated, timed};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
/// The goal holds from this size on; below it a transfer's fixed cost is all there is.
const GOAL_FROM: usize = 4 * MIB;
/// Bytes of the small use.
const PROBE: usize = 256;
const PAGE: usize = 4 * KIB;

/// Distinct words, different for each seed.
fn word(seed: u32, index: usize) -> u32 {
    (index as u32 ^ seed).wrapping_mul(0x9e37_79b9)
}

fn fill(target: &mut [u32], seed: u32) {
    for (index, value) in target.iter_mut().enumerate() {
        *value = word(seed, index);
    }
}

fn sum(words: &[u32]) -> u64 {
    words.iter().fold(0, |sum, word| sum + u64::from(*word))
}

fn check(what: &str, got: &[u32], seed: u32) -> Outcome<()> {
    match got.iter().enumerate().find(|(index, got)| **got != word(seed, *index)) {
        None => Ok(()),
        Some((index, got)) => Err(format!("wrong result: {what}: word {index} is {got:#x}").into()),
    }
}

/// Our side, at one size.
struct Ours {
    device: Device,
    buffer: UnifiedBuffer<u32>,
    source: UnifiedBuffer<u32>,
    probe: UnifiedBuffer<u32>,
}

impl Ours {
    fn new(device: &Device, words: usize) -> Outcome<Self> {
        let mut source = device.buffer(words)?;
        fill(&mut source.write()?, 1);
        Ok(Self { device: device.clone(), buffer: device.buffer(words)?, source, probe: device.buffer(PROBE / 4)? })
    }

    /// The device reads a little of the buffer: all that the host has newer goes up before.
    fn use_on_device(&mut self) -> Outcome<()> {
        self.probe.copy_from(self.buffer.slice(..PROBE / 4))?;
        Ok(self.device.synchronize()?)
    }

    fn upload(&mut self, from: &[u32]) -> Outcome<f64> {
        timed(|| {
            self.buffer.copy_from_slice(from)?;
            self.use_on_device()
        })
    }

    fn upload_in_place(&mut self, seed: u32) -> Outcome<f64> {
        timed(|| {
            fill(&mut self.buffer.write()?, seed);
            self.use_on_device()
        })
    }

    /// The device writes all of the buffer, and that has ended.
    fn write_on_device(&mut self) -> Outcome<()> {
        self.buffer.copy_from(&self.source)?;
        Ok(self.device.synchronize()?)
    }

    fn read(&mut self) -> Outcome<f64> {
        self.write_on_device()?;
        timed(|| {
            black_box(sum(&self.buffer.read()?));
            Ok(())
        })
    }

    fn download(&mut self, to: &mut [u32]) -> Outcome<f64> {
        self.write_on_device()?;
        timed(|| Ok(self.buffer.copy_to_slice(to)?))
    }

    /// Every way of moving bytes, once, with what arrived.
    fn verify(&mut self, host: &mut [u32]) -> Outcome<()> {
        fill(host, 2);
        self.upload(host)?;
        self.check_on_device("copy_from_slice", 2)?;
        self.upload_in_place(3)?;
        self.check_on_device("write", 3)?;
        self.download(host)?;
        check("copy_to_slice", host, 1)?;
        self.write_on_device()?;
        check("read", &self.buffer.read()?, 1)
    }

    /// Through a copy on the device, so that it is the device's version that is looked at.
    fn check_on_device(&mut self, what: &str, seed: u32) -> Outcome<()> {
        let mut copy = self.device.buffer(self.buffer.len())?;
        copy.copy_from(&self.buffer)?;
        check(what, &copy.read()?, seed)
    }

    /// Where memory is one, a device use after `write` must move nothing.
    fn check_nothing_moves(&mut self) -> Outcome<()> {
        let before = self.device.stats();
        fill(&mut self.buffer.write()?, 4);
        self.use_on_device()?;
        black_box(sum(&self.buffer.read()?));
        let after = self.device.stats();
        let moved = after.bytes_uploaded + after.bytes_downloaded - before.bytes_uploaded - before.bytes_downloaded;
        if moved > 0 {
            return Err(format!("{moved} bytes were moved although memory is one").into());
        }
        Ok(())
    }
}

/// The raw side, at one size: reused mapped staging buffers, or plain copies in host memory.
struct Bare<'a> {
    raw: &'a Raw,
    unified: bool,
    buffer: wgpu::Buffer,
    source: wgpu::Buffer,
    probe: wgpu::Buffer,
    upload: wgpu::Buffer,
    readback: wgpu::Buffer,
    /// Begins at the start of a page, as mapped memory does.
    host: Vec<u32>,
    page: usize,
}

impl<'a> Bare<'a> {
    fn new(raw: &'a Raw, words: usize, unified: bool) -> Outcome<Self> {
        use wgpu::BufferUsages as Usage;
        // Plain copies need no staging.
        let bytes = if unified { PROBE } else { words * 4 } as u64;
        let device = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let host = if unified { vec![1; words + PAGE / 4] } else { Vec::new() };
        let bare = Self {
            raw,
            unified,
            buffer: raw.buffer(bytes, device),
            source: raw.buffer(bytes, device),
            probe: raw.buffer(PROBE as u64, Usage::COPY_DST),
            upload: raw.buffer(bytes, Usage::MAP_WRITE | Usage::COPY_SRC),
            readback: raw.buffer(bytes, Usage::MAP_READ | Usage::COPY_DST),
            page: host.as_ptr().align_offset(PAGE),
            host,
        };
        bare.stage(|words| fill(words, 1))?;
        let mut encoder = raw.encoder();
        encoder.copy_buffer_to_buffer(&bare.upload, 0, &bare.source, 0, bytes);
        raw.finish(encoder)?;
        Ok(bare)
    }

    /// Has `write` fill the upload buffer while it is mapped.
    fn stage(&self, write: impl FnOnce(&mut [u32])) -> Outcome<()> {
        self.raw.map(&self.upload, wgpu::MapMode::Write)?;
        let mut view = self.upload.get_mapped_range_mut(..)?;
        let bytes = view.slice(..).as_raw_ptr();
        // SAFETY: the view covers the mapped buffer, whose start is aligned to 8 bytes and whose
        // length is a multiple of 4; nobody else touches it until it is dropped. The mapping was
        // zeroed or written before, and every bit pattern is a `u32`.
        write(unsafe { std::slice::from_raw_parts_mut(bytes.cast::<u32>().as_ptr(), bytes.len() / 4) });
        drop(view);
        self.upload.unmap();
        Ok(())
    }

    fn use_on_device(&self, mut encoder: wgpu::CommandEncoder) -> Outcome<()> {
        encoder.copy_buffer_to_buffer(&self.buffer, 0, &self.probe, 0, PROBE as u64);
        self.raw.finish(encoder)
    }

    fn upload(&mut self, write: impl FnOnce(&mut [u32])) -> Outcome<f64> {
        timed(|| {
            let mut encoder = self.raw.encoder();
            if self.unified {
                let words = self.host.len() - PAGE / 4;
                write(black_box(&mut self.host[self.page..][..words]));
            } else {
                self.stage(write)?;
                encoder.copy_buffer_to_buffer(&self.upload, 0, &self.buffer, 0, self.buffer.size());
            }
            self.use_on_device(encoder)
        })
    }

    fn download(&mut self, read: impl FnOnce(&[u32])) -> Outcome<f64> {
        if self.unified {
            let words = self.host.len() - PAGE / 4;
            return timed(|| {
                read(black_box(&self.host[self.page..][..words]));
                Ok(())
            });
        }
        let mut encoder = self.raw.encoder();
        encoder.copy_buffer_to_buffer(&self.source, 0, &self.buffer, 0, self.buffer.size());
        self.raw.finish(encoder)?;
        timed(|| {
            let mut encoder = self.raw.encoder();
            encoder.copy_buffer_to_buffer(&self.buffer, 0, &self.readback, 0, self.buffer.size());
            self.raw.queue.submit([encoder.finish()]);
            self.raw.map(&self.readback, wgpu::MapMode::Read)?;
            let view = self.readback.get_mapped_range(..)?;
            read(bytemuck::cast_slice(&view));
            drop(view);
            self.readback.unmap();
            Ok(())
        })
    }

    fn verify(&mut self, host: &mut [u32]) -> Outcome<()> {
        if self.unified {
            return Ok(());
        }
        self.download(|words| host.copy_from_slice(words))?;
        check("raw wgpu", host, 1)
    }
}

/// All rows of one size.
fn measure(device: &Device, raw: &Raw, bytes: usize, quick: bool) -> Outcome<Vec<Row>> {
    let words = bytes / 4;
    let unified = device.caps().unified;
    let mut host = vec![0; words];
    let mut ours = Ours::new(device, words)?;
    let mut bare = Bare::new(raw, words, unified)?;
    ours.verify(&mut host)?;
    bare.verify(&mut host)?;
    if unified {
        ours.check_nothing_moves()?;
    }
    let (most, budget) = if quick { (20, 64 * MIB) } else { (400, 4096 * MIB) };
    let pairs = (budget / bytes).clamp(5, most);

    fill(&mut host, 5);
    let mut target = host.clone();
    let ceiling = repeated(pairs, || {
        timed(|| {
            black_box(&mut target).copy_from_slice(black_box(&host));
            Ok(())
        })
    })?;
    let row = |what: &str, pair: Pair| {
        let rate = |seconds: f64| bytes as f64 / seconds / 1e9;
        let size = if bytes < MIB { format!("{} KiB", bytes / KIB) } else { format!("{} MiB", bytes / MIB) };
        Row {
            what: format!("{what} {size}"),
            unit: "GB/s",
            ours: rate(pair.ours),
            baseline: rate(pair.raw),
            ceiling: rate(ceiling),
            judged: (1.0 / pair.ratio, "x"),
            goal: if bytes >= GOAL_FROM { Goal::AtLeast(0.9) } else { Goal::None },
        }
    };
    let copied = interleaved(pairs, || ours.upload(&host), || bare.upload(|words| words.copy_from_slice(&host)))?;
    let filled = interleaved(pairs, || ours.upload_in_place(6), || bare.upload(|words| fill(words, 6)))?;
    let read = interleaved(
        pairs,
        || ours.read(),
        || {
            bare.download(|words| {
                black_box(sum(words));
            })
        },
    )?;
    let (mut first, mut second) = (target, vec![0; words]);
    let downloaded =
        interleaved(pairs, || ours.download(&mut first), || bare.download(|words| second.copy_from_slice(words)))?;
    Ok(vec![
        row("upload, copy_from_slice", copied),
        row("upload, write() in place", filled),
        row("readback, read() + sum", read),
        row("readback, copy_to_slice", downloaded),
    ])
}

fn run() -> Outcome<()> {
    let arguments = Arguments::parse()?;
    let (device, raw) = arguments.open()?;
    let largest = if arguments.quick { 16 * MIB } else { 256 * MIB };
    let mut rows = Vec::new();
    let mut bytes = 4 * KIB;
    while bytes <= largest {
        rows.extend(measure(&device, &raw, bytes, arguments.quick)?);
        device.trim();
        bytes *= 4;
    }
    rows.sort_by_key(|row| row.what.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>());
    let baseline = if device.caps().unified {
        "as many bytes written, summed or copied in host memory"
    } else {
        "raw wgpu with reused mapped staging buffers"
    };
    let report = Report { bench: "transfer", baseline, ceiling: "a copy of as many bytes in host memory", rows };
    report.publish(&device, &arguments)
}

fn main() -> ExitCode {
    shared::ended(run())
}
