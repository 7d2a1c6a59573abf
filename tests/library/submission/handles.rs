//! The handle of a launch: waits, polls, timings, the end of a stopped kernel.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use anywarp::backend::{BackendError, Clock};
use anywarp::{Device, Error, ErrorClass, Submission, UnifiedBuffer, Wgsl};
use anywarp_null::{Faults, NullOptions, Pace};

use anywarp_testing_devices::null_device::{ADD, open};

const LENGTH: usize = 64;
const SOON: Duration = Duration::from_millis(20);

/// A waker that counts the wakes of a task.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn add(device: &Device, x: &UnifiedBuffer<u32>, y: &mut UnifiedBuffer<u32>) -> anywarp::Result<Submission> {
    Ok(device.kernel(Wgsl::new(ADD).file("add.wgsl"))?.launch().bind("x", x).bind("y", y).threads(LENGTH)?)
}

fn poll(submission: &mut Submission, waker: &Waker) -> Poll<anywarp::Result<()>> {
    Pin::new(submission).poll(&mut Context::from_waker(waker))
}

#[test]
fn a_launch_is_waited_for_polled_and_awaited() -> anywarp::Result<()> {
    for options in [NullOptions::staged(), NullOptions::unified()] {
        let (device, faulty, null) = open(&options);
        faulty.set_faults(Faults::new().pace(Pace::Gated));
        let (x, mut y) = (device.buffer::<u32>(LENGTH)?, device.buffer::<u32>(LENGTH)?);
        let mut submission = add(&device, &x, &mut y)?;
        assert_eq!(null.submissions().len(), 0, "a launch is recorded until the first wait");
        assert!(!submission.is_done()?);
        assert_eq!(null.submissions().len(), 1, "the first wait submits the launch");
        let woken = Arc::<Woken>::default();
        let waker = Waker::from(Arc::clone(&woken));
        assert!(poll(&mut submission, &waker).is_pending());
        assert!(!submission.wait_timeout(SOON)?);
        assert_eq!(woken.0.load(Ordering::SeqCst), 0);

        faulty.open_gate();
        assert_eq!(woken.0.load(Ordering::SeqCst), 1);
        assert!(matches!(poll(&mut submission, &waker), Poll::Ready(Ok(()))));
        assert!(submission.is_done()?);
        assert!(submission.wait_timeout(Duration::ZERO)?);
        submission.wait()?;
        pollster::block_on(submission.clone())?;
        assert_eq!(submission.timings(), None, "timings of an untimed launch");
        assert_eq!(null.submissions().len(), 1);
    }
    Ok(())
}

#[test]
fn the_first_wait_submits_earlier_launches() -> anywarp::Result<()> {
    let device = Device::open("cpu")?;
    let (x, mut y) = (device.buffer_from(&[3u32; LENGTH])?, device.buffer::<u32>(LENGTH)?);
    let before = device.stats().counters.submissions;
    let first = add(&device, &x, &mut y)?;
    let second = add(&device, &x, &mut y)?;
    pollster::block_on(second)?;
    assert_eq!(device.stats().counters.submissions, before + 1, "two launches, one submission");
    assert!(first.is_done()?);
    assert_eq!(*y.read()?, [6; LENGTH]);
    Ok(())
}

#[test]
fn a_timed_launch_has_timings_of_its_own() -> anywarp::Result<()> {
    let device = Device::open("cpu")?;
    let kernel = device.kernel(Wgsl::new(ADD).file("add.wgsl"))?;
    let (x, mut y) = (device.buffer_from(&[3u32; LENGTH])?, device.buffer::<u32>(LENGTH)?);
    let before = device.stats().counters.submissions;
    let untimed = kernel.launch().bind("x", &x).bind("y", &mut y).threads(LENGTH)?;
    let timed = kernel.launch().bind("x", &x).bind("y", &mut y).timed().threads(LENGTH)?;
    let after = kernel.launch().bind("x", &x).bind("y", &mut y).threads(LENGTH)?;
    assert_eq!(device.stats().counters.submissions, before + 2, "a timed launch is submitted at once and alone");
    for submission in [&untimed, &timed, &after] {
        submission.wait()?;
    }
    let timings = timed.timings().expect("timings");
    assert_eq!(timings.clock, Clock::Device);
    let [entry] = timings.entries.as_slice() else { panic!("{timings:?}") };
    assert_eq!(&*entry.label, "add.wgsl:add");
    assert!(entry.duration > Duration::ZERO && entry.duration == timings.total(), "{timings:?}");
    assert_eq!((untimed.timings(), after.timings()), (None, None));
    assert_eq!(*y.read()?, [9; LENGTH]);
    Ok(())
}

