//! Endless loops are stopped and reported.

use anywarp::backend::BackendError;
use anywarp::{Device, Error, ErrorClass, Wgsl};
use anywarp_cuda::Options;

/// Kernels on `b` with an endless loop, and the line of the loop.
const ENDLESS: [(&str, &str); 3] = [
    (
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         @compute @workgroup_size(64)
         fn stops() {
             loop { if b[0] == 77u { break; } }
             b[1] = 3u;
         }",
        "stops.wgsl:4",
    ),
    (
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         @compute @workgroup_size(64)
         fn stops(@builtin(local_invocation_index) i: u32) {
             b[i] = 1u;
             while b[i] != 77u { b[i] = (b[i] + 1u) % 7u; }
         }",
        "stops.wgsl:5",
    ),
    (
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         var<workgroup> tile: array<u32, 64>;
         fn wait(i: u32) { while true { tile[i] += b[i]; workgroupBarrier(); if tile[0] == 1u { return; } } }
         @compute @workgroup_size(64)
         fn stops(@builtin(local_invocation_index) i: u32) {
             for (var k = 0u; k < 3u; k++) { wait(i); }
             b[i] = 5u;
         }",
        "stops.wgsl:3",
    ),
];

/// Opens the GPU with a low limit on the iterations of a kernel.
fn with_low_limit() -> Option<Device> {
    super::device()?;
    let options = Options { steps: Some(1 << 16), ..Options::default() };
    let candidate = anywarp_cuda::candidates().into_iter().next()?;
    Some(Device::from_backend(candidate.open(options).expect("the card")))
}

fn check(error: &Error, place: &str) {
    let said = error.to_string();
    assert!(matches!(error, Error::Device(BackendError::Stopped { .. })) || said.contains("stopped"), "{error:?}");
    assert!(said.contains("stops.wgsl:stops") && said.contains(place), "not at {place}: {said}");
    assert_eq!(error.class(), ErrorClass::Programmer);
}

#[test]
fn an_endless_loop_is_stopped_and_reported() {
    super::without_hanging(|| {
        let Some(device) = with_low_limit() else { return };
        for (text, place) in ENDLESS {
            let stops = device.kernel(Wgsl::new(text).file("stops.wgsl")).expect("a kernel");
            let mut a = device.buffer::<u32>(64).expect("memory");
            for later in [0, 1, 30] {
                stops.launch().bind("b", &mut a).threads(64).expect("a launch");
                device.submit().expect("no error");
                (0..later).for_each(|_| super::counts(&device));
                check(&device.synchronize().expect_err("was not stopped"), place);
                device.synchronize().expect("the stop is already reported");
                // A read of the kernel's output also reports the stop, once.
                check(&a.read().map(|_| ()).expect_err("was not reported").into(), place);
                a.read().expect("the stop is already reported");
                // An error is ignored: the copy for the refused read failed as well.
                let _ = device.synchronize();
                a.fill(0).expect("a fill");
            }
            super::counts(&device);
        }
    });
}

#[test]
fn each_submission_reports_a_recorded_endless_loop() {
    super::without_hanging(|| {
        let Some(device) = with_low_limit() else { return };
        let (text, place) = ENDLESS[0];
        let stops = device.kernel(Wgsl::new(text).file("stops.wgsl")).expect("a kernel");
        let mut a = device.buffer::<u32>(64).expect("memory");
        let mut recording = device.recording();
        for _ in 0..2 {
            stops.launch().bind("b", &mut a).record(&mut recording).threads(64).expect("a launch");
        }
        for _ in 0..4 {
            let submission = recording.submit().expect("a submission");
            check(&submission.wait().expect_err("was not stopped"), place);
            check(&pollster::block_on(submission).expect_err("was not stopped"), place);
            check(&device.synchronize().expect_err("was not reported"), place);
        }
        drop(recording);
        drop(a);
        super::counts(&device);
    });
}

/// A long loop is not stopped: a million iterations are within the default limit.
#[test]
fn a_long_loop_is_not_stopped() {
    super::without_hanging(|| {
        let Some(device) = super::device() else { return };
        let kernel = device
            .kernel(
                "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
                 @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
                     var n = 0u;
                     loop { n += 1u + b[i] % 2u; if n >= 3000000u { break; } }
                     b[i] = n;
                 }",
            )
            .expect("a kernel");
        let mut b = device.buffer::<u32>(64).expect("memory");
        kernel.launch().bind("b", &mut b).threads(64).expect("a launch");
        assert_eq!(*b.read().expect("no error"), [3_000_000; 64]);
    });
}
