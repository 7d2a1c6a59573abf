//! A zoom into the Mandelbrot set: one kernel, one launch for each frame.
//!
//! `cargo run --release --example 12_mandelbrot -- [FRAMES] [WIDTH]` writes `mandelbrot.png`, the frames side by side.

use std::time::Instant;

use anywarp::Device;

/// Spirals in the seahorse valley.
const CENTRE: [f32; 2] = [-0.743_643_9, 0.131_825_9];
const COLUMNS: u32 = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u32>());
    let frames = numbers.next().transpose()?.unwrap_or(6).max(1);
    let width = numbers.next().transpose()?.unwrap_or(360).max(1);
    let size = [width, width * 3 / 4 + 1];
    let device = Device::open_default()?;
    let mandelbrot = device.kernel(include_str!("shaders/mandelbrot.wgsl"))?;
    let mut pixels = device.buffer::<u32>((size[0] * size[1]) as usize)?;
    let rows = frames.div_ceil(COLUMNS);
    let sheet_size = [size[0] * COLUMNS.min(frames), size[1] * rows];
    let mut sheet = vec![[0; 4]; (sheet_size[0] * sheet_size[1]) as usize];
    let start = Instant::now();
    for frame in 0..frames {
        let width = 3.2 * 0.2f32.powi(frame.min(6) as i32); // beyond this depth, 32-bit floats are too coarse
        let launch = mandelbrot.launch().set("view.centre", CENTRE).set("view.width", width);
        let launch = launch.set("view.most_steps", 300 + 200 * frame).set("view.size", size);
        launch.bind("pixels", &mut pixels).threads(size)?;
        let (column, row) = (frame % COLUMNS * size[0], frame / COLUMNS * size[1]);
        let target = sheet.chunks_mut(sheet_size[0] as usize).skip(row as usize);
        for (target, line) in target.zip(pixels.read()?.chunks(size[0] as usize)) {
            target[column as usize..][..line.len()].copy_from_slice(bytemuck::cast_slice(line));
        }
    }
    picture::save("mandelbrot.png", sheet_size, &sheet)?;
    println!("{}: {frames} frames in {:?} -> mandelbrot.png", device.caps().name, start.elapsed());
    Ok(())
}
