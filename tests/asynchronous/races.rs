//! Races of wakers with the end of work.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context as Polling, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use futures::future::{Either, select};

use anywarp::{Device, Submission, UnifiedBuffer};

use crate::Alone;
use crate::kernels::{WGSL, rounds, scale};
use crate::repetitions::repetitions;
use anywarp_testing_devices::outcome::{TestResult, ensure, equal};

pub(crate) const CASES: &[Alone] = &[
    ("the_last_waker_is_woken", the_last_waker_is_woken),
    ("awaited_on_another_thread_after_a_poll", awaited_on_another_thread_after_a_poll),
    ("dropped_while_it_is_woken", dropped_while_it_is_woken),
    ("the_loser_of_a_race", the_loser_of_a_race),
    ("launches_between_cancelled_reads", launches_between_cancelled_reads),
    ("wakers_that_panic", wakers_that_panic),
    ("wakers_that_drop_buffers", wakers_that_drop_buffers),
    ("the_first_to_end_is_the_first_to_be_woken", the_first_to_end_is_the_first_to_be_woken),
];

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Submits work that takes a few milliseconds; returns the buffer that it writes.
fn long(device: &Device) -> anywarp::Result<UnifiedBuffer<u32>> {
    let mut data = device.buffer_from(&[1u32; 1 << 14])?;
    rounds(device, &mut data, 3, 2000)?;
    Ok(data)
}

fn submitted(device: &Device, length: usize) -> anywarp::Result<Submission> {
    let mut data = device.buffer::<u32>(length)?;
    let mut recording = device.recording();
    recording.fill(&mut data, 1)?;
    recording.submit()
}

fn until(mut holds: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while !holds() {
        if started.elapsed() > Duration::from_secs(20) {
            return false;
        }
        thread::sleep(Duration::from_micros(200));
    }
    true
}

fn the_last_waker_is_woken(device: &Device) -> TestResult {
    for _ in 0..20 {
        let data = long(device)?;
        let mut reading = Box::pin(data.read_async());
        let counts: Vec<Arc<Count>> = (0..50).map(|_| Arc::default()).collect();
        let mut ready = false;
        for count in &counts {
            ready = reading.as_mut().poll(&mut Polling::from_waker(&Waker::from(Arc::clone(count)))).is_ready();
            if ready {
                break;
            }
            let earlier = counts.iter().take_while(|other| !Arc::ptr_eq(other, count));
            let kept =
                earlier.filter(|other| Arc::strong_count(other) > 1 && other.0.load(Ordering::SeqCst) == 0).count();
            equal(kept, 0, "earlier wakers that the device keeps")?;
        }
        let woken = || counts.iter().any(|count| count.0.load(Ordering::SeqCst) > 0);
        let over = ready || until(woken);
        ensure(over, || "no waker was called".to_owned())?;
    }
    Ok(())
}

fn awaited_on_another_thread_after_a_poll(device: &Device) -> TestResult {
    for _ in 0..20 {
        let data = long(device)?;
        let mut read = Box::pin(data.into_read_async());
        if read.as_mut().poll(&mut Polling::from_waker(Waker::noop())).is_pending() {
            let read = thread::spawn(move || pollster::block_on(read).map(|read| read.len())).join();
            equal(read.unwrap_or_else(|_| panic!("the thread panicked"))?, 1 << 14, "the length")?;
        }
    }
    Ok(())
}

fn dropped_while_it_is_woken(device: &Device) -> TestResult {
    for round in 0..300u64 {
        let mut data = device.buffer_from(&[1u32; 2000])?;
        rounds(device, &mut data, 3, 50)?;
        let mut read = Box::pin(data.into_read_async());
        let count = Arc::<Count>::default();
        let polled = read.as_mut().poll(&mut Polling::from_waker(&Waker::from(Arc::clone(&count))));
        let pause = Instant::now();
        while pause.elapsed() < Duration::from_micros(round % 150) {
            std::hint::spin_loop();
        }
        drop((read, polled));
        ensure(count.0.load(Ordering::SeqCst) <= 1, || "woken more than once".to_owned())?;
        let let_go = until(|| Arc::strong_count(&count) == 1);
        ensure(let_go, || "the device keeps the task of a dropped future".to_owned())?;
    }
    let mut data = device.buffer_from(&[1u32; 10])?;
    scale(device, &mut data, 3)?;
    equal(data.read()?[9], 12, "the device afterwards")
}

fn the_loser_of_a_race(device: &Device) -> TestResult {
    pollster::block_on(async {
        let mut data = device.buffer_from(&[1u32; 1000])?;
        for round in repetitions(100) {
            data.fill(round)?;
            let slow = long(device)?;
            let winner = match select(Box::pin(data.read_async()), Box::pin(slow.read_async())).await {
                Either::Left((read, _)) => read?[7],
                Either::Right((_, read)) => read.await?[7],
            };
            equal(winner, round, "the value read")?;
        }
        device.synchronize_async().await?;
        Ok(())
    })
}

