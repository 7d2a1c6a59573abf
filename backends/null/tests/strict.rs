//! Submissions that a null device refuses, and submissions that it executes.

use std::sync::Arc;

use anywarp_backend::{Backend, BackendError, KernelId, MemoryId, MemoryKind, Recording, Region};
use anywarp_null::{Call, Fault, Faults, FaultyBackend, NullBackend, NullOptions, Pace, When};

fn region(memory: MemoryId, offset: u64, bytes: u64) -> Region {
    Region { memory, offset, bytes }
}

fn recorded(record: impl FnOnce(&mut Recording)) -> Recording {
    let mut recording = Recording::new();
    record(&mut recording);
    recording
}

/// A device with a Device, an Upload and a Readback memory of 64 bytes each.
struct Memories {
    null: Arc<NullBackend>,
    device: MemoryId,
    upload: MemoryId,
    readback: MemoryId,
}

fn memories() -> Memories {
    let null = NullBackend::new();
    let [device, upload, readback] = [MemoryKind::Device, MemoryKind::Upload, MemoryKind::Readback]
        .map(|kind| null.allocate(64, kind, "").expect("64 bytes"));
    Memories { null, device, upload, readback }
}

fn message(result: Result<impl std::fmt::Debug, BackendError>) -> String {
    result.expect_err("a refusal is expected").to_string()
}

#[test]
fn copies_and_fills_move_bytes() {
    let Memories { null, device, upload, readback } = memories();
    null.map(upload).unwrap().wait().unwrap();
    let mut host = null.host(upload).unwrap();
    assert_eq!(host.bytes(), [0; 64], "memory begins as zeros");
    host.bytes_mut().copy_from_slice(&std::array::from_fn::<u8, 64, _>(|index| index as u8));
    drop(host);
    null.unmap(upload).unwrap();
    let recording = recorded(|recording| {
        recording.copy(region(upload, 0, 64), region(device, 0, 64));
        recording.fill(region(device, 8, 4), 0x0403_0201);
        recording.copy(region(device, 4, 16), region(readback, 32, 16));
    });
    null.submit(&recording).unwrap().wait().unwrap();
    null.map(readback).unwrap().wait().unwrap();
    let host = null.host(readback).unwrap();
    assert_eq!(host.bytes()[32..48], [4, 5, 6, 7, 1, 2, 3, 4, 12, 13, 14, 15, 16, 17, 18, 19]);
    assert_eq!(host.bytes()[..32], [0; 32]);
    assert_eq!(null.counters().submissions, 1);
    assert_eq!(null.counters().barriers, recording.barriers());
    assert_eq!(null.submissions(), [recording.to_string()]);
}

