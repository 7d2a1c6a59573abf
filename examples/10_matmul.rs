//! A matrix product on the best device: by its library where there is one, else by a kernel; compared with the crate
//! `matrixmultiply`, the library of the device `cpu`, on one thread of the processor.
//!
//! `cargo run --release --example 10_matmul -- [SIZE]`

use std::time::{Duration, Instant};

use anywarp::Device;
use anywarp::backend::Routine;
use anywarp::ops::{Matmul, Precision, matmul};

fn main() -> anywarp::Result<()> {
    let size = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1024);
    let device = Device::open_default()?;
    let library = device.caps().library.contains(&Routine::MatrixProduct(Precision::F32));
    let path = if library { "the device's library" } else { "shaders/ops/matmul_f32.wgsl" };
    println!("{}: {size} x {size} times {size} x {size} in f32 by {path}", device.caps().name);

    let of_a: Vec<f32> = (0..size * size).map(|at| (at % 1009) as f32 / 1009.0 - 0.5).collect();
    let of_b: Vec<f32> = (0..size * size).map(|at| (at % 757) as f32 / 757.0 - 0.5).collect();
    let (a, b) = (device.buffer_from(&of_a)?, device.buffer_from(&of_b)?);
    let mut c = device.buffer::<f32>(size * size)?;
    matmul(&a, &b, &mut c, [size, size, size])?;

    let (row, column) = (size / 3, size / 2);
    let got = f64::from(c.slice(row * size + column..=row * size + column).read()?[0]);
    let products = (0..size).map(|at| f64::from(of_a[row * size + at]) * f64::from(of_b[at * size + column]));
    let (wanted, sizes) = products.fold((0.0, 0.0), |(sum, sizes), product| (sum + product, sizes + product.abs()));
    println!("c[{row}, {column}] = {got}, in f64 {wanted}");
    assert!((got - wanted).abs() <= (size + 1) as f64 * sizes / f64::from(1 << 24));

    let mut recording = device.recording();
    recording.timed(true);
    Matmul::new([size, size, size]).record(&mut recording).run(&a, &b, &mut c)?;
    let (mut best, began) = (Duration::MAX, Instant::now());
    while began.elapsed() < Duration::from_secs(1) {
        let run = recording.submit()?;
        run.wait()?;
        best = run.timings().map_or(best, |timings| best.min(timings.total()));
    }
    let rate = |time: Duration| 2.0 * (size as f64).powi(3) / time.as_secs_f64() / 1e9;
    println!("{best:?} at best: {:.1} GFLOP/s", rate(best));
    let beside = matrixmultiply(&of_a, &of_b, size);
    println!("{beside:?} at best: {:.1} GFLOP/s, by the crate matrixmultiply on one thread", rate(beside));
    Ok(())
}

/// The best time of three products by a library for processors.
fn matrixmultiply(a: &[f32], b: &[f32], n: usize) -> Duration {
    let (mut c, stride) = (vec![0.0f32; n * n], n as isize);
    let times = (0..3).map(|_| {
        let start = Instant::now();
        // SAFETY: all three are n * n numbers, stored row by row, and nothing else uses `c`.
        unsafe {
            matrixmultiply::sgemm(
                n,
                n,
                n,
                1.0,
                a.as_ptr(),
                stride,
                1,
                b.as_ptr(),
                stride,
                1,
                0.0,
                c.as_mut_ptr(),
                stride,
                1,
            );
        }
        start.elapsed()
    });
    times.min().unwrap_or_default()
}
