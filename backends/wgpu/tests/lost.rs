//! A device that is lost while in use: every call returns an error, and none panics or hangs.

use std::sync::Arc;
use std::time::Duration;

use anywarp_backend::{Backend, BackendError, MemoryKind, Recording, Region};
use anywarp_wgpu::{Options, WgpuBackend, candidates};

/// Opens a device; returns `None` on a machine without a driver.
fn open() -> Option<Arc<WgpuBackend>> {
    let Some(candidate) = candidates().into_iter().next() else {
        assert!(std::env::var_os("ANYWARP_REQUIRE").is_none(), "a device is required, but there is none");
        println!("skipped: no device");
        return None;
    };
    Some(candidate.open(Options { staged: true, ..Options::default() }).unwrap())
}

fn lost<T: std::fmt::Debug>(result: Result<T, BackendError>) {
    assert!(matches!(&result, Err(error) if error.is_lost()), "{result:?}");
}

#[test]
fn every_call_on_a_lost_device_says_so() {
    let Some(backend) = open() else { return };
    let source = backend.allocate(1 << 20, MemoryKind::Device, "source").unwrap();
    let target = backend.allocate(1 << 20, MemoryKind::Readback, "target").unwrap();
    let region = |memory| Region { memory, offset: 0, bytes: 1 << 20 };
    let mut recording = Recording::new();
    recording.fill(region(source), 7);
    recording.copy(region(source), region(target));
    let ticket = backend.submit(&recording).unwrap();
    backend.map(target).unwrap().wait().unwrap();
    let host = backend.host(target).unwrap();
    assert!(host.bytes().iter().step_by(4).all(|byte| *byte == 7));
    ticket.wait().unwrap();

    backend.wgpu_device().0.destroy();
    let _ = backend.wgpu_device().0.poll(wgpu::PollType::Poll);

    assert!(host.bytes().iter().step_by(4).all(|byte| *byte == 7), "the host keeps its bytes");
    lost(backend.allocate(64, MemoryKind::Device, "more"));
    lost(backend.submit(&recording));
    lost(backend.map(target));
    drop(host);
    backend.unmap(target).unwrap();
    backend.free(source);
    backend.free(target);
    assert_eq!(backend.counters().submissions, 1);
}

#[test]
fn a_wait_ends_when_the_device_goes() {
    let Some(backend) = open() else { return };
    let memory = backend.allocate(64 << 20, MemoryKind::Device, "").unwrap();
    let mut recording = Recording::new();
    for pattern in 1..20 {
        recording.fill(Region { memory, offset: 0, bytes: 64 << 20 }, pattern);
    }
    let ticket = backend.submit(&recording).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| ticket.wait());
        std::thread::sleep(Duration::from_millis(5));
        backend.wgpu_device().0.destroy();
        // The work may have ended just before the loss; only a hang or a panic is a failure.
        let ended = waiting.join().expect("no panic");
        assert!(ended.is_ok() || ended.is_err_and(|error| error.is_lost()));
    });
}
