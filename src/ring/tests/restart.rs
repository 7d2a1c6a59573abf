//! Actors that fail alone, while the others go on.

use std::time::Duration;

use anywarp_cpu::Options;

use crate::device::Device;
use crate::ring::{AskError, DeadReason, Mode, Report, Restart, Ring, RingBuilder, SendError};

/// Counts messages; a handler that never comes to its end for a message of 7.
const HANGS: &str = "
// anywarp:actor
fn hang(state: ptr<function, array<u32, 2>>, x: u32, lane: u32) -> u32 {
    (*state)[0] += 1u;
    (*state)[1] += x;
    var y = x;
    while y == 7u {
        y = y * 3u - 14u;
    }
    return x + 1u;
}";

const MINUTE: Duration = Duration::from_secs(60);

/// A ring in each mode, also with the kernel of several invocations.
fn each(wgsl: &str, run: impl Fn(&dyn Fn() -> RingBuilder, &str)) {
    for mode in [Mode::Persistent, Mode::Batched] {
        for invocations in [1, 4] {
            let cpu = anywarp_cpu::open(Options { steps: Some(1 << 16), ..Options::default() }).unwrap();
            let device = Device::from_backend(cpu);
            let start = || device.ring(wgsl).unwrap().demand(mode).invocations(invocations);
            run(&start, &format!("{mode}, {invocations} invocations"));
        }
    }
}

fn ask(ring: &Ring, actor: u32, x: u32) -> Result<u32, AskError> {
    ring.actor(actor).ask::<u32, u32>(&x)?.timeout(MINUTE).wait()
}

/// Ends the ring, and checks that each message is in one of the counts.
fn ends(ring: Ring, place: &str) -> Report {
    let report = ring.shutdown(MINUTE).unwrap();
    for actor in &report.telemetry.actors {
        assert_eq!(actor.handled + actor.unanswered + actor.displaced, actor.received, "{place}: {report:?}");
    }
    let total = report.telemetry.total();
    assert_eq!(total.unanswered, report.unanswered, "{place}: {report:?}");
    let left = total.lost_from_actors + report.undelivered;
    assert_eq!(total.from_actors + left, total.sent, "{place}: {report:?}");
    assert_eq!(total.taken + report.untaken, total.emitted, "{place}: {report:?}");
    report
}

fn is_stopped(error: &AskError, actor: u32, place: &str) {
    let text = error.to_string();
    assert!(matches!(error, AskError::Stopped { actor: own, .. } if *own == actor), "{place}: {text}");
    assert!(text.contains(&format!("actor {actor}")) && text.contains("tests/restart.rs"), "{place}: {text}");
    assert!(text.contains("iterations"), "{place}: {text}");
}

#[test]
fn an_actor_continues_with_its_last_state() {
    each(HANGS, |start, place| {
        let ring = start().actors(3).inbox(4).restart(Restart::Continue).start().unwrap();
        let (mut count, mut sum) = (0, 0);
        // Numbers of several laps over the slots, with a stop at each of them.
        for round in 0..13 {
            for x in 0..round % 4 {
                assert_eq!(ask(&ring, 1, x).unwrap(), x + 1, "{place}");
                (count, sum) = (count + 1, sum + x);
            }
            is_stopped(&ask(&ring, 1, 7).unwrap_err(), 1, place);
            assert_eq!(ask(&ring, 2, round + 100).unwrap(), round + 101, "{place}: another actor");
            assert_eq!(ring.state::<[u32; 2]>(1).unwrap(), [count, sum], "{place}");
        }
        let telemetry = ring.telemetry();
        assert_eq!((telemetry.actors[1].stopped, telemetry.actors[2].stopped), (13, 0), "{place}");
        let letters = ring.dead_letters();
        let stopped = |letter: &crate::ring::DeadLetter| {
            (letter.actor, letter.reason, letter.from_actor, letter.bytes[0]) == (1, DeadReason::Stopped, false, 7)
        };
        assert!(letters.len() == 13 && letters.iter().all(stopped), "{place}: {letters:?}");
        let report = ends(ring, place);
        assert!(report.failure.is_none(), "{place}: {report:?}");
        assert_eq!((report.handled, report.unanswered), (u64::from(count) + 13, 13), "{place}");
    });
}

