//! The time of each operator, from a naive kernel to those of anywarp and of a peer, relative to the device's limits.
//!
//! `cargo bench --bench ladder -- [--device SELECTOR] [--staged] [--quick] [--json FILE] [--only NAME,..]`
//!
//! The ceilings are measured in the same run: a copy in vectors for bytes, multiply-adds in registers for arithmetic.
//! The share of a rung is the shortest time that the ceilings allow for the operator's `Cost`, divided by the rung's
//! time. Every result is checked before it is timed; the process fails if one is wrong.

#[path = "ladder/attention.rs"]
mod attention;
#[path = "ladder/elementwise.rs"]
mod elementwise;
#[path = "ladder/fft.rs"]
mod fft;
#[path = "ladder/fill_pattern.rs"]
mod fill_pattern;
#[path = "ladder/histogram.rs"]
mod histogram;
#[path = "ladder/layers.rs"]
mod layers;
#[path = "ladder/matmul.rs"]
mod matmul;
#[path = "ladder/movement.rs"]
mod movement;
#[path = "ladder/ordering.rs"]
mod ordering;
#[path = "ladder/random.rs"]
mod random;
#[path = "ladder/reduction.rs"]
mod reduction;
#[path = "ladder/rows.rs"]
mod rows;
#[path = "shared/ladder.rs"]
mod rungs;
#[path = "ladder/scan.rs"]
mod scan;
#[path = "ladder/segments.rs"]
mod segments;
#[path = "ladder/select.rs"]
mod select;
#[allow(dead_code, reason = "nothing is held against wgpu here")]
mod shared;
#[path = "ladder/signals.rs"]
mod signals;
#[path = "ladder/sort.rs"]
mod sort;
#[path = "ladder/sparse.rs"]
mod sparse;
#[path = "ladder/windows.rs"]
mod windows;

use std::process::ExitCode;

use anywarp::backend::DeviceKind;
use clap::Parser;
use rungs::Ladder;
use shared::{Arguments, Outcome};

type Climb = fn(&mut Ladder, usize) -> Outcome<()>;

#[derive(Parser)]
struct Options {
    #[command(flatten)]
    arguments: Arguments,
    /// The operators to measure, in place of all.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    only: Vec<String>,
}

fn run() -> Outcome<()> {
    let Options { arguments, only } = Options::parse();
    let device = arguments.device()?;
    let (elements, side, repeats) = match (arguments.quick, device.caps().kind) {
        (true, _) => (1 << 18, 192, 5),
        (false, DeviceKind::Software) => (1 << 22, 512, 21),
        (false, _) => (1 << 26, 4096, 41),
    };
    let mut ladder = Ladder::on(&device, elements, repeats)?;
    let operators: [(&str, Climb); 18] = [
        ("fill_pattern", fill_pattern::climb),
        ("random", random::climb),
        ("histogram", histogram::climb),
        ("elementwise", elementwise::climb),
        ("reduction", reduction::climb),
        ("segments", segments::climb),
        ("scan", scan::climb),
        ("select", select::climb),
        ("movement", movement::climb),
        ("sort", sort::climb),
        ("ordering", ordering::climb),
        ("rows", rows::climb),
        ("windows", windows::climb),
        ("attention", attention::climb),
        ("layers", layers::climb),
        ("fft", fft::climb),
        ("signals", signals::climb),
        ("sparse", sparse::climb),
    ];
    let names: Vec<&str> = operators.iter().map(|(name, _)| *name).chain(["matmul", "thin", "forms"]).collect();
    if let Some(unknown) = only.iter().find(|only| !names.contains(&only.as_str())) {
        return Err(format!("--only: expected some of {}, found '{unknown}'", names.join(", ")).into());
    }
    let wanted = |name: &str| only.is_empty() || only.iter().any(|only| only == name);
    // An operator that fails does not suppress the figures of the others.
    let mut outcomes: Vec<_> =
        operators.iter().filter(|(name, _)| wanted(name)).map(|(_, climb)| climb(&mut ladder, elements)).collect();
    if wanted("matmul") {
        outcomes.push(matmul::climb(&mut ladder, side));
        if side >= 4096 {
            outcomes.push(matmul::climb(&mut ladder, 2 * side));
        }
    }
    if wanted("thin") {
        outcomes.push(matmul::climb_thin(&mut ladder, 2 * side));
    }
    if wanted("forms") {
        outcomes.push(matmul::climb_forms(&mut ladder, side));
        if side >= 4096 {
            outcomes.push(matmul::climb_forms(&mut ladder, 2 * side));
        }
    }
    outcomes.push(ladder.publish(&arguments));
    let failures: Vec<String> = outcomes.into_iter().filter_map(|outcome| Some(outcome.err()?.to_string())).collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}

fn main() -> ExitCode {
    shared::ended(run())
}
