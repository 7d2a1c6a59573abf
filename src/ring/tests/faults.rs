//! Rings on devices that fail.

use std::sync::Arc;
use std::time::Duration;

use anywarp_cpu::Options;
use anywarp_null::{Call, Fault, Faults, FaultyBackend, NullBackend, When};

use crate::device::Device;
use crate::ring::{AskError, DeadReason, Mode, Ring, RingError, SendError};

const ECHO: &str = "
// anywarp:actor
fn echo(state: ptr<function, u32>, x: u32, lane: u32) -> u32 {
    *state += x;
    return x;
}";

/// A handler that never comes to its end for a message of 7.
const HANGS: &str = "
// anywarp:actor
fn hang(state: ptr<function, u32>, x: u32, lane: u32) -> u32 {
    *state += x;
    var y = x;
    while y == 7u {
        y = y * 3u - 14u;
    }
    return x;
}";

/// A handler with as many iterations as the message says.
const SLOW: &str = "
// anywarp:actor
fn slow(state: ptr<function, u32>, x: u32, lane: u32) -> u32 {
    *state += 1u;
    var y = x;
    for (var i = 0u; i < x; i++) {
        y = (y ^ (y >> 7u)) * 1664525u + i;
    }
    return select(x, x + 1u, y == 12345u && x == 4u);
}";

fn device(faults: Faults) -> (Arc<FaultyBackend>, Device) {
    let cpu = anywarp_cpu::open(Options { steps: Some(1 << 20), ..Options::default() }).unwrap();
    let faulty = FaultyBackend::new(cpu, faults);
    (Arc::clone(&faulty), Device::from_backend(faulty))
}

#[test]
fn no_memory_at_any_allocation_is_an_error_of_the_start() {
    for mode in [Mode::Persistent, Mode::Batched] {
        let mut failed = 0;
        for number in 0..20 {
            let (faulty, device) = device(Faults::new());
            let builder = device.ring(ECHO).unwrap().demand(mode);
            faulty.set_faults(Faults::new().fail(Call::Allocate, Fault::OutOfMemory, When::From(number)));
            match builder.start() {
                Ok(ring) => {
                    let x: Result<u32, AskError> = ring.actor(0).ask(&3u32).unwrap().wait();
                    assert!(faulty.fired() > 0 || x.is_ok(), "{mode} {number}: {x:?}");
                }
                Err(error) => {
                    failed += 1;
                    let text = error.to_string();
                    assert!(matches!(error, RingError::Memory { .. }) && text.contains("out of memory"), "{text}");
                }
            }
        }
        assert!(failed >= 3, "{mode}: {failed}");
    }
}

#[test]
fn a_handler_without_end_is_an_error_with_its_line() {
    for mode in [Mode::Persistent, Mode::Batched] {
        let (_, device) = device(Faults::new());
        let ring = device.ring(HANGS).unwrap().demand(mode).start().unwrap();
        let ask = |x: u32| ring.actor(0).ask::<u32, u32>(&x);
        assert_eq!(ask(5).unwrap().wait().unwrap(), 5);
        let (hangs, behind) = (ask(7).unwrap(), ask(8));
        for waiting in [Ok(hangs), behind] {
            let Ok(waiting) = waiting else { continue };
            let error = waiting.timeout(Duration::from_secs(60)).wait().unwrap_err();
            let text = error.to_string();
            assert!(matches!(error, AskError::Ended { failure: Some(_), .. }), "{mode}: {text}");
            assert!(text.contains("tests/faults.rs") && text.contains("iterations"), "{mode}: {text}");
        }
        assert!(matches!(ask(1), Err(SendError::Ended { failure: Some(_) })), "{mode}");
        if mode == Mode::Persistent {
            assert_eq!(ring.state::<u32>(0).unwrap(), 5, "the state after the last handled message");
        }
        assert!(ring.resume().is_err() && ring.pause().is_err(), "{mode}");
        assert!(ring.dead_letters().iter().any(|letter| letter.reason == DeadReason::Failure), "{mode}");
        let report = ring.shutdown(Duration::from_secs(1)).unwrap();
        assert!(report.failure.is_some() && report.unanswered >= 1, "{mode}: {report:?}");
    }
}

/// A handler that sends two messages to itself, and never comes to its end.
const SENDS_AND_HANGS: &str = "
// anywarp:send
fn send(to: u32, x: u32) -> bool { return false; }
// anywarp:actor
fn hang(state: ptr<function, u32>, x: u32, lane: u32) -> u32 {
    var y = x;
    if send(0u, 11u) && send(0u, 12u) {
        while y == 7u {
            y = y * 3u - 14u;
        }
    }
    return x;
}";