#[test]
fn a_device_without_timestamps_times_by_the_host() -> anywarp::Result<()> {
    let (device, ..) = open(&NullOptions::staged());
    let (x, mut y) = (device.buffer::<u32>(LENGTH)?, device.buffer::<u32>(LENGTH)?);
    let kernel = device.kernel(ADD)?;
    let submission = kernel.launch().bind("x", &x).bind("y", &mut y).timed().threads(LENGTH)?;
    submission.wait()?;
    let timings = submission.timings().expect("timings");
    assert_eq!((timings.clock, timings.entries.len()), (Clock::Host, 1));
    Ok(())
}

#[test]
fn timings_of_several_commands_follow_each_other() -> anywarp::Result<()> {
    let device = Device::open("cpu")?;
    let kernel = device.kernel(ADD)?;
    let (x, mut y) = (device.buffer_from(&[3u32; LENGTH])?, device.buffer::<u32>(LENGTH)?);
    let mut recording = device.recording();
    recording.timed(true);
    for _ in 0..3 {
        kernel.launch().bind("x", &x).bind("y", &mut y).record(&mut recording).threads(LENGTH)?;
    }
    let submission = recording.submit()?;
    submission.wait()?;
    let entries = submission.timings().expect("timings").entries;
    assert_eq!(entries.len(), 3);
    for pair in entries.windows(2) {
        assert!(pair[1].start >= pair[0].start + pair[0].duration, "each waits for the one before: {entries:?}");
    }
    Ok(())
}

#[test]
fn a_stopped_kernel_is_reported() -> anywarp::Result<()> {
    const STOPS: &str = "
        @group(0) @binding(0) var<storage, read_write> b: array<u32>;
        @compute @workgroup_size(64)
        fn stops(@builtin(local_invocation_index) i: u32) {
            if b[i] == i { storageBarrier(); }
            b[i] = 7u;
        }";
    let device = Device::open("cpu")?;
    let stops = device.kernel(Wgsl::new(STOPS).file("stops.wgsl"))?;
    let mut b = device.buffer::<u32>(LENGTH)?;
    let timed = stops.launch().bind("b", &mut b).timed().threads(LENGTH)?;
    is_stopped(timed.wait());
    let mut b = device.buffer::<u32>(LENGTH)?;
    let submission = stops.launch().bind("b", &mut b).threads(LENGTH)?;
    is_stopped(submission.wait());
    is_stopped(submission.is_done());
    is_stopped(submission.wait_timeout(SOON));
    is_stopped(pollster::block_on(submission));
    // The device also reports, once, the error of a submission that has a handle.
    is_stopped(device.synchronize());
    device.synchronize()
}

fn is_stopped<T: std::fmt::Debug>(result: anywarp::Result<T>) {
    let error = result.expect_err("it was not stopped");
    assert!(matches!(error, Error::Device(BackendError::Stopped { .. })), "{error:?}");
    assert!(error.to_string().contains("stops.wgsl:stops"), "{error}");
}

#[test]
fn a_recorded_launch_refers_to_its_recording() -> anywarp::Result<()> {
    let device = Device::open("cpu")?;
    let kernel = device.kernel(ADD)?;
    let (x, mut y) = (device.buffer_from(&[3u32; LENGTH])?, device.buffer::<u32>(LENGTH)?);
    let mut recording = device.recording();
    let recorded = kernel.launch().bind("x", &x).bind("y", &mut y).record(&mut recording).threads(LENGTH)?;
    let refused = |result: anywarp::Result<()>| {
        let error = result.expect_err("no submission");
        assert!(matches!(error, Error::Device(BackendError::Rejected { .. })), "{error:?}");
        assert!(error.to_string().contains("that `Recording::submit` returns"), "{error}");
        assert_eq!(error.class(), ErrorClass::Programmer);
    };
    for submitted in [false, true] {
        refused(recorded.wait());
        refused(recorded.wait_timeout(SOON).map(drop));
        refused(recorded.is_done().map(drop));
        refused(pollster::block_on(recorded.clone()));
        assert_eq!(recorded.timings(), None);
        if !submitted {
            recording.submit()?.wait()?;
        }
    }
    assert_eq!(*y.read()?, [3; LENGTH]);
    Ok(())
}