#[test]
fn waiting_messages_are_handled_by_a_restarted_actor() {
    each(HANGS, |start, place| {
        let ring = start().actors(2).inbox(8).restart(Restart::Fresh).start().unwrap();
        ring.pause().unwrap();
        let asks: Vec<_> = [1u32, 2, 7, 3, 7, 4].iter().map(|x| ring.actor(0).ask::<u32, u32>(x).unwrap()).collect();
        let other = ring.actor(1).ask::<u32, u32>(&50).unwrap();
        ring.resume().unwrap();
        for (ask, x) in asks.into_iter().zip([1, 2, 7, 3, 7, 4]) {
            match ask.timeout(MINUTE).wait() {
                Ok(reply) => assert!(x != 7 && reply == x + 1, "{place}: {reply} to {x}"),
                Err(error) => {
                    assert_eq!(x, 7, "{place}: {error}");
                    is_stopped(&error, 0, place);
                }
            }
        }
        assert_eq!(other.wait().unwrap(), 51, "{place}");
        assert_eq!(ring.state::<[u32; 2]>(0).unwrap(), [1, 4], "{place}: a state of zeros, and the last message");
        assert_eq!(ends(ring, place).unanswered, 2, "{place}");
    });
}

#[test]
fn an_actor_ends_alone() {
    each(HANGS, |start, place| {
        let ring = start().actors(3).inbox(8).restart(Restart::Never).start().unwrap();
        ring.pause().unwrap();
        let before = ring.actor(1).ask::<u32, u32>(&3).unwrap();
        let stops = ring.actor(1).ask::<u32, u32>(&7).unwrap();
        ring.actor(1).tell(&8u32).unwrap();
        let behind = ring.actor(1).ask::<u32, u32>(&9).unwrap();
        ring.resume().unwrap();
        assert_eq!(before.timeout(MINUTE).wait().unwrap(), 4, "{place}");
        is_stopped(&pollster::block_on(stops).unwrap_err(), 1, place);
        is_stopped(&behind.timeout(MINUTE).wait().unwrap_err(), 1, place);
        for round in 0..20 {
            let refused = ring.actor(1).tell(&round);
            assert!(matches!(refused, Err(SendError::Stopped { actor: 1, .. })), "{place}: {refused:?}");
            for actor in [0, 2] {
                assert_eq!(ask(&ring, actor, round + 10).unwrap(), round + 11, "{place}");
            }
        }
        let state = ring.state::<[u32; 2]>(1).unwrap_err().to_string();
        assert!(state.contains("actor 1 handles no messages any more"), "{place}: {state}");
        ring.drain(MINUTE).unwrap();
        ring.pause().unwrap();
        assert_eq!(ring.state::<[u32; 2]>(1).unwrap(), [1, 3], "{place}: the state after the last handled message");
        let report = ends(ring, place);
        assert_eq!((report.unanswered, report.handled), (3, 41), "{place}: {report:?}");
        let letters: Vec<_> = report.dead_letters.iter().map(|letter| (letter.actor, letter.bytes[0])).collect();
        assert_eq!(letters, [(1, 7), (1, 8), (1, 9)], "{place}");
    });
}

/// Sends to the actor in the low half `x`; hangs for a message from an actor that is odd.
const SENDS: &str = "
struct M { to: u32, x: u32 }
// anywarp:send
fn hand_on(to: u32, m: M) -> bool { return false; }
// anywarp:actor
fn relay(state: ptr<function, array<u32, 2>>, m: M, lane: u32) -> u32 {
    (*state)[0] += 1u;
    if m.to != 0xffffu {
        return u32(lane == 0u && hand_on(m.to, M(0xffffu, m.x)));
    }
    var y = m.x % 2u;
    while y == 1u {
        y = y * y;
    }
    (*state)[1] += m.x;
    return 0u;
}";

#[test]
fn messages_between_actors_outlive_a_stopped_one() {
    each(SENDS, |start, place| {
        let ring = start().actors(3).inbox(4).restart(Restart::Continue).start().unwrap();
        for x in 0..23u32 {
            let sent: u32 = ring.actor(0).ask(&[2, x]).unwrap().timeout(MINUTE).wait().unwrap();
            assert_eq!(sent, 1, "{place}");
            ring.drain(MINUTE).unwrap();
        }
        let sum = (0..23).filter(|x| x % 2 == 0).sum::<u32>();
        assert_eq!(ring.state::<[u32; 2]>(2).unwrap(), [12, sum], "{place}");
        assert_eq!(ring.state::<[u32; 2]>(0).unwrap(), [23, 0], "{place}");
        let letters = ring.dead_letters();
        let odd = |(letter, x): (&crate::ring::DeadLetter, u8)| {
            (letter.actor, letter.reason, letter.from_actor, letter.bytes[4]) == (2, DeadReason::Stopped, true, x)
        };
        assert!(letters.len() == 11 && letters.iter().zip((1..).step_by(2)).all(odd), "{place}: {letters:?}");
        let total = ring.telemetry().total();
        assert_eq!((total.sent, total.from_actors, total.stopped), (23, 12, 11), "{place}");
        assert_eq!(ends(ring, place).undelivered, 0, "{place}");
    });
}

