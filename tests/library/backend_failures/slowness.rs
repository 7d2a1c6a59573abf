//! Slow work: time limits, wakers, and cancelled reads.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use anywarp::{BufferError, Error};
use anywarp_null::{Faults, NullOptions, Pace};

use super::program::{LENGTH, Machine};
use super::{PATIENCE, both, without_hanging};
use anywarp_testing_devices::null_device::ADD;

#[test]
fn a_wait_with_a_time_limit_ends_with_the_work_or_the_time() {
    without_hanging(|| {
        for options in both() {
            let machine = Machine::new(&options);
            let mut buffer = machine.device.buffer::<u32>(LENGTH).expect("memory");
            let mut kept = machine.device.recording();
            kept.fill(&mut buffer, 1).expect("a fill");

            machine.faults(Faults::new().pace(Pace::Gated));
            let run = kept.submit().expect("a submission");
            assert!(!run.wait_timeout(Duration::from_millis(20)).expect("no error"));
            assert!(!run.wait_timeout(Duration::ZERO).expect("no error"));
            assert!(!run.is_done().expect("no error"));
            machine.faulty.open_gate();
            assert!(run.wait_timeout(Duration::ZERO).expect("no error") && run.is_done().expect("no error"));

            machine.faults(Faults::new().pace(Pace::Delayed(Duration::from_millis(200))));
            let run = kept.submit().expect("a submission");
            assert!(!run.wait_timeout(Duration::from_millis(1)).expect("no error"));
            assert!(run.wait_timeout(PATIENCE).expect("no error"));
            machine.device.synchronize().expect("no error");
            assert_eq!(*buffer.read().expect("no error"), [1; LENGTH]);
        }
    });
}

/// A waker that counts the wakes of a task.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_future_is_woken_when_its_work_has_ended() -> anywarp::Result<()> {
    for options in both() {
        let machine = Machine::new(&options);
        let mut buffer = machine.device.buffer::<u32>(LENGTH)?;
        buffer.fill(8)?;
        machine.faults(Faults::new().pace(Pace::Gated));
        let woken = Arc::<Woken>::default();
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        let mut reading = pin!(buffer.read_async());
        assert!(reading.as_mut().poll(&mut context).is_pending());
        assert!(reading.as_mut().poll(&mut context).is_pending());
        assert_eq!(woken.0.load(Ordering::SeqCst), 0, "woken before the work has ended");
        machine.faulty.open_gate();
        assert_eq!(woken.0.load(Ordering::SeqCst), 1, "one task is woken once");
        let Poll::Ready(read) = reading.as_mut().poll(&mut context) else {
            panic!("the future was woken, but is not ready");
        };
        assert_eq!(*read?, [8; LENGTH]);
    }
    Ok(())
}

#[test]
fn a_cancelled_read_releases_everything_and_delays_nothing() {
    without_hanging(|| cancelled_reads().expect("no error"));
}

fn cancelled_reads() -> anywarp::Result<()> {
    for options in both() {
        let machine = Machine::new(&options);
        let add = machine.device.kernel(ADD)?;
        let x = machine.device.buffer::<u32>(LENGTH)?;
        let mut buffer = machine.device.buffer::<u32>(LENGTH)?;
        buffer.fill(8)?;
        machine.faults(Faults::new().pace(Pace::Gated));
        let mut context = Context::from_waker(Waker::noop());
        let mut staging = Vec::new();
        for _ in 0..100 {
            assert!(pin!(buffer.read_async()).poll(&mut context).is_pending());
            assert!(pin!(buffer.update_async()).poll(&mut context).is_pending());
            staging.push((machine.device.stats().staging_bytes, machine.null.live_bytes()));
        }
        assert_eq!(staging.get(10), staging.last(), "cancelled reads keep more and more memory");
        let run = add.launch().bind("x", &x).bind("y", &mut buffer).threads(LENGTH)?;
        assert!(!run.is_done()?, "handed over, behind work that has not ended");
        machine.faulty.open_gate();
        machine.calm();
        assert_eq!(*buffer.read()?, [8; LENGTH]);
        drop((run, add, x, buffer));
        machine.device.trim();
        assert_eq!(machine.device.stats().staging_bytes, 0);
        machine.close();
    }
    Ok(())
}

