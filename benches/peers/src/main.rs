//! The device `cpu` beside libraries for processors: Fourier transforms beside `rustfft`, whose lines `rayon` distributes over
//! all cores, and products of sparse matrices beside a loop over rows by `rayon`.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml -- [--quick] [fft|spmv]`
//!
//! Both sides run in turns, out of place on the same data, and results are compared before they are timed. The ratio is
//! that of the peer's time to ours, the median of all pairs: 1 is as fast, more is faster. The goals are 0.7 for transforms
//! and 0.8 for products.

mod fft;
mod spmv;

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use anywarp::Device;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A comparison: the time of a run of ours, and of one of the peer, in seconds.
type Side<'a> = &'a mut dyn FnMut() -> Outcome<()>;

/// Runs both sides in turns for about a second, and prints the medians.
fn compare(what: &str, goal: Option<f64>, ours: Side<'_>, peer: Side<'_>) -> Outcome<()> {
    let timed = |side: &mut dyn FnMut() -> Outcome<()>| -> Outcome<f64> {
        let start = Instant::now();
        side()?;
        Ok(start.elapsed().as_secs_f64())
    };
    let (mut pairs, begin) = (Vec::new(), Instant::now());
    // The first pair warms caches.
    timed(ours)?;
    timed(peer)?;
    while pairs.len() < 11 || begin.elapsed().as_secs_f64() < 1.0 {
        pairs.push((timed(ours)?, timed(peer)?));
    }
    let [ours, peer, ratio] =
        [|pair: &(f64, f64)| pair.0, |pair: &(f64, f64)| pair.1, |pair: &(f64, f64)| pair.1 / pair.0]
            .map(|of| median(pairs.iter().map(of).collect()));
    let goal = goal.map_or(String::new(), |goal| format!("{} {goal}", if ratio >= goal { "met:" } else { "missed:" }));
    println!("{what:<36} {:>10.3} {:>10.3} {ratio:>7.2}  {goal}", ours * 1e3, peer * 1e3);
    Ok(())
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_unstable_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// Fails unless the root of the mean square of the differences is small.
fn near(got: &[f32], wanted: &[f32], bound: f64, what: &str) -> Outcome<()> {
    let pairs = got.iter().zip(wanted).map(|(got, wanted)| (f64::from(*got), f64::from(*wanted)));
    let (error, size) =
        pairs.fold((0.0, 0.0), |sums, (got, wanted)| (sums.0 + (got - wanted).powi(2), sums.1 + wanted.powi(2)));
    if got.len() == wanted.len() && error.sqrt() <= bound * size.sqrt() {
        return Ok(());
    }
    Err(format!("wrong result: {what}: a relative error of {:e}", (error / size).sqrt()).into())
}

fn run() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let wanted = |name: &str| {
        !["fft", "spmv"].iter().any(|known| arguments.iter().any(|argument| argument == known))
            || arguments.iter().any(|argument| argument == name)
    };
    let device = Device::open("cpu")?;
    println!("{}, {} threads for rayon\n", device.caps().name, rayon::current_num_threads());
    println!("{:<36} {:>10} {:>10} {:>7}", "", "ours, ms", "peer, ms", "ratio");
    if wanted("fft") {
        fft::all(&device, quick)?;
    }
    if wanted("spmv") {
        spmv::all(&device, quick)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
