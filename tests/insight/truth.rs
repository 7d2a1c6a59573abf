//! Predicted counts of small kernels against those of a GPU.
//!
//! Sectors and requests of buffers must be equal, passes over banks within 3 %, active lanes within 2 % (and 0.005).

use std::collections::BTreeMap;

use anywarp::Device;
use anywarp::backend::{ObservedKernel, ObservedSpace, RequestCounts, Touch};
use anywarp::insight::{Occupancy, Usage};

use super::{micro, run};

/// The counters of a card: one line for each kernel, one column for each counter.
const COUNTERS: &str = include_str!("counters.csv");

/// The position of warps of 32 in arrays of counts.
const WARPS: usize = 2;

fn counters() -> BTreeMap<&'static str, BTreeMap<&'static str, f64>> {
    table(COUNTERS)
}

/// By kernel, the counters by name.
pub(crate) fn table(text: &'static str) -> BTreeMap<&'static str, BTreeMap<&'static str, f64>> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    lines
        .map(|line| {
            let mut values = line.split(',');
            let kernel = values.next().unwrap_or_default();
            let values = values.map(|value| value.parse().unwrap_or_else(|_| panic!("{kernel}: '{value}'")));
            (kernel, names[1..].iter().copied().zip(values).collect())
        })
        .collect()
}

/// The predicted counters of a kernel, by the names of the table's columns.
pub(crate) fn predicted(kernel: &ObservedKernel) -> BTreeMap<&'static str, f64> {
    let sum = |space: ObservedSpace, touch: Touch, count: fn(&RequestCounts) -> u64| {
        let sites = kernel.accesses.iter().filter(|access| access.space == space && access.touch == touch);
        sites.map(|access| count(&access.counts[WARPS])).sum::<u64>() as f64
    };
    // WGSL lets workgroup memory begin as zeros, which the kernels write first: 32 words in a pass.
    let zeroing = (kernel.workgroups * u64::from(kernel.workgroup_bytes.div_ceil(128))) as f64;
    let (storage, workgroup) = (ObservedSpace::Storage, ObservedSpace::Workgroup);
    BTreeMap::from([
        ("requests_read", sum(storage, Touch::Read, |counts| counts.requests)),
        ("sectors_read", sum(storage, Touch::Read, |counts| counts.sectors)),
        ("requests_written", sum(storage, Touch::Write, |counts| counts.requests)),
        ("sectors_written", sum(storage, Touch::Write, |counts| counts.sectors)),
        ("wavefronts_read", sum(workgroup, Touch::Read, |counts| counts.wavefronts)),
        ("wavefronts_written", zeroing + sum(workgroup, Touch::Write, |counts| counts.wavefronts)),
        ("active", kernel.lanes[WARPS].efficiency()),
    ])
}

/// By how much a counter may differ: relative to the card's value, and absolutely.
fn tolerance(counter: &str) -> (f64, f64) {
    match counter {
        "wavefronts_read" | "wavefronts_written" => (0.03, 0.0),
        "active" => (0.02, 0.005),
        _ => (0.0, 0.0),
    }
}

#[test]
fn predictions_are_those_of_a_card() {
    let device = Device::open("cpu:observed").unwrap();
    let counters = counters();
    let mut wrong = Vec::new();
    for micro in micro::all() {
        let observations = run(&device, &micro);
        let kernel = observations.iter().next().unwrap();
        assert_eq!(kernel.workgroups, kernel.observed, "{}", micro.name);
        let measured = counters.get(&*micro.name).unwrap_or_else(|| panic!("no counters of {}", micro.name));
        for (counter, value) in predicted(kernel) {
            // Atomics of workgroup memory are counted among neither reads nor writes by the card.
            if micro.name.starts_with("atomics") && counter.starts_with("wavefronts") {
                continue;
            }
            let truth = measured[counter];
            let (relative, absolute) = tolerance(counter);
            if (value - truth).abs() > truth.abs() * relative + absolute {
                wrong.push(format!("{}: {counter} predicted {value}, counted {truth}", micro.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn occupancies_are_those_of_a_card() {
    let counters = counters();
    assert!(counters.len() > 70);
    for (kernel, counted) in counters {
        let usage = Usage {
            invocations: counted["block"] as u32,
            registers: counted["registers"] as u32,
            workgroup_bytes: counted["shared"] as u32,
        };
        let limits = ["by_registers", "by_warps", "by_shared", "by_blocks"].map(|limit| counted[limit]);
        let least = limits.into_iter().fold(f64::INFINITY, f64::min);
        let occupancy = Occupancy::on((9, 0), usage).unwrap();
        assert_eq!(f64::from(occupancy.workgroups), least, "{kernel}: {usage:?}, {occupancy:?}");
    }
}
