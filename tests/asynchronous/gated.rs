//! Futures on a device whose work ends only when the test opens a gate.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::stream::{self, Stream, StreamExt};

use anywarp::{Device, OwnedRead};
use anywarp_null::{Faults, FaultyBackend, NullBackend, NullOptions, Pace};

use anywarp_testing_devices::outcome::{TestResult, ensure, equal};

/// A named case that must succeed.
type Case = (&'static str, fn() -> TestResult);

pub(crate) const CASES: &[Case] = &[
    ("a_dropped_future_releases_its_task", || with_each(a_dropped_future_releases_its_task)),
    ("only_the_last_waker", || with_each(only_the_last_waker)),
    ("reads_in_flight_wait_for_the_oldest", || with_each(reads_in_flight_wait_for_the_oldest)),
    ("reads_in_flight_wake_once_each", || with_each(reads_in_flight_wake_once_each)),
    ("reads_in_flight_report_the_loss", || with_each(reads_in_flight_report_the_loss)),
];

/// A device whose work ends when the test opens the gate.
struct Gated {
    device: Device,
    faulty: Arc<FaultyBackend>,
    null: Arc<NullBackend>,
}

fn with_each(run: fn(&Gated) -> TestResult) -> TestResult {
    for options in [NullOptions::staged(), NullOptions::unified()] {
        let null = NullBackend::with(&options);
        let faulty = FaultyBackend::new(Arc::clone(&null) as _, Faults::new());
        let gated = Gated { device: Device::from_backend(Arc::clone(&faulty) as _), faulty, null };
        run(&gated)?;
        let null = Arc::clone(&gated.null);
        gated.faulty.open_gate();
        drop(gated);
        equal(null.live_bytes(), 0, "bytes that were not freed")?;
        ensure(null.misuse().is_empty(), || format!("{:?}", null.misuse()))?;
    }
    Ok(())
}

impl Gated {
    fn close(&self) {
        self.faulty.set_faults(Faults::new().pace(Pace::Gated));
    }
}

async fn filled(gated: &Gated, input: u32) -> anywarp::Result<OwnedRead<u32>> {
    let mut data = gated.device.buffer::<u32>(100)?;
    data.fill(input)?;
    Ok(data.into_read_async().await?)
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Count {
    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn a_dropped_future_releases_its_task(gated: &Gated) -> TestResult {
    let mut data = gated.device.buffer::<u32>(100)?;
    data.fill(1)?;
    gated.close();
    let count = Arc::<Count>::default();
    let waker = Waker::from(Arc::clone(&count));
    for _ in 0..10 {
        ensure(pin!(data.read_async()).poll(&mut Context::from_waker(&waker)).is_pending(), || {
            "the read is already done".to_owned()
        })?;
    }
    drop(waker);
    equal(Arc::strong_count(&count), 1, "owners of the task after the last future is dropped")
}

fn only_the_last_waker(gated: &Gated) -> TestResult {
    let mut data = gated.device.buffer::<u32>(100)?;
    data.fill(1)?;
    gated.close();
    let mut reading = pin!(data.read_async());
    let counts: Vec<Arc<Count>> = (0..100).map(|_| Arc::default()).collect();
    for count in &counts {
        let waker = Waker::from(Arc::clone(count));
        ensure(reading.as_mut().poll(&mut Context::from_waker(&waker)).is_pending(), || {
            "the read is already done".to_owned()
        })?;
    }
    equal(counts.iter().filter(|count| Arc::strong_count(count) > 1).count(), 1, "wakers that the device keeps")?;
    gated.faulty.open_gate();
    equal(counts.iter().map(|count| count.get()).sum(), 1, "wakes of all tasks")?;
    equal(counts[99].get(), 1, "wakes of the last task")?;
    ensure(reading.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready(), || {
        "the read is not done".to_owned()
    })
}

fn reads_in_flight_wait_for_the_oldest(gated: &Gated) -> TestResult {
    gated.close();
    let before = gated.device.stats().counters.submissions;
    let mut results = pin!(stream::iter(0..20).map(|input| filled(gated, input)).buffered(3));
    let count = Arc::<Count>::default();
    let waker = Waker::from(Arc::clone(&count));
    let mut poll = || results.as_mut().poll_next(&mut Context::from_waker(&waker));
    for _ in 0..5 {
        ensure(poll().is_pending(), || "there is a result".to_owned())?;
    }
    equal(gated.device.stats().counters.submissions - before, 3, "submissions for a depth of 3")?;
    // After polling all futures, the stream wakes its task once.
    let woken = count.get();
    ensure(poll().is_pending() && woken <= 1, || format!("{woken} wakes, and nothing has ended"))?;
    equal(count.get(), woken, "wakes without a new result")?;
    for wanted in 0..3u32 {
        if wanted == 0 {
            gated.faulty.open_gate();
            ensure(count.get() > woken, || "the task was not woken".to_owned())?;
        }
        let Poll::Ready(Some(result)) = poll() else { return equal("pending", "a result", "the stream") };
        equal(result?[99], wanted, "a result")?;
    }
    ensure(poll().is_pending(), || "there is a fourth result".to_owned())?;
    equal(gated.device.stats().counters.submissions - before, 6, "submissions after three results")
}

/// A future that counts its polls.
struct Counted<F>(Pin<Box<F>>, Arc<Count>);

impl<F: Future> Future for Counted<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.1.0.fetch_add(1, Ordering::SeqCst);
        self.0.as_mut().poll(context)
    }
}

fn reads_in_flight_wake_once_each(gated: &Gated) -> TestResult {
    gated.close();
    let polled = Arc::<Count>::default();
    let work = stream::iter(0..64).map(|input| Counted(Box::pin(filled(gated, input)), Arc::clone(&polled)));
    let mut results = pin!(work.buffered(64));
    let mut poll = || results.as_mut().poll_next(&mut Context::from_waker(Waker::noop()));
    for _ in 0..10 {
        ensure(poll().is_pending(), || "there is a result".to_owned())?;
    }
    equal(polled.get(), 64, "polls before anything ended")?;
    gated.faulty.open_gate();
    for wanted in 0..64u32 {
        let Poll::Ready(Some(result)) = poll() else { return equal("pending", "a result", "the stream") };
        equal(result?[0], wanted, "a result")?;
    }
    equal(polled.get(), 128, "polls of all")?;
    ensure(matches!(poll(), Poll::Ready(None)), || "the stream has not ended".to_owned())
}

fn reads_in_flight_report_the_loss(gated: &Gated) -> TestResult {
    gated.close();
    let mut results = pin!(stream::iter(0..5).map(|input| filled(gated, input)).buffered(2));
    let mut poll = || results.as_mut().poll_next(&mut Context::from_waker(Waker::noop()));
    ensure(poll().is_pending(), || "there is a result".to_owned())?;
    gated.faulty.lose("the test said so");
    for _ in 0..5 {
        let Poll::Ready(Some(result)) = poll() else { return equal("pending", "an error", "the stream") };
        ensure(result.is_err_and(|error| error.to_string().contains("the test said so")), || {
            "another result".to_owned()
        })?;
    }
    ensure(matches!(poll(), Poll::Ready(None)), || "the stream has not ended".to_owned())
}
