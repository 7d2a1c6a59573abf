//! Operators on few elements: the time of the first call, which compiles their kernels, and of later ones.
//!
//! `cargo bench --bench small -- [--device SELECTOR] [--quick] [--json FILE]`
//!
//! Each call is recorded alone, submitted and awaited, and so is a launch of a kernel that adds 1 to as many elements:
//! the ratio of the two medians is printed. A call may take as long as two and a half launches. The first call may take
//! 50 ms on a processor and 150 ms with a driver. With `ANYWARP_CACHE=off` no kernel comes from the cache on disk.
//! Every result is checked before it is timed; the process fails if one is wrong.

#[allow(dead_code, reason = "nothing is held against wgpu here")]
mod shared;

use std::process::ExitCode;

use anywarp::ops::{
    Cast, FillPattern, Histogram, IsSorted, Merge, Random, Rearrange, Scan, Scatter, SearchSorted, Select, Sequence,
    Sort, SortBy, Take, TopK, reduce,
};
use anywarp::{Device, Recording, UnifiedBuffer, Wgsl};
use shared::{Arguments, Outcome, repeated, timed};

const LENGTH: usize = 1 << 12;

const LAUNCH: &str = "
    @group(0) @binding(0) var<storage, read_write> y: array<f32>;
    @compute @workgroup_size(256)
    fn add_one(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] += 1.0; }";

struct Arrays {
    device: Device,
    /// The numbers 0, 1, .. in another order; `x` has the same numbers as floats.
    keys: UnifiedBuffer<u32>,
    x: UnifiedBuffer<f32>,
    /// The same numbers in ascending order.
    sorted: UnifiedBuffer<u32>,
    y: UnifiedBuffer<f32>,
    places: UnifiedBuffer<u32>,
}

/// The key at an index; all keys differ, because 2,731 has no factor in common with the length.
fn key(at: usize) -> usize {
    at * 2731 % LENGTH
}

impl Arrays {
    fn new(device: &Device) -> Outcome<Self> {
        let keys: Vec<u32> = (0..LENGTH).map(|at| key(at) as u32).collect();
        Ok(Self {
            device: device.clone(),
            x: device.buffer_from(&keys.iter().map(|key| *key as f32).collect::<Vec<_>>())?,
            keys: device.buffer_from(&keys)?,
            sorted: device.buffer_from(&(0..LENGTH as u32).collect::<Vec<_>>())?,
            y: device.buffer::<f32>(LENGTH)?,
            places: device.buffer::<u32>(LENGTH)?,
        })
    }

    /// Whether the first `count` elements of `y` are the wanted ones.
    fn floats(&self, count: usize, wanted: impl Fn(usize) -> f64) -> Outcome<bool> {
        let got = self.y.read()?;
        Ok((0..count).all(|at| (f64::from(got[at]) - wanted(at)).abs() <= 1e-6 * wanted(at).abs()))
    }

    /// Whether the first `count` elements of `places` are the wanted ones.
    fn words(&self, count: usize, wanted: impl Fn(usize) -> usize) -> Outcome<bool> {
        let got = self.places.read()?;
        Ok((0..count).all(|at| got[at] as usize == wanted(at)))
    }
}

