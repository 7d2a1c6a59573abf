//! `02_conv3x3 [PHOTO] [--device SELECTOR]`: convolves a photograph on a device and writes `conv3x3.png`, then times
//! sizes from 64 to 4096 against plain single-threaded Rust.

use std::time::{Duration, Instant};

use anywarp::{Device, DeviceOptions};
use picture::Picture;

/// Light from the upper left.
const EMBOSS: [[f32; 3]; 3] = [[-2.0, -1.0, 0.0], [-1.0, 1.0, 1.0], [0.0, 1.0, 2.0]];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut photo = concat!(env!("CARGO_MANIFEST_DIR"), "/data/rocket.jpg").to_owned();
    let mut options = DeviceOptions::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--device" => options.selector = arguments.next(),
            _ => photo = argument,
        }
    }
    let device = Device::open_with(&options)?;
    println!("{} ({}, {})", device.caps().name, device.selector(), device.caps().driver);
    let Picture { size: [width, height], pixels } = Picture::open(&photo)?;
    let image: Vec<f32> = pixels.iter().flat_map(|[rgb @ .., _]| rgb.map(|level| f32::from(level) / 255.0)).collect();
    let (result, _) = on_device(&device, &image, [width, height, 3])?;
    let level = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
    let pixels: Vec<_> = result.as_chunks().0.iter().map(|&[r, g, b]| [level(r), level(g), level(b), 255]).collect();
    picture::save("conv3x3.png", [width, height], &pixels)?;
    println!("{photo} ({width}x{height}) -> conv3x3.png\n");
    println!("  size   plain Rust     upload     kernel   download      total   speed-up  largest difference");
    for size in [64, 128, 256, 512, 1024, 2048, 4096u32] {
        let grey: Vec<f32> =
            (0..size * size).map(|i| image[(i.wrapping_mul(7919) % (width * height)) as usize]).collect();
        on_device(&device, &grey, [size, size, 1])?; // warm-up
        let (result, [upload, run, download]) = on_device(&device, &grey, [size, size, 1])?;
        let start = Instant::now();
        let expected = plain(&grey, size as usize, size as usize);
        let plain = start.elapsed();
        let worst = result.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let total = upload + run + download;
        let speed_up = plain.as_secs_f64() / total.as_secs_f64();
        let [a, b, c, d, e] = [plain, upload, run, download, total].map(|t| format!("{:.3} ms", t.as_secs_f64() * 1e3));
        println!("{size:>6} {a:>12} {b:>10} {c:>10} {d:>10} {e:>10} {speed_up:>9.2}x  {worst:.1e}");
        if total > Duration::from_secs(2) {
            break; // a software GPU: each further size takes four times as long
        }
    }
    Ok(())
}

/// The convolved image, and the times of upload (with submission), kernel and download.
fn on_device(device: &Device, image: &[f32], shape: [u32; 3]) -> anywarp::Result<(Vec<f32>, [Duration; 3])> {
    let [width, height, channels] = shape;
    let kernel = device.kernel(include_str!("shaders/conv3x3.wgsl"))?; // compiled at the first call only
    let (mut source, mut target) = (device.buffer(image.len())?, device.buffer(image.len())?);
    let start = Instant::now();
    source.copy_from_slice(image)?;
    let mut recording = device.recording();
    recording.timed(true);
    let weights = EMBOSS.map(|[a, b, c]| [a, b, c, 0.0]); // WGSL pads each column of a mat3x3 to four elements
    let launch = kernel.launch().set("params.weights", weights).set("params.channels", channels);
    let launch = launch.set("params.width", width).set("params.height", height);
    launch.bind("source", &source).bind("target_image", &mut target).record(&mut recording).threads([width, height])?;
    let submission = recording.submit()?;
    submission.wait()?;
    let both = start.elapsed();
    let run = submission.timings().map_or(both, |timings| timings.total());
    let start = Instant::now();
    let result = target.read()?.to_vec();
    Ok((result, [both.saturating_sub(run), run, start.elapsed()]))
}

fn plain(image: &[f32], width: usize, height: usize) -> Vec<f32> {
    let mut result = Vec::with_capacity(image.len());
    for y in 0..height {
        let rows = [y.saturating_sub(1), y, (y + 1).min(height - 1)].map(|row| &image[row * width..][..width]);
        for x in 0..width {
            let columns = [x.saturating_sub(1), x, (x + 1).min(width - 1)];
            let values = rows.iter().flat_map(|row| columns.map(|column| row[column]));
            result.push(values.zip(EMBOSS.as_flattened()).map(|(value, weight)| value * weight).sum());
        }
    }
    result
}
