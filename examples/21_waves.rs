//! Waves on a square of water with walls around it: a workgroup keeps its cells and a halo in workgroup memory, and
//! computes four steps before it writes them. A recording of launches is replayed for thousands of steps.
//!
//! `cargo run --release --example 21_waves -- [FRAMES] [SIZE]` writes `waves-00.png` and so on.

use std::time::{Duration, Instant};

use anywarp::backend::DeviceKind;
use anywarp::{Device, Kernel, Recording, UnifiedBuffer, Wgsl};

/// A height and a speed, in units of a step.
type Cell = [f32; 2];

const STEPS_OF_A_LAUNCH: usize = 4;
const STEPS_OF_A_RECORDING: usize = 128;
const STEPS_OF_A_FRAME: usize = 512;
/// The cells along a side that a workgroup computes.
const TILE: usize = 24;
/// The square of the cells that a wave travels in a step. Waves are stable up to 0.5.
const PULL: f32 = 0.25;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let device = Device::open_default()?;
    let usual = if device.caps().kind == DeviceKind::Software { 360 } else { 1440 };
    let frames = numbers.next().transpose()?.unwrap_or(6);
    let size = numbers.next().transpose()?.unwrap_or(usual).clamp(32, 8192);
    let wgsl = Wgsl::new(include_str!("shaders/waves.wgsl")).file("waves.wgsl");
    let (advance, paint) = (device.kernel(wgsl.clone().entry("advance"))?, device.kernel(wgsl.entry("paint"))?);
    compare_with_plain_rust(&device, &advance)?;

    let mut water = [device.buffer_from(&drops(size))?, device.buffer_from(&drops(size))?];
    let mut pixels = device.buffer::<u32>(size * size)?;
    let steps = record(&device, &advance, size, &mut water)?;
    let at_first = energy(&water[0].read()?, size);
    let (mut busy, mut last) = (Duration::ZERO, 0.0);
    for frame in 0..frames {
        busy += replay(&steps, STEPS_OF_A_FRAME / STEPS_OF_A_RECORDING)?;
        last = energy(&water[0].read()?, size);
        let launch = paint.launch().set("water.size", size as u32).set("water.pull", PULL);
        launch.bind("old", &water[0]).bind("pixels", &mut pixels).threads([size, size])?;
        let file = format!("waves-{frame:02}.png");
        picture::save(&file, [size as u32; 2], bytemuck::cast_slice(&pixels.read()?))?;
        println!("{file} after {} steps, {last:.6} of energy {at_first:.6}", (frame + 1) * STEPS_OF_A_FRAME);
        assert!((last / at_first - 1.0).abs() < 1e-3, "water neither gains nor loses energy");
    }
    if frames > 0 {
        let of_a_step = busy.as_secs_f64() / (frames * STEPS_OF_A_FRAME) as f64;
        let of_a_copy = copies(&device, size)?.as_secs_f64();
        println!(
            "{}: {size} x {size} cells, {:.0} steps/s, energy changed by {:.1e}",
            device.caps().name,
            1.0 / of_a_step,
            last / at_first - 1.0
        );
        println!(
            "a launch of {STEPS_OF_A_LAUNCH} steps reads and writes each cell once: {:.0} % of the speed of a copy of \
             the same cells; {:.0} % for each step",
            100.0 * of_a_copy / (of_a_step * STEPS_OF_A_LAUNCH as f64),
            100.0 * of_a_copy / of_a_step
        );
    }
    Ok(())
}

/// Records an even number of launches, so that the last one writes the buffer that the first one reads.
fn record(
    device: &Device,
    advance: &Kernel,
    size: usize,
    [a, b]: &mut [UnifiedBuffer<Cell>; 2],
) -> anywarp::Result<Recording> {
    let mut steps = device.recording();
    let tiles = size.div_ceil(TILE);
    let mut launch = |old: &UnifiedBuffer<Cell>, next: &mut UnifiedBuffer<Cell>| {
        let launch = advance.launch().set("water.size", size as u32).set("water.pull", PULL);
        launch.bind("old", old).bind("next", next).record(&mut steps).groups([tiles, tiles])
    };
    for _ in 0..STEPS_OF_A_RECORDING / (2 * STEPS_OF_A_LAUNCH) {
        launch(a, b)?;
        launch(b, a)?;
    }
    Ok(steps)
}