/// A call: its name, its recording, and the check of its result.
type Called = (&'static str, fn(&mut Arrays, &mut Recording) -> Outcome<()>, fn(&Arrays) -> Outcome<bool>);

const CALLS: &[Called] = &[
    (
        "fill with a pattern",
        |arrays, to| Ok(FillPattern::new(&[1.0f32, 2.0, 3.0]).record(to).run(&mut arrays.y)?),
        |arrays| arrays.floats(LENGTH, |at| (at % 3 + 1) as f64),
    ),
    (
        "sum",
        |Arrays { device, x, y, .. }, to| Ok(reduce::sum().call(device).record(to).run(&*x, y.slice_mut(..1))?),
        |arrays| arrays.floats(1, |_| (LENGTH * (LENGTH - 1) / 2) as f64),
    ),
    (
        "sums of rows",
        |Arrays { device, x, y, .. }, to| {
            let x = anywarp::ops::shaped(&*x, [64, 64]);
            Ok(reduce::sum().call(device).axis(1).record(to).run(x, y.slice_mut(..64))?)
        },
        |arrays| arrays.floats(64, |row| (0..64).map(|at| key(64 * row + at) as f64).sum()),
    ),
    (
        "scan",
        |Arrays { keys, places, .. }, to| Ok(Scan::sum().record(to).run(&*keys, places)?),
        |arrays| arrays.words(LENGTH, |at| (0..=at).map(key).sum()),
    ),
    (
        "select",
        |Arrays { keys, places, .. }, to| Ok(Select::new("x < 100u").record(to).run(&*keys, places).map(drop)?),
        |arrays| {
            let kept: Vec<usize> = (0..LENGTH).map(key).filter(|key| *key < 100).collect();
            arrays.words(kept.len(), |at| kept[at])
        },
    ),
    (
        "sort",
        |Arrays { keys, places, .. }, to| Ok(Sort::new().record(to).run(&*keys, places)?),
        |arrays| arrays.words(LENGTH, |at| at),
    ),
    (
        "sort by a comparison",
        |Arrays { keys, places, .. }, to| Ok(SortBy::new("x > y").record(to).run(&*keys, places)?),
        |arrays| arrays.words(LENGTH, |at| LENGTH - 1 - at),
    ),
    (
        "top 10",
        |Arrays { x, y, places, .. }, to| {
            Ok(TopK::new(10).record(to).run(&*x, y.slice_mut(..10), places.slice_mut(..10))?)
        },
        |arrays| {
            Ok(arrays.floats(10, |at| (LENGTH - 1 - at) as f64)?
                && key(arrays.places.read()?[0] as usize) == LENGTH - 1)
        },
    ),
    (
        "merge",
        |Arrays { sorted, places, .. }, to| {
            Ok(Merge::new().record(to).run(sorted.slice(..LENGTH / 2), sorted.slice(LENGTH / 2..), places)?)
        },
        |arrays| arrays.words(LENGTH, |at| at),
    ),
    (
        "searchsorted",
        |Arrays { sorted, keys, places, .. }, to| Ok(SearchSorted::new().record(to).run(&*sorted, &*keys, places)?),
        |arrays| arrays.words(LENGTH, key),
    ),
    (
        "is_sorted",
        |Arrays { keys, places, .. }, to| Ok(IsSorted::new().record(to).run(&*keys, places.slice_mut(..1))?),
        |arrays| arrays.words(1, |_| 0),
    ),
    (
        "histogram, 16 bins",
        |Arrays { x, places, .. }, to| {
            Ok(Histogram::even(16, 0.0..LENGTH as f64).record(to).run(&*x, places.slice_mut(..16))?)
        },
        |arrays| arrays.words(16, |_| LENGTH / 16),
    ),
    (
        "transpose",
        |Arrays { x, y, .. }, to| Ok(Rearrange::transpose([64, 64]).record(to).run(&*x, y)?),
        |arrays| arrays.floats(LENGTH, |at| key(at % 64 * 64 + at / 64) as f64),
    ),
    (
        "take",
        |Arrays { x, keys, y, .. }, to| Ok(Take::new([LENGTH], 0).record(to).run(&*x, &*keys, y)?),
        |arrays| arrays.floats(LENGTH, |at| key(key(at)) as f64),
    ),
    (
        "scatter",
        |Arrays { x, keys, y, .. }, to| Ok(Scatter::new([LENGTH], 0).record(to).set(&*x, &*keys, y)?),
        |arrays| arrays.floats(LENGTH, |at| at as f64),
    ),
    (
        "cast",
        |Arrays { x, places, .. }, to| Ok(Cast::new().record(to).run(&*x, places)?),
        |arrays| arrays.words(LENGTH, key),
    ),
    (
        "arange",
        |Arrays { places, .. }, to| Ok(Sequence::arange(5u32, 3).record(to).run(places)?),
        |arrays| arrays.words(LENGTH, |at| 5 + 3 * at),
    ),
    (
        "uniform numbers",
        |Arrays { y, .. }, to| Ok(Random::new(1).record(to).uniform(y)?),
        |arrays| Ok(arrays.y.read()?.iter().all(|x| (0.0..1.0).contains(x))),
    ),
];

/// The measurement of a call.
struct Row {
    call: &'static str,
    /// The time of the first call in seconds.
    first: f64,
    later: f64,
}

fn measured(arrays: &mut Arrays, (call, record, check): &Called, repeats: usize) -> Outcome<Row> {
    let device = arrays.device.clone();
    // Recording compiles kernels, so it is part of the first call.
    let first = timed(|| {
        let mut recording = device.recording();
        record(arrays, &mut recording)?;
        Ok(recording.submit()?.wait()?)
    })?;
    if !check(arrays)? {
        return Err(format!("wrong result: {call}").into());
    }
    let mut recording = device.recording();
    record(arrays, &mut recording)?;
    recording.submit()?.wait()?;
    let later = repeated(repeats, || timed(|| Ok(recording.submit()?.wait()?)))?;
    Ok(Row { call, first, later })
}

fn launched(device: &Device, repeats: usize) -> Outcome<f64> {
    let kernel = device.kernel(Wgsl::new(LAUNCH).file("add_one.wgsl"))?;
    let mut y = device.buffer::<f32>(LENGTH)?;
    let mut recording = device.recording();
    kernel.launch().bind("y", &mut y).record(&mut recording).threads(LENGTH)?;
    recording.submit()?.wait()?;
    repeated(repeats, || timed(|| Ok(recording.submit()?.wait()?)))
}

fn run() -> Outcome<()> {
    let arguments = Arguments::read();
    let device = arguments.device()?;
    let repeats = if arguments.quick { 21 } else { 201 };
    let mut arrays = Arrays::new(&device)?;
    let launch = launched(&device, repeats)?;
    let caps = device.caps();
    println!("operators on {LENGTH} elements: {} ({}, {})", caps.name, caps.backend, caps.driver);
    println!("one launch: {:.1} us\n", launch * 1e6);
    println!("{:<24} {:>12} {:>12} {:>10}", "", "first call", "later", "launches");
    let mut rows = Vec::new();
    for call in CALLS {
        let row = measured(&mut arrays, call, repeats)?;
        let (first, later) = (format!("{:.1} ms", row.first * 1e3), format!("{:.1} us", row.later * 1e6));
        println!("{:<24} {first:>12} {later:>12} {:>10.2}", row.call, row.later / launch);
        rows.push(serde_json::json!({ "call": row.call, "first": row.first, "later": row.later }));
    }
    if let Some(file) = arguments.json() {
        let json = serde_json::json!({
            "bench": "small", "device": caps.name, "driver": caps.driver, "launch": launch, "calls": rows,
        });
        std::fs::write(file, serde_json::to_string_pretty(&json)?)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    shared::ended(run())
}