/// Work around cancelled reads runs in the order of submission. `tests/library/backend_failures` checks that the work
/// waits for none of the reads, on a device whose work ends only when the test opens a gate.
fn launches_between_cancelled_reads(device: &Device) -> TestResult {
    const LENGTH: usize = 1 << 14;
    const ROUNDS: u32 = 2000;
    let host = |data: &mut [u32], factor| {
        for (index, value) in (0..).zip(data) {
            *value = (0..ROUNDS).fold(*value, |value, _| value.wrapping_mul(factor).wrapping_add(index));
        }
    };
    let kernel = device.kernel(WGSL)?;
    let mut expected = vec![1u32; LENGTH];
    let mut data = device.buffer_from(&expected)?;
    for turn in repetitions(20) {
        let mut recording = device.recording();
        kernel.launch().set("params", [3, ROUNDS]).bind("data", &mut data).record(&mut recording).threads(LENGTH)?;
        recording.submit()?;
        host(&mut expected, 3);
        for factor in 0..turn % 3 + 1 {
            let _ = pin!(data.read_async()).poll(&mut Polling::from_waker(Waker::noop()));
            rounds(device, &mut data, factor, ROUNDS)?;
            host(&mut expected, factor);
        }
        let read = pollster::block_on(data.read_async())?;
        ensure(*read == expected[..], || format!("wrong values after turn {turn}"))?;
    }
    Ok(())
}

struct Panics(AtomicBool);

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
        panic!("a waker of a test that panics on purpose");
    }
}

fn wakers_that_panic(device: &Device) -> TestResult {
    // A panic in a waker, such as a debug assertion in an executor, must not affect the device.
    let data = long(device)?;
    let panics = Arc::new(Panics(AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&panics));
    let mut reading = Box::pin(data.read_async());
    let mut read = reading.as_mut().poll(&mut Polling::from_waker(&waker));
    if read.is_pending() {
        ensure(until(|| panics.0.load(Ordering::SeqCst)), || "no waker was called".to_owned())?;
        read = reading.as_mut().poll(&mut Polling::from_waker(Waker::noop()));
    }
    let Poll::Ready(read) = read else { return equal("pending", "ready", "the read") };
    equal(read?.len(), 1 << 14, "its length")?;
    pollster::block_on(async {
        let mut data = long(device)?;
        scale(device, &mut data, 3)?;
        equal(data.read_async().await?.len(), 1 << 14, "the next read")
    })
}

/// A waker that drops its task's buffer when woken, as an executor does with a cancelled task.
struct Drops(Mutex<Option<UnifiedBuffer<u32>>>, AtomicBool);

impl Wake for Drops {
    fn wake(self: Arc<Self>) {
        drop(self.0.lock().ok().and_then(|mut buffer| buffer.take()));
        self.1.store(true, Ordering::SeqCst);
    }
}

fn wakers_that_drop_buffers(device: &Device) -> TestResult {
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        // This thread makes the device run its callbacks, and with them the wakers.
        let busy = scope.spawn(|| -> TestResult {
            while !ended.load(Ordering::SeqCst) {
                let mut data = device.buffer_from(&[1u32; 1000])?;
                scale(device, &mut data, 2)?;
                device.submit()?;
                if data.len() == 1000 {
                    drop(data.read()?);
                }
            }
            Ok(())
        });
        let outcome = (|| {
            for _ in repetitions(200) {
                let mut kept = device.buffer_from(&[1u32; 100])?;
                scale(device, &mut kept, 2)?;
                kept.read()?;
                let drops = Arc::new(Drops(Mutex::new(Some(kept)), AtomicBool::new(false)));
                let waker = Waker::from(Arc::clone(&drops));
                let mut data = device.buffer_from(&[1u32; 1000])?;
                rounds(device, &mut data, 3, 20)?;
                let mut read = Box::pin(data.into_read_async());
                if read.as_mut().poll(&mut Polling::from_waker(&waker)).is_pending() {
                    ensure(until(|| drops.1.load(Ordering::SeqCst)), || "no waker was called".to_owned())?;
                }
            }
            Ok(())
        })();
        ended.store(true, Ordering::SeqCst);
        outcome.and(busy.join().unwrap_or_else(|_| panic!("the thread panicked")))
    })
}

/// The first work to end wakes its task first, because work ends in the order of submission. The order of the awaits
/// does not matter.
fn the_first_to_end_is_the_first_to_be_woken(device: &Device) -> TestResult {
    let (mut both, mut ahead) = (0, 0);
    for _ in repetitions(20) {
        let _before = long(device)?;
        let mut first = Box::pin(submitted(device, 1000)?);
        let _between: Vec<_> = (0..10).map(|_| long(device)).collect::<Result<_, _>>()?;
        let mut last = Box::pin(submitted(device, 1000)?);
        let woken = [Arc::<Count>::default(), Arc::default()];
        let [mut early, late] = woken.each_ref().map(|count| Waker::from(Arc::clone(count)));
        let pending = last.as_mut().poll(&mut Polling::from_waker(&late)).is_pending()
            && first.as_mut().poll(&mut Polling::from_waker(&early)).is_pending();
        if !pending {
            continue;
        }
        ensure(until(|| woken[0].0.load(Ordering::SeqCst) > 0), || "the first task is not woken".to_owned())?;
        both += 1;
        ahead += usize::from(woken[1].0.load(Ordering::SeqCst) == 0);
        early = Waker::noop().clone();
        ensure(first.as_mut().poll(&mut Polling::from_waker(&early)).is_ready(), || {
            "the first read is not ready".to_owned()
        })?;
        ensure(until(|| woken[1].0.load(Ordering::SeqCst) > 0), || "the last task is not woken".to_owned())?;
    }
    // Not every round shows the order, because this thread may be late.
    ensure(both < 5 || ahead > 0, || format!("the first was never woken before the last, {both} times"))
}
