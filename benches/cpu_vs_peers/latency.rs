//! The overheads of a kernel: its compilation and its launch.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anywarp::{Device, Kernel};

use crate::clock::Clock;
use crate::measure::{self, PerLane, Samples};
use crate::report::Latency;
use crate::{LANES, Outcome};

/// A realistic kernel of about a hundred lines.
const LATTICE: &str = include_str!("lattice.wgsl");
const SIDE: u32 = 32;
const DIRECTIONS: usize = 9;

/// A kernel for 64 threads of one workgroup that count launches.
const COUNT: &str = "@group(0) @binding(0) var<storage, read_write> launches: array<u32>;

@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&launches) { launches[id.x] += 1u; }
}";
const THREADS: usize = 64;

/// The rows of the second table.
pub(crate) fn measure(devices: &[Option<Device>; 2], quick: bool) -> Outcome<Vec<Latency>> {
    let lines = LATTICE.lines().count();
    let rounds = if quick { 3 } else { 21 };
    // The seed comes from the clock, so that no disk cache has the compiled code of an earlier run.
    let mut seed = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() as u32;
    let mut fresh = |device: &Device| {
        seed = seed.wrapping_add(1);
        let source = LATTICE.replace("SEED = 0u", &format!("SEED = {seed}u"));
        let start = Instant::now();
        let kernel = device.kernel(&source)?;
        Outcome::Ok((kernel, start))
    };
    let compiled = one_by_one(devices, rounds, |device| Ok(fresh(device)?.1.elapsed()))?;
    let launched = one_by_one(devices, rounds, |device| {
        let (kernel, start) = fresh(device)?;
        let compiling = start.elapsed();
        Ok(compiling + first_step(device, &kernel)?)
    })?;
    let tiny = tiny_launches(devices, Duration::from_millis(if quick { 100 } else { 2000 }))?;
    Ok(vec![
        Latency { what: format!("kernel() of {lines} new lines"), samples: compiled, goal: Some(20e-3) },
        Latency { what: "the same + first launch + wait".to_owned(), samples: launched, goal: None },
        Latency { what: "launch + wait, 1 workgroup of 64".to_owned(), samples: tiny, goal: Some(10e-6) },
    ])
}

/// Measures every device once per round, after a round of warm-up.
fn one_by_one(
    devices: &[Option<Device>; 2],
    rounds: usize,
    mut work: impl FnMut(&Device) -> Outcome<Duration>,
) -> Outcome<Samples> {
    let mut samples = Vec::with_capacity(rounds);
    for round in 0..=rounds {
        let mut seconds = [f64::NAN; LANES.len()];
        for (seconds, device) in seconds.iter_mut().zip(devices) {
            let Some(device) = device else { continue };
            *seconds = work(device)?.as_secs_f64();
        }
        if round > 0 {
            samples.push(seconds);
        }
    }
    Ok(Samples::from(samples))
}

/// The time of the first step of the fluid, which must conserve mass.
fn first_step(device: &Device, kernel: &Kernel) -> Outcome<Duration> {
    let cells = (SIDE * SIDE) as usize;
    let fluid: Vec<f32> = (0..DIRECTIONS * cells).map(|index| 0.1 + (index % 7) as f32 * 1e-3).collect();
    let before = device.buffer_from(&fluid)?;
    let (mut after, mut flow) = (device.buffer::<f32>(fluid.len())?, device.buffer::<[f32; 4]>(cells)?);
    let start = Instant::now();
    let launch = kernel.launch().set("params.width", SIDE).set("params.height", SIDE);
    let launch = launch.set("params.relaxation_time", 0.6f32).set("params.obstacles", 20u32);
    let launch = launch.set("params.force", [1e-4f32, 0.0]).bind("before", &before);
    launch.bind("after", &mut after).bind("flow", &mut flow).threads([SIDE, SIDE])?;
    device.synchronize()?;
    let elapsed = start.elapsed();
    let mass = |fluid: &[f32]| fluid.iter().map(|value| f64::from(*value)).sum::<f64>();
    let (old, new) = (mass(&fluid), mass(&after.read()?));
    if (new / old - 1.0).abs() < 1e-5 {
        Ok(elapsed)
    } else {
        Err(format!("wrong result: {}: a mass of {old} became {new}", device.selector()).into())
    }
}

/// Measures launches with almost no work, each followed by a wait.
fn tiny_launches(devices: &[Option<Device>; 2], budget: Duration) -> Outcome<Samples> {
    let mut sides = PerLane::default();
    for (side, device) in sides.iter_mut().zip(devices) {
        let Some(device) = device else { continue };
        *side = Some((device, device.kernel(COUNT)?, device.buffer::<u32>(THREADS)?, 0));
    }
    let mut lanes = sides.each_mut().map(|side| {
        side.as_mut().map(|(device, kernel, launches, expected)| {
            || {
                *expected += 1;
                kernel.launch().bind("launches", &mut *launches).threads(THREADS)?;
                Ok(device.synchronize()?)
            }
        })
    });
    let samples = measure::interleaved(&mut lanes, budget, Clock::Wall)?;
    for (device, _, launches, expected) in sides.iter().flatten() {
        if launches.read()?.iter().any(|launches| launches != expected) {
            return Err(format!("wrong result: {}: not {expected} launches", device.selector()).into());
        }
    }
    Ok(samples)
}