#[test]
fn messages_between_actors_are_reported_after_a_failure() {
    for mode in [Mode::Persistent, Mode::Batched] {
        // Memory of a stopped kernel can be read once the stop was reported.
        let cpu = anywarp_cpu::open(Options { steps: Some(1 << 20), ..Options::default() }).unwrap();
        let device = Device::from_backend(cpu);
        let ring = device.ring(SENDS_AND_HANGS).unwrap().demand(mode).start().unwrap();
        let error = ring.actor(0).ask::<u32, u32>(&7).unwrap().timeout(Duration::from_secs(60)).wait().unwrap_err();
        assert!(matches!(error, AskError::Ended { failure: Some(_), .. }), "{mode}: {error}");
        let report = ring.shutdown(Duration::from_secs(1)).unwrap();
        assert_eq!((report.undelivered, report.unanswered, report.handled), (2, 1, 0), "{mode}: {report:?}");
        assert_eq!(report.telemetry.total().sent, 2, "{mode}: {report:?}");
        let letters: Vec<_> = report.dead_letters.iter().map(|letter| (letter.bytes[0], letter.from_actor)).collect();
        assert_eq!(letters, [(7, false), (11, true), (12, true)], "{mode}");
        assert!(report.dead_letters.iter().all(|letter| letter.reason == DeadReason::Failure), "{mode}: {report:?}");
    }
}

#[test]
fn a_ring_resumes_after_a_pause_that_timed_out() {
    let minute = Duration::from_secs(60);
    let cpu = anywarp_cpu::open(Options { steps: Some(1 << 40), ..Options::default() }).unwrap();
    let device = Device::from_backend(cpu);
    let ring = device.ring(SLOW).unwrap().demand(Mode::Persistent).start().unwrap();
    let ask = |x: u32| ring.actor(0).ask::<u32, u32>(&x).unwrap().timeout(minute);
    let mut timed_out = 0;
    for round in 1..=20 {
        let slow = ask(20_000_000);
        std::thread::sleep(Duration::from_millis(2));
        // The actor may not have received the message yet.
        let paused = ring.pause_within(Duration::ZERO);
        timed_out += u32::from(matches!(paused, Err(RingError::TimedOut { step: "pause", .. })));
        assert!(paused.is_ok() || timed_out > 0, "{paused:?}");
        let behind = ask(3);
        if round % 2 == 0 {
            ring.pause().unwrap();
            assert!(!behind.is_done());
            let handled = ring.state::<u32>(0).unwrap();
            assert!(handled == 2 * round - 1 || handled == 2 * round - 2, "{handled} in round {round}");
        }
        ring.resume().unwrap();
        assert_eq!((slow.wait().unwrap(), behind.wait().unwrap()), (20_000_000, 3));
        assert_eq!(ring.state::<u32>(0).unwrap(), 2 * round);
    }
    assert!(timed_out > 0);
}

/// After each replacement that times out, the ring is paused with the code of before, and goes on with it or with new code.
#[test]
fn a_replacement_that_times_out_keeps_the_code() {
    let minute = Duration::from_secs(60);
    let cpu = anywarp_cpu::open(Options { steps: Some(1 << 40), ..Options::default() }).unwrap();
    let device = Device::from_backend(cpu);
    let ring = device.ring(SLOW).unwrap().demand(Mode::Persistent).start().unwrap();
    let new = SLOW.replace("return", "return 1000000000u +");
    assert_ne!(new, SLOW);
    let ask = |x: u32| ring.actor(0).ask::<u32, u32>(&x).unwrap().timeout(minute);
    let mut timed_out = 0;
    for round in 1..=20 {
        let slow = ask(20_000_000);
        std::thread::sleep(Duration::from_millis(2));
        // The actor may not have received the message yet.
        let replaced = ring.replace_within((&*new).into(), Duration::ZERO);
        match replaced {
            Err(RingError::TimedOut { step: "stop for new code", .. }) => timed_out += 1,
            other => other.unwrap(),
        }
        let behind = ask(3);
        if round % 2 == 0 {
            ring.replace(&*new).unwrap();
        }
        ring.resume().unwrap();
        let answers = (slow.wait().unwrap() % 1_000_000_000, behind.wait().unwrap());
        let old_or_new = if round % 2 == 0 { [1_000_000_003; 2] } else { [3, 1_000_000_003] };
        assert!(answers.0 == 20_000_000 && old_or_new.contains(&answers.1), "{answers:?} in round {round}");
        assert_eq!(ring.state::<u32>(0).unwrap(), 2 * round, "each message was handled once");
        ring.replace(SLOW).unwrap();
    }
    assert!(timed_out > 0);
}

#[test]
fn a_lost_device_ends_the_ring() {
    let (faulty, device) = device(Faults::new());
    let ring = device.ring(ECHO).unwrap().demand(Mode::Batched).start().unwrap();
    let ask = |ring: &Ring| ring.actor(0).ask::<u32, u32>(&1);
    assert_eq!(ask(&ring).unwrap().wait().unwrap(), 1);
    faulty.lose("a test");
    let error = match ask(&ring) {
        Ok(ask) => ask.wait().unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    assert!(error.contains("a test"), "{error}");
    assert!(ring.drain(Duration::from_secs(1)).is_err());
}

#[test]
fn a_device_without_resident_kernels_refuses_the_mode() {
    let device = Device::from_backend(NullBackend::new());
    let error = device.ring(ECHO).unwrap().demand(Mode::Persistent).start().unwrap_err();
    assert!(matches!(error, RingError::NoSuchMode { mode: Mode::Persistent, .. }), "{error}");
}
