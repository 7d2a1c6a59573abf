//! How fast bytes cross between host and device: `03_transfers [--device SELECTOR] [--staged]`.
//!
//! `pageable` copies from and to ordinary memory; `unified` writes and reads in place, through the
//! buffer's own guards. A unified buffer on a device that shares the host's memory moves nothing.

use std::time::Instant;

use anywarp::{Device, DeviceOptions, Kernel, UnifiedBuffer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = DeviceOptions::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--device" => options.selector = Some(arguments.next().ok_or("--device wants a selector")?),
            "--staged" => options.staged = true,
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    let device = Device::open_with(&options)?;
    let touch = device.kernel(include_str!("../shaders/touch.wgsl"))?;
    let memory = if device.caps().unified { "one memory" } else { "memory of its own" };
    println!("{} ({}, {memory}); GB/s, best of 5", device.caps().name, device.selector());
    println!("      bytes   pageable up   unified up   pageable down   unified down   moved by the last round");
    for power in (12..=26).step_by(2) {
        let mut buffer = device.buffer::<u32>((1 << power) / 4)?;
        let mut host = vec![7u32; buffer.len()];
        let mut best = [f64::INFINITY; 4];
        let mut moved = 0;
        for round in 0..6 {
            let start = Instant::now();
            buffer.copy_from_slice(&host)?;
            let pageable_up = finish(&device, &touch, &mut buffer, start)?;

            let start = Instant::now();
            buffer.copy_to_slice(&mut host)?;
            let pageable_down = start.elapsed().as_secs_f64();
            assert_eq!((host[0], host[1]), (8, 7));
            host[0] = 7;

            let before = device.stats();
            let start = Instant::now();
            buffer.write()?.fill(7);
            let unified_up = finish(&device, &touch, &mut buffer, start)?;

            let start = Instant::now();
            let sum = buffer.read()?.iter().fold(0u32, |sum, word| sum.wrapping_add(*word));
            let unified_down = start.elapsed().as_secs_f64();
            assert_eq!(sum, (host.len() as u32).wrapping_mul(7).wrapping_add(1));

            let after = device.stats();
            moved = after.bytes_uploaded + after.bytes_downloaded - before.bytes_uploaded - before.bytes_downloaded;
            if round > 0 {
                let times = [pageable_up, unified_up, pageable_down, unified_down];
                best = std::array::from_fn(|index| best[index].min(times[index]));
            }
        }
        let [a, b, c, d] = best.map(|seconds| (1u64 << power) as f64 / seconds / 1e9);
        println!("{:>11} {a:>13.2} {b:>12.2} {c:>15.2} {d:>14.2} {moved:>25}", 1u64 << power);
    }
    Ok(())
}

/// Has the device use the buffer and returns the seconds since `start`.
fn finish(device: &Device, touch: &Kernel, buffer: &mut UnifiedBuffer<u32>, start: Instant) -> anywarp::Result<f64> {
    touch.launch().bind("data", buffer).groups(1)?;
    device.synchronize()?;
    Ok(start.elapsed().as_secs_f64())
}
