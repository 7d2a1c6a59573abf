//! One case with each kind of checks on one device: run, checked, and timed in turns.

use std::time::{Duration, Instant};

use anywarp::{
    Checks, Device, DeviceOptions, Kernel, OpenError, Recording, Submission, Unchecked, UnifiedBuffer, Variants, Wgsl,
};

use crate::case::Case;
use crate::shared::Outcome;
use crate::shared::pairs::median;

/// The compared lanes, in the order of execution: `Proven` is the specialised variant of equal launches, `General` the
/// kernel without variants. `Off` runs twice, because a device without variants has its own copy of the data, and the
/// position of data in memory can matter more than checks.
pub(crate) const LANES: [&str; 5] = ["Off", "Proven", "Off beside General", "General", "Driver"];
pub(crate) const OFF: usize = 0;
pub(crate) const PROVEN: usize = 1;
const OFF_BESIDE_GENERAL: usize = 2;
pub(crate) const GENERAL: usize = 3;
pub(crate) const DRIVER: usize = 4;

/// The limit on launches of one recording: a device has a limited number of timestamps.
const MAX_REPEATS: f64 = 200.0;
/// The shortest sample in seconds, long enough that the clock's resolution and interrupts do not matter.
const SHORTEST: f64 = 2e-3;

/// The lanes that take turns: lanes that share their data, because the data of other lanes would evict it from caches.
const TURNS: [&[usize]; 2] = [&[OFF, PROVEN], &[OFF_BESIDE_GENERAL, GENERAL, DRIVER]];

/// The time of a launch in seconds, for each lane and round.
pub(crate) struct Samples([Vec<f64>; LANES.len()]);

impl Samples {
    pub(crate) fn seconds(&self, lane: usize) -> f64 {
        median(self.0[lane].iter().copied())
    }

    /// The speed of a lane relative to `Off` on the same data: the median over the rounds, because the two lanes of a
    /// round are affected equally when the machine slows down.
    pub(crate) fn speed(&self, lane: usize) -> f64 {
        let off = if lane <= PROVEN { OFF } else { OFF_BESIDE_GENERAL };
        median(self.0[off].iter().zip(&self.0[lane]).map(|(off, seconds)| off / seconds))
    }
}

/// A device opened twice: with and without variants of kernels.
pub(crate) struct Devices {
    pub(crate) varied: Device,
    general: Device,
}

impl Devices {
    /// Opens a device with this choice of variants, and another one without variants.
    pub(crate) fn open_with(selector: &str, variants: Variants) -> Result<Self, OpenError> {
        let open = |variants| Device::open_with(&DeviceOptions::default().selector(selector).variants(variants));
        Ok(Self { varied: open(variants)?, general: open(Variants::Never)? })
    }

    pub(crate) fn trim(&self) {
        self.varied.trim();
        self.general.trim();
    }
}

