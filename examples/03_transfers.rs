//! How fast bytes get to the device and back, way by way:
//! `03_transfers [--device SELECTOR] [--staged] [--svg FILE]`.
//!
//! `pageable` copies ordinary memory through one block, `chunked` piece by piece with several threads,
//! `unified` writes and reads in place, through the buffer's own guards. Where the device shares the host's memory
//! all of them are `zero-copy`: nothing is moved.

#[path = "plot/mod.rs"]
mod plot;

use std::time::Instant;

use anywarp::{Device, DeviceOptions, Kernel, UnifiedBuffer};

const WAYS: [&str; 5] = ["pageable up", "chunked up", "unified up", "chunked down", "unified down"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut options, mut svg) = (DeviceOptions::default(), None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--device" => options.selector = Some(arguments.next().ok_or("--device wants a selector")?),
            "--staged" => options.staged = true,
            "--svg" => svg = Some(arguments.next().ok_or("--svg wants a file")?),
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    let device = Device::open_with(&options)?;
    let touch = device.kernel(include_str!("../shaders/touch.wgsl"))?;
    let memory = if device.caps().unified { "zero-copy: one memory" } else { "memory of its own" };
    let title = format!("{} ({}, {memory})", device.caps().name, device.selector());
    let head = WAYS.map(|way| format!("{way:>14}")).concat();
    println!("{title}; GB/s, best of 5\n      bytes {head}  moved by the last round");
    let mut lines = WAYS.map(|way| (way.to_owned(), Vec::new()));
    for power in (12..=26).step_by(2) {
        let mut buffer = device.buffer::<u32>((1 << power) / 4)?;
        let mut host = vec![7u32; buffer.len()];
        let mut best = [f64::INFINITY; WAYS.len()];
        let mut moved = 0;
        for round in 0..6 {
            let before = device.stats();
            let times = round_trip(&device, &touch, &mut host, &mut buffer)?;
            let after = device.stats();
            moved = after.bytes_uploaded + after.bytes_downloaded - before.bytes_uploaded - before.bytes_downloaded;
            if round > 0 {
                best = std::array::from_fn(|way| best[way].min(times[way]));
            }
        }
        let rates = best.map(|seconds| f64::from(1 << power) / seconds / 1e9);
        println!("{:>11} {}{moved:>25}", 1 << power, rates.map(|rate| format!("{rate:>14.2}")).concat());
        lines.iter_mut().zip(rates).for_each(|((_, points), rate)| points.push((f64::from(1 << power), rate)));
    }
    svg.map_or(Ok(()), |file| plot::rates(&file, &title, &lines))
}

/// Every way once, with the seconds that it took.
fn round_trip(
    device: &Device,
    touch: &Kernel,
    host: &mut [u32],
    x: &mut UnifiedBuffer<u32>,
) -> anywarp::Result<[f64; 5]> {
    let mut seconds = [0.0; 5];
    for (way, seconds) in seconds.iter_mut().enumerate() {
        let mut start = Instant::now();
        match way {
            0 => x.write()?.copy_from_slice(host),
            1 => x.copy_from_slice(host)?,
            2 => x.write()?.fill(7),
            _ => {}
        }
        touch.launch().bind("data", &mut *x).groups(1)?; // adds 1 to the first word
        device.synchronize()?;
        if way > 2 {
            start = Instant::now(); // now there is something to fetch
        }
        match way {
            3 => x.copy_to_slice(host)?,
            4 => assert_eq!(x.read()?.iter().map(|word| u64::from(*word)).sum::<u64>(), 7 * host.len() as u64 + 3),
            _ => {}
        }
        *seconds = start.elapsed().as_secs_f64();
    }
    assert_eq!((host[0], host[1]), (9, 7));
    host[0] = 7;
    Ok(seconds)
}