#[test]
fn a_submission_against_the_contract_is_refused_and_does_nothing() {
    let Memories { null, device, upload, readback } = memories();
    type Record<'a> = &'a dyn Fn(&mut Recording);
    let cases: [(Record<'_>, &str); 9] = [
        (&|to| to.fill(region(device, 32, 36), 1), "outside of its memory of 64 bytes"),
        (&|to| to.fill(region(device, u64::MAX - 7, 4), 1), "outside of its memory"),
        (&|to| to.fill(region(device, 2, 4), 1), "whole words"),
        (&|to| to.fill(region(device, 0, 0), 1), "is empty"),
        (&|to| to.fill(region(upload, 0, 4), 1), "is upload memory"),
        (&|to| to.copy(region(device, 0, 4), region(upload, 0, 4)), "is upload memory"),
        (&|to| to.copy(region(readback, 0, 4), region(device, 0, 4)), "is readback memory"),
        (&|to| to.copy(region(device, 0, 8), region(device, 4, 8)), "must not overlap"),
        (&|to| to.fill(region(MemoryId(99), 0, 4), 1), "memory 99 does not exist"),
    ];
    for (record, expected) in cases {
        let recording = recorded(|recording| {
            recording.fill(region(device, 0, 64), 7);
            record(recording);
        });
        let said = message(null.submit(&recording));
        assert!(said.contains(expected), "{said}");
    }
    let label = Arc::from("none");
    let grid = anywarp_backend::Grid::Groups([1; 3]);
    let recording = recorded(|to| to.dispatch(KernelId(5), &label, grid, [], &[], &[]));
    assert!(message(null.submit(&recording)).contains("kernel 5 does not exist"));
    assert_eq!(null.submissions(), [""; 0]);
    let untouched = recorded(|to| to.copy(region(device, 0, 64), region(readback, 0, 64)));
    null.submit(&untouched).unwrap();
    null.map(readback).unwrap();
    assert_eq!(null.host(readback).unwrap().bytes(), [0; 64], "a refused submission has filled memory");
}

#[test]
fn mapped_memory_is_the_hosts_and_other_memory_is_not() {
    let Memories { null, device, upload, readback } = memories();
    assert!(message(null.map(device)).contains("not visible to the host"));
    assert!(message(null.host(upload)).contains("not mapped"));
    null.map(upload).unwrap();
    let recording = recorded(|to| to.copy(region(upload, 0, 4), region(device, 0, 4)));
    assert!(message(null.submit(&recording)).contains("is mapped"));
    let host = null.host(upload).unwrap();
    assert!(message(null.host(upload)).contains("already in use by the host"));
    assert!(message(null.unmap(upload)).contains("in use by the host"));
    drop(host);
    null.map(upload).unwrap();
    null.unmap(upload).unwrap();
    null.unmap(upload).unwrap();
    null.submit(&recording).unwrap();

    null.map(readback).unwrap();
    null.host(readback).unwrap().bytes_mut()[0] = 1;
    assert!(message(null.unmap(readback)).contains("has written to readback memory"));
}

#[test]
fn allocations_keep_to_the_device() {
    let mut options = NullOptions { memory: Some(100), ..NullOptions::staged() };
    options.limits.buffer_size = 80;
    let null = NullBackend::with(&options);
    assert!(message(null.allocate(8, MemoryKind::Shared, "")).contains("shares no memory with the host"));
    assert!(message(null.allocate(0, MemoryKind::Device, "")).contains("got 0 bytes"));
    assert!(matches!(
        null.allocate(81, MemoryKind::Device, ""),
        Err(BackendError::TooLarge { requested: 81, limit: 80 })
    ));
    let first = null.allocate(60, MemoryKind::Device, "").unwrap();
    let full = BackendError::OutOfMemory { requested: 41, kind: MemoryKind::Upload, live: 60 };
    assert_eq!(null.allocate(41, MemoryKind::Upload, ""), Err(full));
    null.free(first);
    assert_eq!(null.live_bytes(), 0);
    assert_eq!(null.misuse(), [""; 0]);
    null.free(first);
    assert_eq!(null.misuse().len(), 1, "a second free goes unseen");
    assert!(message(null.map(first)).contains("memory 1 does not exist"));
}

#[test]
fn a_range_outlives_its_memory() {
    let Memories { null, upload, .. } = memories();
    null.map(upload).unwrap();
    let mut host = null.host(upload).unwrap();
    null.free(upload);
    host.bytes_mut().fill(3);
    assert_eq!(host.bytes(), [3; 64]);
}

#[test]
fn a_lost_device_frees_discards_unmaps_and_counts_and_nothing_else() {
    let null = NullBackend::new();
    let faulty = FaultyBackend::new(Arc::clone(&null) as _, Faults::new());
    let memory = faulty.allocate(64, MemoryKind::Upload, "").unwrap();
    faulty.map(memory).unwrap();
    faulty.set_faults(Faults::new().fail(Call::Map, Fault::Lost, When::Nth(0)).pace(Pace::Gated));
    let held = faulty.submit(&Recording::new()).unwrap();
    assert!(!held.is_done().unwrap());
    assert!(faulty.map(memory).unwrap_err().is_lost());
    assert!(held.wait().unwrap_err().is_lost(), "work in flight ends with the device");
    assert!(faulty.allocate(64, MemoryKind::Upload, "").unwrap_err().is_lost());
    assert!(faulty.host(memory).unwrap_err().is_lost());
    assert!(faulty.submit(&Recording::new()).unwrap_err().is_lost());
    assert_eq!((faulty.fired(), faulty.counters().submissions), (1, 1));
    faulty.unmap(memory).unwrap();
    faulty.free(memory);
    assert_eq!(null.live_bytes(), 0);
    faulty.set_faults(Faults::new());
    assert!(faulty.map(memory).unwrap_err().is_lost(), "new faults bring no device back");
}

#[test]
fn host_access_waits_for_a_held_mapping() {
    let faulty = FaultyBackend::new(NullBackend::new(), Faults::new().pace(Pace::Gated));
    let memory = faulty.allocate(64, MemoryKind::Upload, "").unwrap();
    let ticket = faulty.map(memory).unwrap();
    assert!(message(faulty.host(memory)).contains("still pending"));
    faulty.open_gate();
    assert!(ticket.is_done().unwrap() && faulty.map(memory).unwrap().is_done().unwrap());
    assert_eq!(faulty.host(memory).unwrap().bytes().len(), 64);
}
