//! Kernels fed from a data set: threads read ahead while the device normalises each picture to mean 0 and deviation 1.
//! Without arguments it uses the digits in `data`; else two IDX files with pictures and labels in the format of MNIST,
//! or (feature `images`) a folder with a folder of pictures for each class.

use std::time::{Duration, Instant};

use anywarp::loader::{Dataset, IdxDataset, Loader, LoaderBuilder};
use anywarp::{Device, Submission};

const WGSL: &str = "
@group(0) @binding(0) var<uniform> pixels: u32;
@group(0) @binding(1) var<storage> images: array<u32>; // red, green, blue; IDX files use red only
@group(0) @binding(2) var<storage, read_write> normal: array<f32>;

fn light(pixel: u32) -> f32 { return 255.0 * dot(unpack4x8unorm(pixel).rgb, vec3f(1.0)); }

@compute @workgroup_size(64)
fn normalise(@builtin(global_invocation_id) id: vec3<u32>) {
    let start = id.x * pixels;
    if start >= arrayLength(&images) { return; }
    var sum = 0.0;
    for (var at = start; at < start + pixels; at++) { sum += light(images[at]); }
    let mean = sum / f32(pixels);
    var squares = 0.0;
    for (var at = start; at < start + pixels; at++) { squares += pow(abs(light(images[at]) - mean), 2.0); }
    let deviation = sqrt(max(squares / f32(pixels), 1.0));
    for (var at = start; at < start + pixels; at++) { normal[at] = (light(images[at]) - mean) / deviation; }
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::open_default()?;
    let digits = |name: &str| format!("{}/data/digits-{name}-ubyte", env!("CARGO_MANIFEST_DIR"));
    let (builder, pixels) = match &*std::env::args().skip(1).collect::<Vec<_>>() {
        [] => of(&device, IdxDataset::open(digits("images.idx3"), digits("labels.idx1"))?),
        [images, labels] => of(&device, IdxDataset::open(images, labels)?),
        #[cfg(feature = "images")]
        [folder] => of(&device, anywarp::loader::ImageFolder::open(folder, [64; 2], Default::default())?),
        _ => {
            return Err(
                "expected no arguments, or two IDX files, or a folder of pictures (needs --features images)".into()
            );
        }
    };
    let mut loader = builder.batch_size(64).shuffle(7).workers(2).build()?;
    let normalise = device.kernel(WGSL)?;
    let mut normal = device.buffer::<f32>(64 * pixels)?;
    let (start, mut busy) = (Instant::now(), Duration::ZERO);
    for epoch in 0..20 {
        let mut submitted = Vec::new();
        for batch in loader.epoch(epoch) {
            let batch = batch?;
            let (images, labels) = batch.fields();
            let mut recording = device.recording();
            recording.timed(true);
            let launch = normalise.launch().set("pixels", pixels as u32).bind("images", images);
            launch.bind("normal", &mut normal).record(&mut recording).threads(batch.len())?;
            submitted.push(recording.submit()?);
            if (epoch, batch.number()) == (0, 0) {
                println!("{}: the first picture is of class {}", device.caps().name, labels.read()?[0]);
                check(&images.read()?[..pixels], &normal.slice(..pixels).read()?);
            }
        }
        device.synchronize()?;
        busy += submitted.iter().filter_map(Submission::timings).map(|timings| timings.total()).sum::<Duration>();
    }
    let idle = start.elapsed().saturating_sub(busy).as_secs_f64() / start.elapsed().as_secs_f64();
    println!("the device was idle for {:.1} % of the time\n{}", 100.0 * idle, loader.stats());
    Ok(())
}

fn of(device: &Device, pictures: impl Dataset<Fields = (u32, u32)>) -> (LoaderBuilder<(u32, u32)>, usize) {
    let [pixels, _] = pictures.lengths();
    println!("{} pictures of {pixels} pixels", pictures.len());
    (Loader::builder(device, pictures), pixels)
}

fn check(image: &[u32], normal: &[f32]) {
    let light = |pixel: &u32| pixel.to_le_bytes()[..3].iter().map(|part| f32::from(*part)).sum::<f32>();
    let mean = image.iter().map(light).sum::<f32>() / image.len() as f32;
    let variance = image.iter().map(|pixel| (light(pixel) - mean).powi(2)).sum::<f32>() / image.len() as f32;
    let expected = image.iter().map(|pixel| (light(pixel) - mean) / variance.max(1.0).sqrt());
    assert!(expected.zip(normal).all(|(expected, got)| (expected - got).abs() < 1e-2));
}