#[test]
fn futures_can_be_awaited_on_any_thread() {
    without_hanging(|| {
        for options in both() {
            let machine = Machine::new(&options);
            let buffers = [1u32, 2, 3].map(|value| {
                let mut buffer = machine.device.buffer::<u32>(LENGTH).expect("memory");
                buffer.fill(value).expect("a fill");
                (value, buffer)
            });
            machine.faults(Faults::new().pace(Pace::Gated));
            std::thread::scope(|scope| {
                let mut threads = Vec::new();
                for _ in 0..3 {
                    for (value, buffer) in &buffers {
                        threads.push(scope.spawn(move || {
                            let read = pollster::block_on(buffer.read_async()).expect("no error");
                            assert_eq!(*read, [*value; LENGTH]);
                        }));
                    }
                }
                threads.push(scope.spawn(|| pollster::block_on(machine.device.synchronize_async()).expect("no error")));
                while threads.iter().any(|thread| !thread.is_finished()) {
                    machine.faulty.open_gate();
                    std::thread::sleep(Duration::from_millis(1));
                }
                threads.into_iter().for_each(|thread| thread.join().expect("a thread has failed"));
            });
            drop(buffers);
            machine.device.trim();
            machine.close();
        }
    });
}

#[test]
fn staging_memory_in_flight_is_not_used_again() -> anywarp::Result<()> {
    // This length needs more than one block of shared uploads.
    const LENGTH: usize = 2000;
    let machine = Machine::new(&NullOptions::staged());
    let (mut a, mut b) = (machine.device.buffer_from(&[0; LENGTH])?, machine.device.buffer::<u32>(LENGTH)?);
    machine.faults(Faults::new().pace(Pace::Gated));
    b.copy_from(&a)?;
    machine.device.submit()?;
    let before = machine.device.stats();
    // If the upload reused the block of the first upload, it would wait at the gate.
    machine.faults(Faults::new());
    a.copy_from_slice(&[1; LENGTH])?;
    let after = machine.device.stats();
    assert_eq!((after.staging_hits, after.staging_misses), (before.staging_hits, before.staging_misses + 1));
    machine.faulty.open_gate();
    let mut c = machine.device.buffer::<u32>(LENGTH)?;
    c.copy_from_slice(&[2; LENGTH])?;
    assert_eq!(machine.device.stats().staging_hits, after.staging_hits + 1);
    Ok(())
}

/// A recording cannot be replayed while the data of a large copy is incomplete. Recordings borrow nothing, so only the
/// guard of the copy prevents the replay.
#[test]
fn a_replay_never_sees_a_part_of_a_large_copy() {
    without_hanging(|| {
        // The copy has more chunks than one pass writes.
        const LENGTH: usize = 32 << 20;
        let machine = Machine::new(&NullOptions::staged());
        let mut buffer = machine.device.buffer::<u32>(LENGTH).expect("memory");
        let mut last = machine.device.buffer::<u32>(1).expect("memory");
        let mut kept = machine.device.recording();
        kept.copy(buffer.slice(LENGTH - 1..), &mut last).expect("a copy");
        machine.faults(Faults::new().pace(Pace::Gated));
        std::thread::scope(|scope| {
            let copying = scope.spawn(|| buffer.copy_from_slice(&vec![7; LENGTH]));
            let pass = || {
                machine.faulty.open_gate();
                std::thread::sleep(Duration::from_millis(1));
            };
            while machine.device.stats().uploads == 0 {
                pass();
            }
            // One chunk is in flight, and the memory for the last chunk waits at the gate.
            let error = kept.submit().map(|_| ()).expect_err("the copy has not ended");
            let write = matches!(&error, Error::Buffer(BufferError::InUse { guard: "WriteGuard" }));
            while !copying.is_finished() {
                pass();
            }
            copying.join().expect("no panic").expect("the copy");
            assert!(write, "{error}");
        });
        machine.calm();
        kept.submit().expect("the guard is gone");
        assert_eq!(*last.read().expect("the last element"), [7]);
    });
}
