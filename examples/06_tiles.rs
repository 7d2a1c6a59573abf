//! Workgroup memory: what a workgroup has fetched once, all its invocations use. A matrix product in
//! tiles of 16 x 16, against one that reads every factor from the buffers, and against plain Rust.
//!
//! `cargo run --release --example 06_tiles -- [SIZE]`

use std::time::{Duration, Instant};

use anywarp::{Device, Kernel, UnifiedBuffer, Wgsl};

/// On a GPU the tiles win, since memory is far away. Processors have caches for that.
const WGSL: &str = "
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage> a: array<f32>;
@group(0) @binding(2) var<storage> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(16, 16)
fn naive(@builtin(global_invocation_id) at: vec3<u32>) {
    if at.x >= n || at.y >= n { return; }
    var sum = 0.0;
    for (var k = 0u; k < n; k++) { sum += a[at.y * n + k] * b[k * n + at.x]; }
    c[at.y * n + at.x] = sum;
}

var<workgroup> tile_a: array<array<f32, 16>, 16>;
var<workgroup> tile_b: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn tiled(@builtin(global_invocation_id) at: vec3<u32>, @builtin(local_invocation_id) own: vec3<u32>) {
    var sum = 0.0;
    for (var first = 0u; first < n; first += 16) {
        // Each invocation fetches one element of both tiles. Beyond the edge there are zeros.
        let column = first + own.x;
        let row = first + own.y;
        tile_a[own.y][own.x] = select(0.0, a[at.y * n + column], at.y < n && column < n);
        tile_b[own.y][own.x] = select(0.0, b[row * n + at.x], row < n && at.x < n);
        workgroupBarrier(); // nobody multiplies before all have fetched
        for (var k = 0u; k < 16; k++) { sum += tile_a[own.y][k] * tile_b[k][own.x]; }
        workgroupBarrier(); // nobody fetches the next tile while others still multiply
    }
    if at.x < n && at.y < n { c[at.y * n + at.x] = sum; }
}";

fn main() -> anywarp::Result<()> {
    let n = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(300usize);
    let device = Device::open_default()?;
    println!("{}: {n} x {n} times {n} x {n}", device.caps().name);
    let a: Vec<f32> = (0..n * n).map(|at| (at % 101) as f32 / 101.0 - 0.5).collect();
    let b: Vec<f32> = (0..n * n).map(|at| (at % 97) as f32 / 97.0 - 0.5).collect();
    let start = Instant::now();
    let expected = plain(&a, &b, n);
    println!("plain Rust, one thread: {:?}", start.elapsed());

    let (a, b) = (device.buffer_from(&a)?, device.buffer_from(&b)?);
    let mut medians = [Duration::ZERO; 2];
    for (median, entry) in medians.iter_mut().zip(["naive", "tiled"]) {
        let mut c = device.buffer::<f32>(n * n)?; // of its own, so that no result of the other is checked
        let kernel = device.kernel(Wgsl::new(WGSL).file("tiles.wgsl").entry(entry))?;
        *median = time(&device, &kernel, [&a, &b], &mut c, n)?;
        let worst = c.read()?.iter().zip(&expected).map(|(c, wanted)| (c - wanted).abs()).fold(0.0, f32::max);
        println!("{entry}: median {median:?}, largest difference to plain Rust {worst:.1e}");
        assert!(worst <= n as f32 * 1e-5);
    }
    println!("naive / tiled = {:.2}", medians[0].as_secs_f64() / medians[1].as_secs_f64());
    Ok(())
}

/// The median of 9 launches, on the device's own clock where it has one.
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
    for _ in 0..9 {
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
