//! The time of each operator, from a naive kernel to anywarp's and a peer's, relative to the device's limits.
//!
//! `cargo bench --bench ladder -- [--device SELECTOR] [--staged] [--quick] [--json FILE]`
//!
//! The ceilings are measured in the same run: a copy in vectors for bytes, multiply-adds in registers for arithmetic. A
//! rung's share is the shortest time that they allow for the operator's `Cost`, divided by its time. Every result is
//! checked before it is timed; the process fails if one is wrong.

#[path = "ladder/elementwise.rs"]
mod elementwise;
#[path = "ladder/fill_pattern.rs"]
mod fill_pattern;
#[path = "ladder/histogram.rs"]
mod histogram;
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
#[path = "ladder/sort.rs"]
mod sort;

use std::process::ExitCode;

use anywarp::backend::DeviceKind;
use rungs::Ladder;
use shared::{Arguments, Outcome};

fn run() -> Outcome<()> {
    let arguments = Arguments::read();
    let device = arguments.device()?;
    let (elements, side, repeats) = match (arguments.quick, device.caps().kind) {
        (true, _) => (1 << 18, 192, 5),
        (false, DeviceKind::Software) => (1 << 22, 512, 21),
        (false, _) => (1 << 26, 4096, 41),
    };
    let mut ladder = Ladder::on(&device, elements, repeats)?;
    let operators: [fn(&mut Ladder, usize) -> Outcome<()>; 11] = [
        fill_pattern::climb,
        random::climb,
        histogram::climb,
        elementwise::climb,
        reduction::climb,
        segments::climb,
        scan::climb,
        select::climb,
        movement::climb,
        sort::climb,
        ordering::climb,
    ];
    // One that fails does not take the figures of the others with it.
    let mut outcomes: Vec<_> = operators.iter().map(|climb| climb(&mut ladder, elements)).collect();
    outcomes.push(matmul::climb(&mut ladder, side));
    outcomes.push(ladder.publish(&arguments));
    let failures: Vec<String> = outcomes.into_iter().filter_map(|outcome| Some(outcome.err()?.to_string())).collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}

fn main() -> ExitCode {
    shared::ended(run())
}
