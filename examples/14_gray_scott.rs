//! Two substances that react and diffuse form a labyrinth: a recording, replayed for each frame.
//!
//! `cargo run --release --example 14_gray_scott -- [FRAMES] [SIZE]` writes `gray-scott-00.png` and so on.

use std::time::Instant;

use anywarp::{Device, Kernel, Recording, UnifiedBuffer, Wgsl};

const STEPS_OF_A_FRAME: usize = 500;
const FEED: f32 = 0.037;
const KILL: f32 = 0.06;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u32>());
    let frames = numbers.next().transpose()?.unwrap_or(6);
    let size = [numbers.next().transpose()?.unwrap_or(240).max(8); 2];
    let device = Device::open_default()?;
    let wgsl = Wgsl::new(include_str!("shaders/gray_scott.wgsl")).file("gray_scott.wgsl");
    let (react, paint) = (device.kernel(wgsl.clone().entry("react"))?, device.kernel(wgsl.entry("paint"))?);

    let mut dish = [device.buffer_from(&start(size[0]))?, device.buffer_from(&start(size[0]))?];
    let mut pixels = device.buffer::<u32>((size[0] * size[1]) as usize)?;
    let mut steps = device.recording();
    for _ in 0..50 {
        let [a, b] = &mut dish;
        record(&react, &mut steps, size, a, b)?;
        record(&react, &mut steps, size, b, a)?;
    }
    let began = Instant::now();
    for frame in 0..frames {
        for _ in 0..STEPS_OF_A_FRAME / 100 {
            steps.submit()?; // does not wait
        }
        let launch = paint.launch().set("dish.size", size).set("dish.feed", FEED).set("dish.kill", KILL);
        launch.bind("old", &dish[0]).bind("pixels", &mut pixels).threads(size)?;
        let file = format!("gray-scott-{frame:02}.png");
        let pixels = pixels.read()?;
        picture::save(&file, size, bytemuck::cast_slice(&pixels))?;
        println!("{file} after {} steps, {:?}", (frame as usize + 1) * STEPS_OF_A_FRAME, began.elapsed());
    }
    Ok(())
}

fn record(
    react: &Kernel,
    steps: &mut Recording,
    size: [u32; 2],
    old: &UnifiedBuffer<[f32; 2]>,
    next: &mut UnifiedBuffer<[f32; 2]>,
) -> anywarp::Result<()> {
    let launch = react.launch().set("dish.size", size).set("dish.feed", FEED).set("dish.kill", KILL);
    launch.bind("old", old).bind("next", next).record(steps).threads(size)?;
    Ok(())
}

/// A dish full of `u`, with some squares of `v` in it.
fn start(size: u32) -> Vec<[f32; 2]> {
    let seeds: Vec<[u32; 2]> = (0..14u32).map(|seed| [seed * seed * 83 % size, seed * 151 % size]).collect();
    let near = |at: u32, seed: u32| at.wrapping_sub(seed) < 6;
    let has_v = |x, y| seeds.iter().any(|[column, row]| near(x, *column) && near(y, *row));
    (0..size * size).map(|at| if has_v(at % size, at / size) { [0.5, 0.25] } else { [1.0, 0.0] }).collect()
}