#[test]
fn an_ended_actor_refuses_other_actors() {
    each(SENDS, |start, place| {
        let ring = start().actors(2).inbox(4).restart(Restart::Never).start().unwrap();
        let send = |x: u32| ring.actor(0).ask::<[u32; 2], u32>(&[1, x]).unwrap().timeout(MINUTE).wait().unwrap();
        assert_eq!((send(2), send(3)), (1, 1), "{place}");
        ring.drain(MINUTE).unwrap();
        for _ in 0..10 {
            assert_eq!(send(4), 0, "{place}: a message to an ended actor");
        }
        ring.drain(MINUTE).unwrap();
        ring.pause().unwrap();
        let telemetry = ring.telemetry();
        assert_eq!((telemetry.actors[0].sent, telemetry.actors[0].refused), (2, 10), "{place}");
        assert_eq!((telemetry.actors[1].from_actors, telemetry.actors[1].lost_from_actors), (1, 1), "{place}");
        let report = ends(ring, place);
        assert_eq!((report.undelivered, report.dead_letters.len()), (0, 1), "{place}: {report:?}");
    });
}

/// A handler that is stopped while the ring is drained by its shutdown does not keep the others from their messages.
#[test]
fn a_shutdown_waits_for_actors_that_go_on() {
    each(HANGS, |start, place| {
        let ring = start().actors(2).inbox(64).restart(Restart::Continue).start().unwrap();
        for round in 0..30u32 {
            ring.actor(round % 2).tell(&if round % 10 == 3 { 7 } else { 1u32 }).unwrap();
        }
        let report = ends(ring, place);
        assert_eq!((report.handled, report.unanswered), (27, 3), "{place}: {report:?}");
        assert!(report.failure.is_none(), "{place}");
    });
}

/// Pauses that meet a stopped handler find the ring in order.
#[test]
fn pauses_beside_stopped_handlers() {
    each(HANGS, |start, place| {
        let ring = start().actors(2).inbox(16).restart(Restart::Continue).start().unwrap();
        for round in 0..30u32 {
            let stops = ring.actor(0).ask::<u32, u32>(&7).unwrap();
            std::thread::sleep(Duration::from_micros(u64::from(round) * 30));
            ring.pause().unwrap();
            let behind = ring.actor(0).ask::<u32, u32>(&round.max(8)).unwrap();
            ring.resume().unwrap();
            is_stopped(&stops.timeout(MINUTE).wait().unwrap_err(), 0, place);
            assert_eq!(behind.timeout(MINUTE).wait().unwrap(), round.max(8) + 1, "{place}");
        }
        assert_eq!(ring.state::<[u32; 2]>(0).unwrap()[0], 30, "{place}");
    });
}

/// Emits each message, and never comes to its end for a message of 7.
const EMITS: &str = "
// anywarp:emit
fn give(x: u32) -> bool { return false; }
// anywarp:actor
fn hang(state: ptr<function, u32>, x: u32, lane: u32) -> u32 {
    if lane == 0u && give(x) { *state += 1u; }
    var y = x;
    while y == 7u {
        y = y * 3u - 14u;
    }
    return x + 1u;
}";

#[test]
fn what_was_emitted_before_a_stop_arrives() {
    each(EMITS, |start, place| {
        let ring = start().actors(2).inbox(4).restart(Restart::Continue).start().unwrap();
        let given = ring.subscribe::<u32>(100).unwrap();
        let expect = |x: u32| {
            let next = given.recv(MINUTE).map(|emission| (emission.actor, emission.message));
            assert_eq!(next, Some((1, x)), "{place}");
        };
        for round in 10..30 {
            is_stopped(&ask(&ring, 1, 7).unwrap_err(), 1, place);
            expect(7);
            assert_eq!(ask(&ring, 1, round).unwrap(), round + 1, "{place}");
            expect(round);
        }
        assert_eq!(ring.state::<u32>(1).unwrap(), 20, "{place}");
        assert_eq!((given.try_recv(), given.lost(), ring.telemetry().total().not_emitted), (None, 0, 0), "{place}");
        let report = ends(ring, place);
        assert_eq!((report.telemetry.total().taken, report.untaken), (40, 0), "{place}");
    });
}
