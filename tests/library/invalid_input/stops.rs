//! Kernels that do not end are stopped and reported.

use anywarp::backend::BackendError;
use anywarp::{Device, Error, ErrorClass, Wgsl};

use super::{COUNT, devices, without_hanging};

/// Kernels that are stopped: the reported problem, the text with output `b`, and the reported line.
const STOPPED: [(&str, &str, &str); 3] = [
    (
        "iterations of loops",
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         @compute @workgroup_size(64)
         fn stops() {
             loop { if b[0] == 77u { break; } }
             b[1] = 3u;
         }",
        "stops.wgsl:4",
    ),
    (
        "iterations of loops",
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         @compute @workgroup_size(64)
         fn stops(@builtin(local_invocation_index) i: u32) {
             b[i] = 1u;
             while b[i] != 77u { b[i] = (b[i] + 1u) % 7u; }
         }",
        "stops.wgsl:5",
    ),
    (
        "the barrier",
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         var<workgroup> tile: u32;
         @compute @workgroup_size(64)
         fn stops(@builtin(local_invocation_index) i: u32) {
             if b[i] == i {
                 storageBarrier();
             }
             b[i] = 7u;
         }",
        "stops.wgsl:6",
    ),
];

fn check(error: &Error, problem: &str, place: &str) {
    let said = error.to_string();
    assert!(said.contains("stops.wgsl:stops") && said.contains(problem) && said.contains(place), "{said}");
    assert_eq!(error.class(), ErrorClass::Programmer);
}

/// Launches a kernel that is stopped, then unrelated kernels, and checks the reports.
fn stop_and_continue(device: &Device, text: &str, problem: &str, place: &str) -> anywarp::Result<()> {
    let stops = device.kernel(Wgsl::new(text).file("stops.wgsl"))?;
    let count = device.kernel(COUNT)?;
    let (mut a, mut b) = (device.buffer::<u32>(64)?, device.buffer::<u32>(64)?);
    for submissions in [0, 1, 30] {
        stops.launch().bind("b", &mut a).threads(64)?;
        device.submit()?;
        for _ in 0..submissions {
            count.launch().bind("b", &mut b).threads(64)?;
            device.submit()?;
        }
        let error = device.synchronize().expect_err("was not stopped");
        assert!(matches!(error, Error::Device(BackendError::Stopped { .. })), "{error:?}");
        check(&error, problem, place);
        device.synchronize()?;
        device.synchronize()?;
        // A read of the kernel's output also reports the stop, once.
        check(&a.read().map(|_| ()).expect_err("was not reported").into(), problem, place);
        a.read()?;
        a.fill(0)?;
    }
    assert_eq!(*b.read()?, [31; 64]);
    count.launch().bind("b", &mut a).threads(64)?;
    assert_eq!(*a.read()?, [1; 64]);
    stops.launch().bind("b", &mut a).threads(64)?;
    check(&pollster::block_on(device.synchronize_async()).expect_err("was not stopped"), problem, place);
    pollster::block_on(device.synchronize_async())?;

    let mut recording = device.recording();
    check(&a.read().map(|_| ()).expect_err("was not reported").into(), problem, place);
    a.copy_from_slice(&[0; 64])?;
    stops.launch().bind("b", &mut a).record(&mut recording).threads(64)?;
    let submission = recording.submit()?;
    check(&submission.wait().expect_err("was not stopped"), problem, place);
    check(&submission.is_done().expect_err("was not stopped"), problem, place);
    check(&pollster::block_on(submission).expect_err("was not stopped"), problem, place);
    check(&device.synchronize().expect_err("was not reported"), problem, place);
    device.synchronize()
}

#[test]
fn synchronize_reports_a_stop_once_and_the_device_works() {
    without_hanging(|| {
        for device in devices() {
            for (problem, text, place) in STOPPED {
                stop_and_continue(&device, text, problem, place).expect("no other error");
            }
            super::counts(&device);
        }
    });
}

#[test]
fn work_that_depends_on_a_stopped_kernel_does_not_run() {
    without_hanging(|| {
        for device in devices() {
            let (problem, text, place) = STOPPED[0];
            let stops = device.kernel(Wgsl::new(text).file("stops.wgsl")).expect("a kernel");
            let count = device.kernel(COUNT).expect("a kernel");
            let mut a = device.buffer::<u32>(64).expect("memory");
            let mut b = device.buffer::<u32>(64).expect("memory");
            stops.launch().bind("b", &mut a).threads(64).expect("a launch");
            device.submit().expect("no error");
            // No call has reported the stop yet, even though these calls check for memory to reuse.
            std::thread::sleep(std::time::Duration::from_millis(200));
            for _ in 0..20 {
                b.copy_from_slice(&[5; 64]).expect("a write");
                count.launch().bind("b", &mut b).threads(64).expect("a launch");
                device.submit().expect("no error");
            }
            count.launch().bind("b", &mut a).threads(64).expect("a launch");
            check(&a.read().map(|_| ()).expect_err("has run").into(), problem, place);
            assert_eq!(*b.read().expect("no error"), [6; 64]);
        }
    });
}
