//! Workgroup memory: data that a workgroup fetches once and all its invocations use. A matrix product in tiles of 16 x
//! 16, compared with a product that fetches every factor again, and with plain Rust.
//!
//! `cargo run --release --example 06_tiles -- [SIZE]`. Tiles help on GPUs, where memory access is slow. They do not
//! help on a processor: its caches already keep fetched data, so a tile is a second copy of it. Also, one core runs the
//! invocations of a workgroup in turns, and every barrier interrupts each of them. `10_matmul` compares a product with
//! a library.

use std::time::{Duration, Instant};

use anywarp::backend::DeviceKind;
use anywarp::{Device, Kernel, UnifiedBuffer, Wgsl};

fn main() -> anywarp::Result<()> {
    let device = Device::open_default()?;
    let usual = if device.caps().kind == DeviceKind::Software { 200 } else { 1024 };
    let n: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(usual);
    println!("{}: {n} x {n} times {n} x {n}", device.caps().name);
    let a: Vec<f32> = (0..n * n).map(|at| (at % 101) as f32 / 101.0 - 0.5).collect();
    let b: Vec<f32> = (0..n * n).map(|at| (at % 97) as f32 / 97.0 - 0.5).collect();
    let start = Instant::now();
    let expected = plain(&a, &b, n);
    println!("plain Rust, one thread: {:?}", start.elapsed());

    let (a, b) = (device.buffer_from(&a)?, device.buffer_from(&b)?);
    let mut medians = [Duration::ZERO; 2];
    for (median, entry) in medians.iter_mut().zip(["naive", "tiled"]) {
        let wgsl = Wgsl::new(include_str!("shaders/tiled.wgsl")).file("tiled.wgsl").entry(entry);
        let kernel = device.kernel(wgsl)?;
        let mut c = device.buffer(n * n)?;
        *median = time(&device, &kernel, [&a, &b], &mut c, n)?;
        let worst = c.read()?.iter().zip(&expected).map(|(c, wanted)| (c - wanted).abs()).fold(0.0, f32::max);
        println!("{entry}: median {median:?}, largest difference to plain Rust {worst:.1e}");
        assert!(worst <= n as f32 * 1e-5);
    }
    println!("naive / tiled = {:.2}", medians[0].as_secs_f64() / medians[1].as_secs_f64());
    if device.selector().to_string().starts_with("cpu") {
        println!("a processor's caches replace tiles, without copies and barriers: run this example on a GPU");
    }
    Ok(())
}

/// The median time of 5 launches, by the device's own clock where it has one.
fn time(
    device: &Device,
    kernel: &Kernel,
    [a, b]: [&UnifiedBuffer<f32>; 2],
    c: &mut UnifiedBuffer<f32>,
    n: usize,
) -> anywarp::Result<Duration> {
    let mut recording = device.recording();
    recording.timed(true);
    let launch = kernel.launch().set("n", n as u32).bind("a", a).bind("b", b).bind("c", c);
    launch.record(&mut recording).threads([n, n])?;
    let mut times = Vec::new();
    for _ in 0..5 {
        let run = recording.submit()?;
        run.wait()?;
        times.extend(run.timings().map(|timings| timings.total()));
    }
    times.sort_unstable();
    Ok(times.get(times.len() / 2).copied().unwrap_or_default())
}

fn plain(a: &[f32], b: &[f32], n: usize) -> Vec<f32> {
    let mut c = vec![0.0; n * n];
    for (row, c) in c.chunks_mut(n).enumerate() {
        for (a, b) in a[row * n..].iter().zip(b.chunks(n)) {
            c.iter_mut().zip(b).for_each(|(c, b)| *c += a * b);
        }
    }
    c
}
