//! Shared code of the benches: arguments, a raw wgpu device, paired measurements, the table.

pub(crate) mod pairs;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anywarp::{Device, DeviceOptions};
use anywarp_testing_devices::libtest::BenchOptions;
use clap::Parser;
#[allow(unused_imports, reason = "not every bench measures pairs")]
pub(crate) use pairs::{Pair, repeated, timed};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// The result of a bench that ran to its end.
pub(crate) trait Ended {
    /// Whether every result was right.
    fn is_right(&self) -> bool;
}

impl Ended for () {
    fn is_right(&self) -> bool {
        true
    }
}

impl Ended for bool {
    fn is_right(&self) -> bool {
        *self
    }
}

/// The exit code of a bench: a wrong result fails it; an error is printed and fails it.
pub(crate) fn ended(outcome: Outcome<impl Ended>) -> ExitCode {
    match outcome {
        Ok(ended) if ended.is_right() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The arguments after `--`.
#[derive(Parser)]
pub(crate) struct Arguments {
    /// The device, in the form of `ANYWARP_DEVICE`.
    #[arg(long, value_name = "SELECTOR")]
    device: Option<String>,
    /// Use separate memory for host and device, even on a device with unified memory.
    #[arg(long)]
    staged: bool,
    /// The file for the results.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fewer repetitions, smaller sizes.
    #[arg(long)]
    pub(crate) quick: bool,
    #[command(flatten)]
    _bench: BenchOptions,
}

impl Arguments {
    /// Reads the command line, and exits where it is wrong.
    pub(crate) fn read() -> Self {
        Self::parse()
    }

    /// The file for the results.
    pub(crate) fn json(&self) -> Option<&Path> {
        self.json.as_deref()
    }

    /// Opens the device.
    pub(crate) fn device(&self) -> Outcome<Device> {
        let mut options = DeviceOptions::default().staged(self.staged);
        options.selector = self.device.clone();
        Ok(Device::open_with(&options)?)
    }

    /// Opens the device twice: through anywarp, and through wgpu alone.
    pub(crate) fn open(&self) -> Outcome<(Device, Raw)> {
        let device = self.device()?;
        let raw = Raw::beside(&device)?;
        Ok((device, raw))
    }
}

/// Plain wgpu, on the adapter that anywarp opened.
pub(crate) struct Raw {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
}

impl Raw {
    fn beside(device: &Device) -> Outcome<Self> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
        descriptor.flags = wgpu::InstanceFlags::empty();
        let instance = wgpu::Instance::new(descriptor);
        let (backend, number) = device.selector().split_once(':').unwrap_or((device.selector(), "0"));
        let number: usize = number.parse()?;
        let adapter = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()))
            .into_iter()
            .filter(|adapter| adapter.get_info().backend.to_str().eq_ignore_ascii_case(backend))
            .nth(number)
            .filter(|adapter| adapter.get_info().name == device.caps().name)
            .ok_or_else(|| format!("wgpu alone does not list {}", device.caps().name))?;
        let descriptor =
            wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..wgpu::DeviceDescriptor::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
        Ok(Self { device, queue })
    }

    pub(crate) fn buffer(&self, bytes: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let descriptor = wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false };
        self.device.create_buffer(&descriptor)
    }

    pub(crate) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Submits the commands and waits for their end.
    pub(crate) fn finish(&self, encoder: wgpu::CommandEncoder) -> Outcome<()> {
        self.wait(self.queue.submit([encoder.finish()]))
    }

    pub(crate) fn wait(&self, submitted: wgpu::SubmissionIndex) -> Outcome<()> {
        self.device.poll(wgpu::PollType::Wait { submission_index: Some(submitted), timeout: None })?;
        Ok(())
    }

    /// Maps all of `buffer`, and waits until it is mapped.
    pub(crate) fn map(&self, buffer: &wgpu::Buffer, mode: wgpu::MapMode) -> Outcome<()> {
        buffer.map_async(mode, .., |_| {});
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(())
    }
}

