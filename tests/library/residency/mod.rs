//! Transfers between host and device: each row of the residency table, to the byte.
//!
//! A device with its own memory must transfer exactly the bytes of a row, and a device with unified memory none; on
//! both, every read must return the last written data.

mod random;
mod rows;
mod world;

use std::time::Duration;

use anywarp::backend::{CopyCost, OneWay};
use anywarp::{BufferStats, Device, DeviceStats};
use anywarp_null::NullOptions;
use anywarp_testing_devices::null_device::open;
use rows::{GAP, NOTHING, Row, from_both, from_the_device, from_the_host, over_gaps};

use world::Step::{LaunchRead, LaunchWrite, Read, Update, Write};
use world::{BYTES, LENGTH, World};

fn since(before: BufferStats, after: BufferStats) -> [u64; 4] {
    [
        after.uploads - before.uploads,
        after.bytes_uploaded - before.bytes_uploaded,
        after.downloads - before.downloads,
        after.bytes_downloaded - before.bytes_downloaded,
    ]
}

fn run(device: &Device, rows: Vec<Row>) {
    let unified = device.caps().unified;
    for (name, steps) in rows {
        let before = device.stats();
        let mut world = World::new(device).expect("a null device makes buffers");
        for (index, (step, expected)) in steps.iter().enumerate() {
            let at = format!("'{name}', step {index}: {step:?}");
            let before = world.buffer.stats();
            world.step(device, step).unwrap_or_else(|error| panic!("{at}: {error}"));
            let expected = if unified { NOTHING } else { *expected };
            assert_eq!(since(before, world.buffer.stats()), expected, "{at}");
        }
        world.read(&(0..LENGTH)).unwrap_or_else(|error| panic!("'{name}', at the end: {error}"));
        let (own, all) = (world.buffer.stats(), device.stats());
        assert_eq!(world.other.stats(), BufferStats::default(), "'{name}': transfers of the other buffer");
        assert_eq!(all.bytes_uploaded - before.bytes_uploaded, own.bytes_uploaded, "'{name}': the device's sum");
        assert_eq!(all.bytes_downloaded - before.bytes_downloaded, own.bytes_downloaded, "'{name}': the device's sum");
        assert_eq!(all.live_bytes, 2 * BYTES);
    }
    assert_eq!(device.stats().live_bytes, 0);
}

/// Runs the rows on one device, which must report no violation of the backend contract.
fn run_strictly(options: &NullOptions, rows: Vec<Row>) -> DeviceStats {
    let (device, _, null) = open(options);
    run(&device, rows);
    assert_eq!(null.misuse(), [""; 0]);
    device.stats()
}

#[test]
fn own_memory_transfers_host_writes() {
    run_strictly(&NullOptions::staged(), from_the_host());
}

#[test]
fn own_memory_transfers_device_writes() {
    run_strictly(&NullOptions::staged(), from_the_device());
}

#[test]
fn memory_of_its_own_moves_what_both_wrote() {
    run_strictly(&NullOptions::staged(), from_both());
}

/// The cost of copies on a device where copying `elements` elements takes as long as another copy command.
fn for_gaps_of(elements: usize) -> CopyCost {
    let up = OneWay { command: Duration::from_micros(1), rate: 4e6 * elements as f64 };
    CopyCost { up, ..NullOptions::staged().copy_cost }
}

#[test]
fn gaps_are_copied_where_that_is_valid_and_cheaper() {
    run_strictly(&NullOptions { copy_cost: for_gaps_of(GAP), ..NullOptions::staged() }, over_gaps());
}

#[test]
fn scattered_words_share_blocks_and_copies() {
    const WORDS: usize = 10_000;
    const APART: usize = 20;
    for (gap, uploads, bytes, blocks) in [(0, WORDS, 4 * WORDS, 1), (APART, 1, 4 * (APART * (WORDS - 1) + 1), 1)] {
        let options = NullOptions { copy_cost: for_gaps_of(gap), ..NullOptions::staged() };
        let (device, _, null) = open(&options);
        let mut buffer = device.buffer::<u32>(APART * WORDS).expect("memory");
        for word in 0..WORDS {
            // The words are not written in ascending order.
            let at = word * 7919 % WORDS * APART;
            buffer.slice_mut(at..at + 1).write().expect("a guard")[0] = at as u32 + 1;
        }
        assert_eq!(device.stats().staging_bytes, 0, "the words stay in ordinary memory");
        let mut other = device.buffer::<u32>(APART * WORDS).expect("memory");
        other.copy_from(&buffer).expect("a copy");
        let stats = device.stats();
        assert_eq!((stats.uploads, stats.bytes_uploaded), (uploads as u64, bytes as u64), "gaps of {gap}");
        assert_eq!(stats.staging_misses, blocks, "gaps of {gap}");
        assert!(stats.staging_bytes <= 5 * bytes as u64 / 4, "{stats:?}");
        let expected = |at: usize| if at.is_multiple_of(APART) { at as u32 + 1 } else { 0 };
        assert!(other.read().expect("the words").iter().enumerate().all(|(at, word)| *word == expected(at)));
        assert_eq!(null.misuse(), [""; 0]);
    }
}

#[test]
fn unified_memory_transfers_nothing() {
    for rows in [from_the_host(), from_the_device(), from_both(), over_gaps()] {
        let stats = run_strictly(&NullOptions::unified(), rows);
        assert_eq!(stats.staging_bytes, 0, "one memory needs no staging");
        assert_eq!((stats.uploads, stats.downloads), (0, 0));
    }
}

#[test]
fn staging_memory_is_reused() {
    let (device, _, _) = open(&NullOptions::staged());
    let mut world = World::new(&device).expect("a null device makes buffers");
    for _ in 0..100 {
        for step in [Write, LaunchWrite, Read, Update, LaunchRead, Read] {
            world.step(&device, &step).unwrap_or_else(|error| panic!("{step:?}: {error}"));
        }
    }
    let stats = device.stats();
    assert_eq!(stats.staging_misses * BYTES, stats.staging_bytes, "every allocated block still exists");
    assert!(stats.staging_misses <= 3, "{stats:?}");
    assert!(stats.staging_hits >= 190, "{stats:?}");
    drop(world);
    device.trim();
    assert_eq!(device.stats().staging_bytes, 0);
}
