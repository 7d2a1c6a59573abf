//! A network that learns to read handwritten digits, made of operators alone: 64 pixels, 512 hidden values, 10 classes.
//! All steps of an epoch are recorded once, and replayed.
//!
//! `cargo run --release --example 18_digits -- [EPOCHS]` writes `digits-loss.svg`.

#[path = "plot/loss.rs"]
mod loss;

use std::io::Write;
use std::time::Instant;

use anywarp::ops::{Activation, CrossEntropy, ElementwiseKernel, Matmul, Take, reduce, shaped};
use anywarp::{Device, Recording, Slice, SliceMut, UnifiedBuffer};

type Matrix = UnifiedBuffer<f32>;

const PIXELS: usize = 64;
const HIDDEN: usize = 512;
const CLASSES: usize = 10;
const BATCH: usize = 128;
/// The batches of an epoch; the remaining digits are for the test.
const BATCHES: usize = 12;
const RATE: f32 = 0.5;
/// The epoch from which on steps are timed.
const FIRST_TIMED: usize = 4;

/// The weights and biases of both layers.
struct Network {
    weights: [Matrix; 2],
    biases: [Matrix; 2],
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let epochs = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(30);
    let data = |name: &str| std::fs::read(format!("{}/data/digits-{name}-ubyte", env!("CARGO_MANIFEST_DIR")));
    // The headers of IDX files have 16 and 8 bytes; a pixel is 0 to 16.
    let pixels: Vec<f32> = data("images.idx3")?[16..].iter().map(|pixel| f32::from(*pixel) / 16.0).collect();
    let labels: Vec<u32> = data("labels.idx1")?[8..].iter().map(|label| u32::from(*label)).collect();
    let (count, seen) = (labels.len(), BATCH * BATCHES);

    let device = Device::open_default()?;
    println!("{}: {seen} digits to learn, {} to test", device.caps().name, count - seen);
    let mut random = random(1);
    let mut uniform = |length: usize, inputs: usize| {
        let most = (6.0 / inputs as f32).sqrt(); // He et al., 'Delving Deep into Rectifiers', 2015
        device.buffer_from(&(0..length).map(|_| (random() * 2.0 - 1.0) * most).collect::<Vec<f32>>())
    };
    let mut network = Network {
        weights: [uniform(PIXELS * HIDDEN, PIXELS)?, uniform(HIDDEN * CLASSES, HIDDEN)?],
        biases: [device.buffer_from(&[0.0; HIDDEN])?, device.buffer_from(&[0.0; CLASSES])?],
    };

    let digits = device.buffer_from(&pixels)?;
    let classes = device.buffer_from(&labels)?;
    let mut order: Vec<u32> = (0..seen as u32).collect();
    let mut drawn = device.buffer_from(&order)?;
    let mut losses = device.buffer::<f32>(BATCHES)?;
    let mut epoch = device.recording();
    for batch in 0..BATCHES {
        let rows = drawn.slice(batch * BATCH..(batch + 1) * BATCH);
        let mut x = device.buffer::<f32>(BATCH * PIXELS)?;
        let mut wanted = device.buffer::<u32>(BATCH)?;
        Take::new([count, PIXELS], 0).record(&mut epoch).run(&digits, rows, &mut x)?;
        Take::new([count], 0).record(&mut epoch).run(&classes, rows, &mut wanted)?;
        let loss = losses.slice_mut(batch..=batch);
        learn(&device, &mut epoch, &mut network, x.slice(..), &wanted, loss)?;
    }

    let mut curve = Vec::new();
    let mut start = Instant::now();
    for done in 1..=epochs {
        // The first epochs compile the kernels' last forms and make the recording a graph, where there are graphs.
        if done == FIRST_TIMED {
            start = Instant::now();
        }
        for place in (1..seen).rev() {
            order.swap(place, (random() * (place + 1) as f32) as usize);
        }
        drawn.write()?.copy_from_slice(&order);
        epoch.submit()?;
        curve.push(losses.read()?.iter().sum::<f32>() / BATCHES as f32);
        let bar = "#".repeat(30 * done / epochs);
        print!("\r[{bar:.<30}] epoch {done}, loss {:.4}", curve[done - 1]);
        std::io::stdout().flush()?;
    }
    let timed = if epochs < FIRST_TIMED { epochs } else { epochs + 1 - FIRST_TIMED };
    println!("\n{:.0} us a step of {BATCH} digits", start.elapsed().as_secs_f64() * 1e6 / (timed * BATCHES) as f64);
    loss::by_epoch("digits-loss.svg", "Handwritten digits", &curve)?;