/// The data of a case on one device.
struct Data {
    device: Device,
    inputs: Vec<(&'static str, UnifiedBuffer<u8>)>,
    outputs: Vec<(&'static str, UnifiedBuffer<u8>)>,
}

impl Data {
    fn new(device: &Device, case: &Case) -> Outcome<Self> {
        let inputs = case.inputs.iter().map(|(name, bytes)| Ok((*name, device.buffer_from(bytes)?)));
        let outputs = case.outputs.iter().map(|(name, bytes)| Ok((*name, device.buffer(*bytes)?)));
        let (inputs, outputs) = (inputs.collect::<Outcome<_>>()?, outputs.collect::<Outcome<_>>()?);
        Ok(Self { device: device.clone(), inputs, outputs })
    }
}

/// The data of a case on both devices, and its kernels.
pub(crate) struct Lanes {
    kernels: Vec<Kernel>,
    varied: Data,
    general: Data,
}

impl Lanes {
    pub(crate) fn new(devices: &Devices, case: &Case) -> Outcome<Self> {
        // SAFETY: every access of the cases is in range for the sizes that they bind; their loops end, their divisors
        // are not 0 and their floats fit the integer types they are converted to.
        let off = Checks::Off(unsafe { Unchecked::promise() });
        let Devices { varied, general } = devices;
        let lanes = [
            (varied, off),
            (varied, Checks::Proven),
            (general, off),
            (general, Checks::Proven),
            (general, Checks::Driver),
        ];
        let kernel = |(device, checks): (&Device, _)| device.kernel(Wgsl::new(case.source).checks(checks));
        let kernels = lanes.into_iter().map(kernel).collect::<Result<_, _>>()?;
        Ok(Self { kernels, varied: Data::new(varied, case)?, general: Data::new(general, case)? })
    }

    fn data(&mut self, lane: usize) -> &mut Data {
        if lane <= PROVEN { &mut self.varied } else { &mut self.general }
    }

    /// Runs every lane once, with zeroed outputs, and checks its result.
    pub(crate) fn check(&mut self, case: &Case) -> Outcome<()> {
        for (lane, name) in LANES.iter().enumerate() {
            for (_, output) in &mut self.data(lane).outputs {
                output.fill(0)?;
            }
            self.record(case, lane, 1)?.submit()?.wait()?;
            let Some((_, output)) = self.data(lane).outputs.first() else { continue };
            let found: Vec<u32> = bytemuck::pod_collect_to_vec(&output.read()?);
            case.check(&found).map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    }

    /// Runs every lane once per round, for a total time of about `budget` and at least three rounds, after a warm-up.
    pub(crate) fn time(&mut self, case: &Case, budget: Duration) -> Outcome<Samples> {
        let mut samples = Samples(Default::default());
        for lanes in TURNS {
            let mut recordings = Vec::new();
            let mut round_seconds = 0.0;
            for &lane in lanes {
                let single = self.record(case, lane, 1)?;
                let seconds = warm_up(&single, budget / 20)?;
                let repeats = (SHORTEST / seconds).ceil().clamp(1.0, MAX_REPEATS);
                round_seconds += repeats * seconds;
                recordings.push((lane, self.record(case, lane, repeats as usize)?, repeats));
            }
            let share = budget.as_secs_f64() * lanes.len() as f64 / LANES.len() as f64;
            let rounds = (share / round_seconds).clamp(3.0, 200.0) as usize;
            for round in 0..rounds {
                for turn in 0..recordings.len() {
                    // The first lane of a round may be slower, so that another lane is first in each round.
                    let (lane, recording, repeats) = &recordings[(round + turn) % recordings.len()];
                    samples.0[*lane].push(sample(recording)? / repeats);
                }
            }
        }
        Ok(samples)
    }

    /// Records this number of launches of a lane.
    fn record(&mut self, case: &Case, lane: usize, repeats: usize) -> Outcome<Recording> {
        let kernel = self.kernels[lane].clone();
        let Data { device, inputs, outputs } = self.data(lane);
        let mut recording = device.recording();
        recording.timed(true);
        let params: &[u8] = bytemuck::cast_slice(&case.params);
        for _ in 0..repeats {
            if case.cleared {
                for (_, output) in outputs.iter_mut() {
                    recording.fill(output, 0)?;
                }
            }
            let mut launch = kernel.launch();
            if !params.is_empty() {
                launch = launch.set_bytes("params", params);
            }
            for (name, buffer) in inputs.iter_mut().chain(outputs.iter_mut()) {
                launch = launch.bind(name, buffer);
            }
            launch.record(&mut recording).groups(case.groups)?;
        }
        Ok(recording)
    }
}

/// Submits the recording repeatedly for a while; returns the time of the fastest run in seconds.
fn warm_up(recording: &Recording, time: Duration) -> Outcome<f64> {
    let start = Instant::now();
    let mut fastest = sample(recording)?;
    while start.elapsed() < time {
        fastest = fastest.min(sample(recording)?);
    }
    Ok(fastest.max(1e-9))
}

/// Submits the recording; returns its time in seconds by the device's clock or, without one, by the host's.
fn sample(recording: &Recording) -> Outcome<f64> {
    let start = Instant::now();
    let submission: Submission = recording.submit()?;
    submission.wait()?;
    let elapsed = start.elapsed();
    Ok(submission.timings().map_or(elapsed, |timings| timings.total()).as_secs_f64())
}
