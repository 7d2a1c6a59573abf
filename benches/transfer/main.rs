//! Measures the rate of transfers between host and device, relative to the rate that the machine allows.
//!
//! `cargo bench --bench transfer -- [--device SELECTOR] [--staged] [--quick] [--json FILE]`
//!
//! A device with its own memory is compared with raw wgpu: `write_buffer` for slices, mapped buffers that are reused
//! for other transfers. On an NVIDIA card the ceiling is a copy between pinned memory and the card through the driver
//! alone, in turn with ours; the goals are shares of this ceiling. In unified memory the baseline is a plain copy of as
//! many bytes. Each side's upload ends with the same small use by the device, followed by a wait, because anywarp need
//! not transfer anything before that.

mod bare;
mod data;
mod limit;
mod ours;
mod round_trip;
#[path = "../shared/mod.rs"]
mod shared;

use std::hint::black_box;
use std::process::ExitCode;

use anywarp::Device;
use anywarp_host::{store, threads};
use bare::Bare;
use data::fill;
use limit::Limit;
use ours::Ours;
use shared::{Arguments, Goal, Outcome, Pair, Raw, Report, Row, interleaved, repeated, timed};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
/// The size from which goals apply; below it a transfer's fixed cost dominates.
const GOAL_FROM: usize = 4 * MIB;
const SHARE_FROM: usize = 64 * MIB;

/// The measurement of one kind of transfer.
struct Moved {
    what: &'static str,
    pair: Pair,
    /// The time that the bus needs in seconds, and the goal for our rate as a share of the bus's rate.
    limit: Option<(f64, Goal)>,
}

/// Measures all kinds of transfers of one size; returns the rows of the table.
fn measure(device: &Device, raw: &Raw, bytes: usize, quick: bool) -> Outcome<Vec<Row>> {
    let words = bytes / 4;
    let unified = device.caps().unified;
    let mut host = vec![0; words];
    let mut ours = Ours::new(device, words)?;
    let mut bare = Bare::new(raw, words, unified)?;
    ours.verify(&mut host)?;
    bare.verify(&mut host)?;
    if unified {
        ours.check_nothing_moves()?;
    }
    let (most, budget) = if quick { (20, 64 * MIB) } else { (200, 2048 * MIB) };
    let pairs = (budget / bytes).clamp(9, most);
    fill(&mut host, 5);
    let (mut first, mut second) = (host.clone(), vec![0; words]);
    let copied = repeated(pairs, || {
        timed(|| {
            black_box(&mut first).copy_from_slice(black_box(&host));
            Ok(())
        })
    })?;
    let mut limit = if unified { None } else { Limit::of(&device.caps().name, bytes) };
    let mut bus = || limit.as_mut().map(Limit::both_ways).transpose();

    let mut moved = Vec::new();
    let mut way = |what, share: f64, up: bool, run: &mut dyn FnMut() -> Outcome<Pair>| -> Outcome<()> {
        // The copies alternate with ours, so that a change of the machine's speed affects both.
        let mut times = Vec::new();
        for _ in 0..5 {
            times.extend(bus()?.map(|(way_up, way_down)| if up { way_up } else { way_down }));
        }
        let pair = run()?;
        for _ in 0..5 {
            times.extend(bus()?.map(|(way_up, way_down)| if up { way_up } else { way_down }));
        }
        times.sort_by(f64::total_cmp);
        let goal = if share > 0.0 && bytes >= SHARE_FROM { Goal::AtLeast(share) } else { Goal::None };
        moved.push(Moved { what, pair, limit: times.get(times.len() / 2).map(|seconds| (*seconds, goal)) });
        Ok(())
    };
    way("upload, copy_from_slice", 0.8, true, &mut || {
        interleaved(pairs, || ours.upload(&host), || bare.upload(&host))
    })?;
    way("upload, write() in place", 0.9, true, &mut || {
        interleaved(pairs, || ours.upload_in_place(6, unified), || bare.upload_in_place(6))
    })?;
    if unified {
        way("readback, read() + sum", 0.0, false, &mut || {
            interleaved(
                pairs,
                || ours.read_and_sum(),
                || {
                    bare.download(|words| {
                        black_box(data::sum(words));
                    })
                },
            )
        })?;
    } else {
        way("readback, read()", 0.9, false, &mut || {
            interleaved(
                pairs,
                || ours.read(),
                || {
                    bare.download(|words| {
                        black_box(words.first());
                    })
                },
            )
        })?;
    }
    way("readback, copy_to_slice", 0.0, false, &mut || {
        interleaved(pairs, || ours.download(&mut first), || bare.download(|words| second.copy_from_slice(words)))
    })?;
    let mut rows: Vec<Row> = moved.iter().map(|moved| row(moved, bytes, copied)).collect();
    if !unified {
        rows.push(by_all_cores(bytes, pairs, copied)?);
    }
    Ok(rows)
}

