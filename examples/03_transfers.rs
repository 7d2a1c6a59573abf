//! Transfer rates between host and device, one line for each method:
//! `03_transfers [--device SELECTOR] [--svg FILE]`.
//!
//! `pageable` copies ordinary memory in one block, `chunked` in chunks with several threads, `unified` writes and reads
//! in place, through the buffer's guards. If the device shares the host's memory, `zero-copy` does the same without any
//! transfer; the other methods then run on the same device in staging mode.

#[path = "plot/mod.rs"]
mod plot;

use std::time::Instant;

use anywarp::{Device, DeviceOptions, UnifiedBuffer};

type Step = fn(&mut UnifiedBuffer<u32>, &mut [u32]) -> anywarp::Result<()>;
/// A name, whether the direction is up, and the operation.
type Way = (&'static str, bool, Step);

const WAYS: [Way; 5] = [
    ("pageable up", true, |x, host| x.write().map(|mut guard| guard.copy_from_slice(host)).map_err(Into::into)),
    ("chunked up", true, |x, host| Ok(x.copy_from_slice(host)?)),
    UNIFIED[0],
    ("chunked down", false, |x, host| Ok(x.copy_to_slice(host)?)),
    UNIFIED[1],
];
const UNIFIED: [Way; 2] = [
    ("unified up", true, |x, _| x.write().map(|mut guard| guard.fill(7)).map_err(Into::into)),
    ("unified down", false, |x, host| {
        host[0] = x.read()?.iter().fold(0, |sum, word| sum.wrapping_add(*word));
        Ok(())
    }),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut options, mut svg) = (DeviceOptions::default(), None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--device" => options.selector = Some(arguments.next().ok_or("--device needs a selector")?),
            "--svg" => svg = Some(arguments.next().ok_or("--svg needs a file")?),
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    let device = Device::open_with(&options)?;
    let copying = Device::open_with(&options.staged(true))?;
    let mut columns = WAYS.map(|(name, up, way)| (name, &copying, up, way)).to_vec();
    if device.caps().unified {
        columns
            .extend(UNIFIED.map(|(_, up, way)| (if up { "zero-copy up" } else { "zero-copy down" }, &device, up, way)));
    }
    let title = format!("{} ({})", device.caps().name, device.selector());
    let head: String = columns.iter().map(|(name, ..)| format!("{name:>15}")).collect();
    println!("{title}; GB/s, best of 5\n      bytes {head}");
    let mut lines: Vec<_> = columns.iter().map(|(name, ..)| ((*name).to_owned(), Vec::new())).collect();
    for bytes in (12..=26).step_by(2).map(|power| 1 << power) {
        print!("{bytes:>11} ");
        for ((_, device, up, way), (_, points)) in columns.iter().zip(&mut lines) {
            let rate = bytes as f64 / fastest(device, bytes / 4, *up, *way)? / 1e9;
            print!("{rate:>15.2}");
            points.push((bytes as f64, rate));
        }
        println!();
    }
    for (what, device) in [("staging", &copying), ("default", &device)] {
        let stats = device.stats();
        println!("{what}: {} bytes up, {} bytes down", stats.bytes_uploaded, stats.bytes_downloaded);
    }
    svg.map_or(Ok(()), |file| plot::rates(&file, &title, &lines))
}

/// The time of the fastest of five rounds, in seconds.
fn fastest(device: &Device, length: usize, up: bool, way: Step) -> anywarp::Result<f64> {
    let touch = device.kernel(include_str!("shaders/touch.wgsl"))?; // adds 1 to the first word
    let (mut x, mut host) = (device.buffer_from(&vec![7u32; length])?, vec![7u32; length]);
    let mut best = f64::INFINITY;
    for _ in 0..6 {
        let mut start = Instant::now();
        if up {
            way(&mut x, &mut host)?;
        }
        touch.launch().bind("data", &mut x).groups(1)?;
        device.synchronize()?;
        if !up {
            start = Instant::now(); // the kernel has written data to fetch
            way(&mut x, &mut host)?;
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    // The first word is 8 after each upload; before the last download the kernel has added 1 six times.
    let word = x.read()?[0];
    assert_eq!(word, if up { 8 } else { 13 });
    Ok(best)
}
