//! Staging memory that remains mapped: the host's writes reach the device, in every order of use.

use std::sync::Arc;

use anywarp_backend::{Backend, BackendError, MemoryId, MemoryKind, Recording, Region};
use anywarp_wgpu::{Options, WgpuBackend, candidates};

const BYTES: u64 = 2 << 20;

/// Opens a Vulkan device with copies between host and device; returns `None` on a machine without one.
fn open(pinned: bool) -> Option<Arc<WgpuBackend>> {
    let Some(candidate) =
        candidates().into_iter().find(|candidate| candidate.caps.backend == anywarp_backend::BackendKind::Vulkan)
    else {
        assert!(std::env::var_os("ANYWARP_REQUIRE").is_none(), "a device is required, but there is none");
        println!("skipped: no device");
        return None;
    };
    Some(candidate.open(Options { staged: true, pinned: Some(pinned) }).unwrap())
}

struct Setup {
    backend: Arc<WgpuBackend>,
    upload: MemoryId,
    device: MemoryId,
    readback: MemoryId,
}

impl Setup {
    fn new(backend: Arc<WgpuBackend>) -> Self {
        let memory = |kind| backend.allocate(BYTES, kind, "").unwrap();
        Self {
            upload: memory(MemoryKind::Staging),
            device: memory(MemoryKind::Device),
            readback: memory(MemoryKind::Readback),
            backend,
        }
    }

    fn copy(&self, from: MemoryId, to: MemoryId) {
        let region = |memory| Region { memory, offset: 0, bytes: BYTES };
        let mut recording = Recording::new();
        recording.copy(region(from), region(to));
        self.backend.submit(&recording).unwrap();
    }

    fn write(&self, value: u8) {
        self.backend.map(self.upload).unwrap().wait().unwrap();
        self.backend.host(self.upload).unwrap().bytes_mut().fill(value);
        self.backend.unmap(self.upload).unwrap();
    }

    fn arrived(&self) -> Vec<u8> {
        self.copy(self.device, self.readback);
        self.backend.map(self.readback).unwrap().wait().unwrap();
        let bytes = self.backend.host(self.readback).unwrap().bytes().to_vec();
        self.backend.unmap(self.readback).unwrap();
        bytes
    }
}

fn all(bytes: &[u8], value: u8) -> bool {
    bytes.len() as u64 == BYTES && bytes.iter().all(|byte| *byte == value)
}

#[test]
fn the_hosts_writes_arrive() {
    for pinned in [false, true] {
        let Some(backend) = open(pinned) else { return };
        let setup = Setup::new(backend);
        setup.backend.unmap(setup.upload).unwrap();
        setup.copy(setup.upload, setup.device);
        assert!(all(&setup.arrived(), 0), "pinned {pinned}: fresh memory is zeros");
        for round in 1..20 {
            setup.write(round);
            setup.copy(setup.upload, setup.device);
            assert!(all(&setup.arrived(), round), "pinned {pinned}: round {round}");
        }
    }
}

/// Each mapping waits for the copy of the bytes that the host wrote earlier.
#[test]
fn memory_in_use_is_not_mapped_for_the_host() {
    let Some(backend) = open(true) else { return };
    let setup = Setup::new(backend);
    let others: Vec<MemoryId> =
        (0..10).map(|_| setup.backend.allocate(BYTES, MemoryKind::Device, "").unwrap()).collect();
    for (round, other) in (1u8..).zip(&others) {
        setup.write(round);
        setup.copy(setup.upload, *other);
    }
    for (round, other) in (1u8..).zip(&others) {
        setup.copy(*other, setup.device);
        assert!(all(&setup.arrived(), round), "the copy of round {round}");
    }
}

#[test]
fn the_rules_of_mappings_hold() {
    let Some(backend) = open(true) else { return };
    let setup = Setup::new(backend);
    let refused = |result: Result<(), BackendError>| {
        assert!(matches!(result, Err(BackendError::Rejected { .. })), "{result:?}");
    };
    setup.backend.map(setup.upload).unwrap().wait().unwrap();
    let host = setup.backend.host(setup.upload).unwrap();
    refused(setup.backend.host(setup.upload).map(|_| ()));
    refused(setup.backend.unmap(setup.upload));
    let mut recording = Recording::new();
    recording.copy(
        Region { memory: setup.upload, offset: 0, bytes: BYTES },
        Region { memory: setup.device, offset: 0, bytes: BYTES },
    );
    refused(setup.backend.submit(&recording).map(|_| ()));
    drop(host);
    setup.backend.unmap(setup.upload).unwrap();
    setup.backend.submit(&recording).unwrap().wait().unwrap();
}

/// A host range keeps its bytes after its memory and its device are dropped.
#[test]
fn ranges_outlive_memory_and_device() {
    let Some(backend) = open(true) else { return };
    let setup = Setup::new(backend);
    setup.backend.map(setup.upload).unwrap().wait().unwrap();
    let mut host = setup.backend.host(setup.upload).unwrap();
    setup.backend.free(setup.upload);
    drop(setup);
    host.bytes_mut().fill(7);
    assert!(all(host.bytes(), 7));
}
