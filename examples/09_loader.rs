//! Kernels fed from a data set: threads read ahead while the device brings each digit to mean 0 and
//! deviation 1.

use anywarp::Device;
use anywarp::loader::{Dataset, IdxDataset, Loader};

const WGSL: &str = "
@group(0) @binding(0) var<uniform> pixels: u32;
@group(0) @binding(1) var<storage> images: array<f32>;
@group(0) @binding(2) var<storage, read_write> normal: array<f32>;

@compute @workgroup_size(64)
fn normalise(@builtin(global_invocation_id) id: vec3<u32>) {
    let start = id.x * pixels;
    if start >= arrayLength(&images) { return; }
    var sum = 0.0;
    var squares = 0.0;
    for (var at = start; at < start + pixels; at++) {
        sum += images[at];
        squares += images[at] * images[at];
    }
    let mean = sum / f32(pixels);
    let deviation = sqrt(max(squares / f32(pixels) - mean * mean, 1e-6));
    for (var at = start; at < start + pixels; at++) {
        normal[at] = (images[at] - mean) / deviation;
    }
}";

const BATCH: usize = 64;

fn main() -> anywarp::Result<()> {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits");
    let digits = IdxDataset::<f32>::open(format!("{data}-images.idx3-ubyte"), format!("{data}-labels.idx1-ubyte"))?;
    let [pixels, _] = digits.lengths();
    println!("{} digits of {:?} pixels", digits.len(), digits.shape());

    let device = Device::open_default()?;
    let normalise = device.kernel(WGSL)?;
    let mut normal = device.buffer::<f32>(BATCH * pixels)?;
    let mut loader = Loader::builder(&device, digits).batch_size(BATCH).shuffle(7).workers(2).build()?;

    let mut seen = [0u32; 10];
    for epoch in 0..20 {
        for batch in loader.epoch(epoch) {
            let batch = batch?;
            let (images, labels) = batch.fields();
            let launch = normalise.launch().set("pixels", pixels as u32).bind("images", images);
            launch.bind("normal", &mut normal).threads(batch.len())?;
            if epoch == 0 {
                labels.read()?.iter().for_each(|digit| seen[*digit as usize] += 1);
                check(&images.read()?[..pixels], &normal.slice(..pixels).read()?);
            }
        }
        device.synchronize()?;
    }
    let stats = loader.stats();
    println!("{}: each digit so often: {seen:?}", device.caps().name);
    println!("{:.0} samples a second", stats.samples_per_second());
    println!("for {:.1} % of the time the device's side waited for data", 100.0 * stats.consumer_waited_share());
    println!("{stats}");
    Ok(())
}

/// The first image of a batch, worked out here.
fn check(image: &[f32], normal: &[f32]) {
    let mean = image.iter().sum::<f32>() / image.len() as f32;
    let variance = image.iter().map(|pixel| (pixel - mean).powi(2)).sum::<f32>() / image.len() as f32;
    for (pixel, got) in image.iter().zip(normal) {
        let expected = (pixel - mean) / variance.sqrt();
        assert!((expected - got).abs() < 1e-3, "{got} where {expected} was expected");
    }
}
