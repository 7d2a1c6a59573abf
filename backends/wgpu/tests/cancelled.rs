//! Mappings that are cancelled at the moment at which they complete.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anywarp_backend::{Backend, BackendKind, MemoryKind, Recording, Region};
use anywarp_wgpu::{Options, candidates};

const BYTES: u64 = 4096;
const ROUNDS: u32 = 4000;

/// While one thread polls, another thread cancels a mapping after each submission, at a time that varies by round.
/// Each submission must find the memory unmapped.
#[test]
fn a_cancelled_mapping_does_not_complete_later() {
    let vulkan = candidates().into_iter().find(|candidate| candidate.caps.backend == BackendKind::Vulkan);
    let Some(candidate) = vulkan else {
        assert!(std::env::var_os("ANYWARP_REQUIRE").is_none(), "a device is required, but there is none");
        println!("skipped: no device");
        return;
    };
    let backend = candidate.open(Options { staged: true, pinned: None }).unwrap();
    let source = backend.allocate(BYTES, MemoryKind::Device, "").unwrap();
    let target = backend.allocate(BYTES, MemoryKind::Readback, "").unwrap();
    let region = |memory| Region { memory, offset: 0, bytes: BYTES };
    let mut recording = Recording::new();
    recording.copy(region(source), region(target));
    let other = backend.allocate(BYTES, MemoryKind::Device, "").unwrap();
    let mut beside = Recording::new();
    beside.copy(region(source), region(other));

    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                let ticket = backend.submit(&beside).unwrap();
                while !ticket.is_done().unwrap() {}
            }
        });
        let failed = (0..ROUNDS).find_map(|round| {
            let submitted = backend.submit(&recording).and_then(|_| backend.map(target));
            let delay = Instant::now();
            while delay.elapsed() < Duration::from_nanos(u64::from(round) * 977 % 200_000) {
                std::hint::spin_loop();
            }
            submitted.and_then(|_| backend.unmap(target)).err().map(|error| (round, error))
        });
        ended.store(true, Ordering::Relaxed);
        assert!(failed.is_none(), "{failed:?}");
    });
}