/// The rate at which the host's cores copy past their caches, without a device: the upper bound of an upload from a
/// slice.
fn by_all_cores(bytes: usize, times: usize, copied: f64) -> Outcome<Row> {
    const PIECE: usize = 256 * KIB;
    let (source, mut target) = (vec![1u8; bytes], vec![0u8; bytes]);
    let seconds = repeated(times, || {
        timed(|| {
            threads::copy_pieces(&source, &mut target, PIECE, 100_000.0, &store);
            Ok(())
        })
    })?;
    if target.iter().any(|byte| *byte != 1) {
        return Err("wrong result: a copy in host memory".into());
    }
    let pair = Pair { ours: seconds, raw: copied, ratio: seconds / copied };
    let moved = Moved { what: "host copy, all cores, past caches", pair, limit: None };
    Ok(Row { goal: Goal::None, ..row(&moved, bytes, copied) })
}

fn row(moved: &Moved, bytes: usize, copied: f64) -> Row {
    let rate = |seconds: f64| bytes as f64 / seconds / 1e9;
    let size = if bytes < MIB { format!("{} KiB", bytes / KIB) } else { format!("{} MiB", bytes / MIB) };
    let against_raw = if bytes >= GOAL_FROM { Goal::AtLeast(0.9) } else { Goal::None };
    let (ceiling, judged, goal) = match moved.limit {
        Some((seconds, goal)) => (seconds, seconds / moved.pair.ours, goal),
        None => (copied, 1.0 / moved.pair.ratio, against_raw),
    };
    Row {
        what: format!("{} {size}", moved.what),
        unit: "GB/s",
        ours: rate(moved.pair.ours),
        baseline: rate(moved.pair.raw),
        ceiling: rate(ceiling),
        judged: (judged, "x"),
        goal,
    }
}

fn run() -> Outcome<()> {
    let arguments = Arguments::read();
    let (device, raw) = arguments.open()?;
    let largest = if arguments.quick { 16 * MIB } else { 256 * MIB };
    let mut rows = Vec::new();
    let mut bytes = 4 * KIB;
    while bytes <= largest {
        rows.extend(measure(&device, &raw, bytes, arguments.quick)?);
        device.trim();
        bytes *= 4;
    }
    rows.sort_by_key(|row| row.what.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>());
    rows.push(round_trip::row(&device, &raw, arguments.quick)?);
    let (baseline, ceiling) = if device.caps().unified {
        (
            "the same number of bytes written, summed or copied in host memory",
            "a copy of the same number of bytes in host memory",
        )
    } else {
        (
            "raw wgpu: write_buffer for slices, reused mapped staging buffers for the rest",
            "NVIDIA: copies between pinned memory and the card by the driver alone (the goals are shares of this rate); else a copy in host memory",
        )
    };
    Report { bench: "transfer", baseline, ceiling, rows }.publish(&device, &arguments)
}

fn main() -> ExitCode {
    shared::ended(run())
}
