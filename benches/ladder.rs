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
    fill_pattern::climb(&mut ladder, elements)?;
    random::climb(&mut ladder, elements)?;
    histogram::climb(&mut ladder, elements)?;
    elementwise::climb(&mut ladder, elements)?;
    reduction::climb(&mut ladder, elements)?;
    segments::climb(&mut ladder, elements)?;
    scan::climb(&mut ladder, elements)?;
    select::climb(&mut ladder, elements)?;
    movement::climb(&mut ladder, elements)?;
    matmul::climb(&mut ladder, side)?;
    sort::climb(&mut ladder, elements)?;
    ordering::climb(&mut ladder, elements)?;
    ladder.publish(&arguments)
}

fn main() -> ExitCode {
    shared::ended(run())
}
