//! The cost of tuning: a lookup in each call, and a search.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anywarp::ops::Softmax;
use anywarp::tune::{Call, Mode, OperatorTuner, Tuner};
use anywarp::{Device, Wgsl};

use super::shared::Outcome;

/// The calls of a sample.
const CALLS: u32 = 100_000;

/// Prints the time of a plan, which includes the lookup, on a device without tuned operators and on one with one.
pub(crate) fn lookups(device: &Device) -> Outcome<()> {
    let time = |device: &Device| -> Outcome<Duration> {
        let mut samples = Vec::new();
        for _ in 0..7 {
            let start = Instant::now();
            for _ in 0..CALLS {
                black_box(black_box(Softmax::new([64, 128], 1)).cost::<f32>(device)?);
            }
            samples.push(start.elapsed() / CALLS);
        }
        samples.sort_unstable();
        Ok(samples[samples.len() / 2])
    };
    // Another handle of the same device, which has its own table.
    let plain = device.reopen()?;
    let without = time(&plain)?;
    let x = plain.buffer_from(&[1.0_f32; 64 * 128])?;
    let y = plain.buffer::<f32>(64 * 128)?;
    let call = Call::new(&plain, y, |y, to| Softmax::new([64, 128], 1).record(to).run(&x, &mut *y))?;
    OperatorTuner::new(&plain, call).store(None).mode(Mode::Again).budget(Duration::from_millis(300)).run()?;
    let with = time(&plain)?;
    println!("a plan without tuned operators: {without:?}; with one: {with:?} (goal of a lookup: below 100 ns)");
    Ok(())
}

/// Prints the time of a search of 64 candidates of a kernel.
pub(crate) fn search(device: &Device) -> Outcome<()> {
    let n = 256_usize;
    let (a, b) = (device.buffer_from(&vec![1.0_f32; n * n])?, device.buffer_from(&vec![0.5_f32; n * n])?);
    let c = device.buffer::<f32>(n * n)?;
    for run in 1..=2 {
        let start = Instant::now();
        // The second search has another text, so that no kernel is in a cache.
        let text = format!("{}\nconst run = {run}u + {}u;\n", include_str!("stencil.wgsl"), start_of_process());
        let lines = text.lines().count();
        let tuned = Tuner::new(device, Wgsl::new(text).file("stencil.wgsl"))
            .bind("a", &a)
            .bind("b", &b)
            .bind("c", &c)
            .set("size", n as u32)
            .groups_by(move |overrides| {
                let (x, y) = (overrides.size("WIDTH"), overrides.size("HEIGHT") * overrides.size("EACH"));
                [n.div_ceil(x) as u32, n.div_ceil(y) as u32]
            })
            .store(None)
            .mode(Mode::Again)
            .budget(Duration::from_secs(5))
            .run()?;
        let elapsed = start.elapsed();
        let tried = tuned.rows().iter().filter(|row| row.rounds > 0 || row.dropped.is_some()).count();
        println!(
            "a search of {} candidates of a kernel of {lines} lines: {elapsed:.2?}, {tried} tried, {:?} (goal: 5 s)",
            tuned.rows().len(),
            tuned.origin()
        );
    }
    Ok(())
}

/// A number that differs from process to process.
fn start_of_process() -> u32 {
    std::process::id()
}