    let tested = count - seen;
    let mut recording = device.recording();
    let (_, scores) = classify(&device, &mut recording, &network, digits.slice(seen * PIXELS..), tested)?;
    recording.submit()?;
    let read = reduce::argmax().call(&device).axis(1).apply::<u32>(shaped(&scores, [tested, CLASSES]))?;
    let right = read.read()?.iter().zip(&labels[seen..]).filter(|(read, label)| read == label).count();
    println!("{right} of {tested} unseen digits are read correctly, {:.1} %", 100.0 * right as f64 / tested as f64);
    assert!(epochs < 20 || right * 100 > tested * 85, "{right} of {tested}");
    Ok(())
}

/// Records the values of the hidden layer and the scores of the classes, for this number of digits.
fn classify(
    device: &Device,
    recording: &mut Recording,
    network: &Network,
    x: Slice<'_, f32>,
    count: usize,
) -> anywarp::Result<(Matrix, Matrix)> {
    let (mut hidden, mut scores) = (device.buffer(count * HIDDEN)?, device.buffer(count * CLASSES)?);
    let [w1, w2] = &network.weights;
    let [b1, b2] = &network.biases;
    let first = Matmul::new([count, PIXELS, HIDDEN]).bias(b1).activation(Activation::Relu);
    first.record(recording).run(x, w1, &mut hidden)?;
    Matmul::new([count, HIDDEN, CLASSES]).bias(b2).record(recording).run(&hidden, w2, &mut scores)?;
    Ok((hidden, scores))
}

/// Records a step of gradient descent for a batch, and its loss.
fn learn(
    device: &Device,
    recording: &mut Recording,
    network: &mut Network,
    x: Slice<'_, f32>,
    wanted: &UnifiedBuffer<u32>,
    loss: SliceMut<'_, f32>,
) -> anywarp::Result<()> {
    let (hidden, scores) = classify(device, recording, network, x, BATCH)?;
    let entropy = || CrossEntropy::new([BATCH, CLASSES], 1);
    entropy().record(recording).run(&scores, wanted, loss)?;

    // The derivatives with respect to the scores, and to the sums of the hidden layer.
    let mut by_scores = device.buffer(BATCH * CLASSES)?;
    let mut by_hidden = device.buffer(BATCH * HIDDEN)?;
    let one = device.buffer_from(&[1.0f32])?;
    entropy().record(recording).backward(&scores, wanted, &one, &mut by_scores)?;
    let [w1, w2] = &mut network.weights;
    Matmul::new([BATCH, CLASSES, HIDDEN]).transpose_b().record(recording).run(&by_scores, &*w2, &mut by_hidden)?;
    let relu = ElementwiseKernel::new("h: T, d: T", "d: T", "d = select(0, d, h > 0)")?.name("relu_backward");
    relu.call(device).record(recording).run(&hidden, &mut by_hidden)?;

    // weights = weights - RATE * inputs' * derivatives; the input of a bias is 1.
    let ones = device.buffer_from(&[1.0f32; BATCH])?;
    let less = |sizes| Matmul::new(sizes).transpose_a().alpha(-RATE).beta(1.0);
    let [b1, b2] = &mut network.biases;
    less([HIDDEN, BATCH, CLASSES]).record(recording).run(&hidden, &by_scores, w2)?;
    less([PIXELS, BATCH, HIDDEN]).record(recording).run(x, &by_hidden, w1)?;
    less([1, BATCH, CLASSES]).record(recording).run(&ones, &by_scores, b2)?;
    less([1, BATCH, HIDDEN]).record(recording).run(&ones, &by_hidden, b1)?;
    Ok(())
}

/// Numbers from 0 to below 1 (Marsaglia, 'Xorshift RNGs', 2003).
fn random(seed: u32) -> impl FnMut() -> f32 {
    let mut state = seed;
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / (1 << 24) as f32
    }
}