/// Measures with [`pairs`], after untimed warm-up pairs: one for every twenty timed pairs.
pub(crate) fn interleaved(
    pairs: usize,
    mut ours: impl FnMut() -> Outcome<f64>,
    mut raw: impl FnMut() -> Outcome<f64>,
) -> Outcome<Pair> {
    for _ in 0..pairs.div_ceil(20) {
        ours()?;
        raw()?;
    }
    pairs::pairs(pairs, ours, raw)
}

/// The goal of a row.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "a bench that measures rates has lower bounds, one that measures times has upper ones")]
pub(crate) enum Goal {
    AtMost(f64),
    AtLeast(f64),
    None,
}

/// One line of the table: a measurement and its baseline.
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) unit: &'static str,
    pub(crate) ours: f64,
    pub(crate) baseline: f64,
    /// The best possible value, in the same unit and from the same run.
    pub(crate) ceiling: f64,
    /// The value that is compared with the goal, and its unit.
    pub(crate) judged: (f64, &'static str),
    pub(crate) goal: Goal,
}

impl Row {
    fn met(&self) -> Option<bool> {
        match self.goal {
            Goal::AtMost(most) => Some(self.judged.0 <= most),
            Goal::AtLeast(least) => Some(self.judged.0 >= least),
            Goal::None => None,
        }
    }

    fn cells(&self) -> [String; 7] {
        let (value, unit) = self.judged;
        let number = |value: f64| if value.is_nan() { "-".to_owned() } else { format!("{value:.2} {}", self.unit) };
        let goal = match self.goal {
            Goal::AtMost(most) => format!("<= {most}{unit}"),
            Goal::AtLeast(least) => format!(">= {least}{unit}"),
            Goal::None => "-".to_owned(),
        };
        let met = self.met().map_or("-", |met| if met { "met" } else { "missed" });
        let judged = if value.is_nan() { "-".to_owned() } else { format!("{value:.2}{unit}") };
        let what = self.what.clone();
        [what, number(self.ours), number(self.baseline), number(self.ceiling), judged, goal, met.to_owned()]
    }
}

/// The table of one run.
pub(crate) struct Report {
    pub(crate) bench: &'static str,
    pub(crate) baseline: &'static str,
    pub(crate) ceiling: &'static str,
    pub(crate) rows: Vec<Row>,
}

impl Report {
    /// Prints the table, and writes it to the file named by `--json`.
    pub(crate) fn publish(&self, device: &Device, arguments: &Arguments) -> Outcome<()> {
        let caps = device.caps();
        let memory = if caps.unified { "unified" } else { "staged" };
        println!("{}: {} ({}, {}, {memory})", self.bench, caps.name, caps.backend, caps.driver);
        println!("baseline: {}", self.baseline);
        println!("ceiling: {}\n", self.ceiling);
        let head = ["", "anywarp", "baseline", "ceiling", "judged", "goal", ""].map(str::to_owned);
        let lines: Vec<[String; 7]> = std::iter::once(head).chain(self.rows.iter().map(Row::cells)).collect();
        let widths: [usize; 7] =
            std::array::from_fn(|column| lines.iter().map(|line| line[column].len()).max().unwrap_or(0));
        for line in &lines {
            print!("{:<width$}", line[0], width = widths[0]);
            for (cell, width) in line.iter().zip(widths).skip(1) {
                print!("  {cell:>width$}");
            }
            println!();
        }
        if let Some(file) = arguments.json() {
            std::fs::write(file, serde_json::to_string_pretty(&self.json(device))?)?;
        }
        Ok(())
    }

    fn json(&self, device: &Device) -> serde_json::Value {
        let caps = device.caps();
        let rows: Vec<serde_json::Value> = self
            .rows
            .iter()
            .map(|row| {
                serde_json::json!({
                    "what": row.what, "unit": row.unit, "anywarp": row.ours, "baseline": row.baseline,
                    "ceiling": row.ceiling, "judged": row.judged.0, "met": row.met(),
                })
            })
            .collect();
        serde_json::json!({
            "bench": self.bench, "device": caps.name, "backend": caps.backend.name(), "driver": caps.driver,
            "unified": caps.unified, "baseline": self.baseline, "ceiling": self.ceiling, "rows": rows,
        })
    }
}