/// The time of a number of replays: they are submitted at once and run one after the other.
fn replay(recording: &Recording, times: usize) -> anywarp::Result<Duration> {
    let start = Instant::now();
    for _ in 1..times {
        recording.submit()?;
    }
    recording.submit()?.wait()?;
    Ok(start.elapsed())
}

/// The time of a copy of all cells, as the mean of many in a recording.
fn copies(device: &Device, size: usize) -> anywarp::Result<Duration> {
    let (from, mut to) = (device.buffer_from(&drops(size))?, device.buffer::<Cell>(size * size)?);
    let mut copies = device.recording();
    for _ in 0..32 {
        copies.copy(&from, &mut to)?;
    }
    replay(&copies, 1)?; // the first replay allocates
    Ok(replay(&copies, 4)? / (4 * 32))
}

/// Water at rest with a few drops in it, given in parts of the square: column, row, radius and height.
fn drops(size: usize) -> Vec<Cell> {
    const DROPS: [[f32; 4]; 5] = [
        [0.3, 0.35, 0.025, 0.9],
        [0.72, 0.25, 0.02, -0.8],
        [0.6, 0.7, 0.035, 0.7],
        [0.2, 0.8, 0.02, 0.8],
        [0.85, 0.6, 0.015, 0.9],
    ];
    let part = |at: usize| (at as f32 + 0.5) / size as f32;
    let height = |x: f32, y: f32| {
        let drop = |[column, row, radius, height]: [f32; 4]| {
            height * (-((x - column).powi(2) + (y - row).powi(2)) / (2.0 * radius * radius)).exp()
        };
        DROPS.map(drop).iter().sum()
    };
    (0..size * size).map(|at| [height(part(at % size), part(at / size)), 0.0]).collect()
}

/// The energy that this scheme conserves exactly, but for rounding: of motion, and of slopes between neighbours, each
/// slope times the one that it was a step before.
fn energy(water: &[Cell], size: usize) -> f64 {
    let [now, before] =
        [0.0, 1.0].map(|ago: f64| move |[height, speed]: Cell| f64::from(height) - ago * f64::from(speed));
    let slopes = |a: Cell, b: Cell| (now(a) - now(b)) * (before(a) - before(b));
    let mut energy = 0.0;
    for (at, cell) in water.iter().enumerate() {
        energy += f64::from(cell[1]).powi(2);
        if at % size + 1 < size {
            energy += f64::from(PULL) * slopes(*cell, water[at + 1]);
        }
        if let Some(below) = water.get(at + size) {
            energy += f64::from(PULL) * slopes(*cell, *below);
        }
    }
    energy / 2.0
}

/// Compares a small square, which no tile divides, with plain Rust.
fn compare_with_plain_rust(device: &Device, advance: &Kernel) -> anywarp::Result<()> {
    const SIZE: usize = 61;
    let mut water = [device.buffer_from(&drops(SIZE))?, device.buffer::<Cell>(SIZE * SIZE)?];
    record(device, advance, SIZE, &mut water)?.submit()?.wait()?;
    let mut expected: Vec<[f64; 2]> = drops(SIZE).iter().map(|cell| cell.map(f64::from)).collect();
    for _ in 0..STEPS_OF_A_RECORDING {
        plain_step(&mut expected, SIZE);
    }
    let got = water[0].read()?;
    let distance = |(got, wanted): (&Cell, &[f64; 2])| (f64::from(got[0]) - wanted[0]).abs();
    let worst = got.iter().zip(&expected).map(distance).fold(0.0, f64::max);
    println!("largest difference to plain Rust after {STEPS_OF_A_RECORDING} steps: {worst:.1e}");
    assert!(worst < 1e-4);
    Ok(())
}

fn plain_step(water: &mut [[f64; 2]], size: usize) {
    let old: Vec<f64> = water.iter().map(|cell| cell[0]).collect();
    for (at, [height, speed]) in water.iter_mut().enumerate() {
        let (x, y) = (at % size, at / size);
        // A neighbour beyond the border is the cell itself.
        let beside = old[y * size + x.saturating_sub(1)] + old[y * size + (x + 1).min(size - 1)];
        let along = old[y.saturating_sub(1) * size + x] + old[(y + 1).min(size - 1) * size + x];
        *speed += f64::from(PULL) * (beside + along - 4.0 * old[at]);
        *height += *speed;
    }
}
