//! Lost devices.

use std::time::Duration;

use anywarp::{Error, ErrorClass};
use anywarp_null::{Call, Fault, Faults, NullOptions, Pace, When};

use super::program::{LENGTH, Machine, PROGRAM, World};
use super::{PATIENCE, both, without_hanging};

/// Calls every function that needs the device; returns the results with their names.
fn calls_that_need_the_device(world: &mut World) -> Vec<(&'static str, anywarp::Result<()>)> {
    let device = world.device.clone();
    let mut calls: Vec<(&'static str, anywarp::Result<()>)> = vec![
        ("buffer", device.buffer::<u32>(4).map(|_| ()).map_err(Error::from)),
        ("buffer_from", device.buffer_from(&[1u32]).map(|_| ()).map_err(Error::from)),
        ("kernel", device.kernel("@compute @workgroup_size(1) fn other() {}").map(|_| ()).map_err(Error::from)),
    ];
    if let (Some(add), Some(a), Some(b)) = (&world.add, &world.a, &mut world.b) {
        // Data on the host, and mapped data, remain readable but can no longer be written.
        let kept = b.read().ok().map(|all| all.to_vec());
        let launched = add.launch().bind("x", a).bind("y", &mut *b).threads(LENGTH).map_err(Error::from);
        calls.push(("launch and synchronize", launched.and_then(|_| device.synchronize())));
        calls.push(("fill and submit", b.fill(1).map_err(Error::from).and_then(|_| device.submit())));
        if kept.is_none() {
            calls.push(("read", b.read().map(|_| ()).map_err(Error::from)));
            calls.push(("read_async", pollster::block_on(b.read_async()).map(|_| ()).map_err(Error::from)));
        } else {
            let read = [b.read(), pollster::block_on(b.read_async())].map(|read| read.ok().map(|all| all.to_vec()));
            assert!(read == [kept.clone(), kept], "calls that were refused have changed what the host has");
        }
        calls.push(("update", b.update().map(|_| ()).map_err(Error::from)));
        calls.push(("write", b.write().map(|_| ()).map_err(Error::from)));
    }
    if let Some(kept) = &world.kept {
        calls.push(("replay", kept.submit().map(|_| ())));
    }
    calls
}

fn lost_at_every(rule: fn(u64) -> Faults) {
    for options in both() {
        for nth in 0.. {
            let machine = Machine::new(&options);
            machine.faults(rule(nth));
            let mut world = World::new(&machine.device);
            let result = world.run();
            if machine.faulty.fired() == 0 {
                assert!(result.is_ok() && nth > 0);
                break;
            }
            if let Err((step, error)) = &result {
                assert_eq!(error.class(), ErrorClass::Fatal, "'{}': {error}", PROGRAM[*step].0);
                assert!(error.to_string().contains("the device was lost: a test injected the loss"), "{error}");
            }
            machine.calm();
            for (name, result) in calls_that_need_the_device(&mut world) {
                let error = result.expect_err(name);
                assert_eq!(error.class(), ErrorClass::Fatal, "'{name}' after loss {nth}: {error}");
            }
            machine.device.trim();
            assert!(machine.device.stats().live_bytes <= machine.device.stats().peak_bytes);
            drop(world);
            machine.close();
        }
    }
}

#[test]
fn a_device_that_is_lost_at_any_call_stays_lost_and_never_hangs() {
    without_hanging(|| lost_at_every(|nth| Faults::new().fail_any(Fault::Lost, When::Nth(nth))));
}

#[test]
fn a_device_that_is_lost_at_one_kind_of_call_stays_lost_and_never_hangs() {
    without_hanging(|| {
        lost_at_every(|nth| Faults::new().fail(Call::Submit, Fault::Lost, When::Nth(nth)));
        lost_at_every(|nth| Faults::new().fail(Call::Map, Fault::Lost, When::Nth(nth)));
        lost_at_every(|nth| Faults::new().fail(Call::Allocate, Fault::Lost, When::Nth(nth)));
        lost_at_every(|nth| Faults::new().fail(Call::Compile, Fault::Lost, When::Nth(nth)));
    });
}

#[test]
fn data_that_the_host_has_read_stays_readable_after_a_loss() -> anywarp::Result<()> {
    for options in both() {
        let machine = Machine::new(&options);
        let mut synced = machine.device.buffer::<u32>(LENGTH)?;
        synced.fill(4)?;
        synced.read()?;
        let guarded = machine.device.buffer_from(&[5u32; LENGTH])?;
        let written = machine.device.buffer_from(&[6u32; LENGTH])?;
        let guard = guarded.read()?;
        machine.faulty.lose("unplugged");
        assert_eq!(*guard, [5; LENGTH]);
        drop(guard);
        assert_eq!(*synced.read()?, [4; LENGTH], "unified: {}", options.unified);
        assert_eq!(*guarded.read()?, [5; LENGTH]);
        assert_eq!(*written.read()?, [6; LENGTH], "what the host wrote has never left it");
        let error = Error::from(machine.device.buffer::<u32>(1).map(|_| ()).expect_err("it is unplugged"));
        assert!(error.to_string().contains("unplugged"), "{error}");
    }
    Ok(())
}

#[test]
fn the_part_that_the_host_has_read_stays_readable_after_a_loss() -> anywarp::Result<()> {
    let machine = Machine::new(&NullOptions::staged());
    let mut buffer = machine.device.buffer::<u32>(LENGTH)?;
    buffer.fill(4)?;
    buffer.read()?;
    buffer.slice_mut(128..).fill(5)?;
    machine.faulty.lose("unplugged");
    assert_eq!(*buffer.slice(..128).read()?, [4; 128]);
    assert!(buffer.read().is_err(), "one half of it is only on the device");
    Ok(())
}

#[test]
fn a_loss_wakes_all_waiting_threads_and_tasks() {
    without_hanging(|| {
        for options in both() {
            let machine = Machine::new(&options);
            let mut buffer = machine.device.buffer::<u32>(LENGTH).expect("memory");
            let mut kept = machine.device.recording();
            kept.fill(&mut buffer, 1).expect("a fill");
            machine.faults(Faults::new().pace(Pace::Gated));
            let run = kept.submit().expect("a submission");
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| run.wait());
                let timed = scope.spawn(|| run.wait_timeout(PATIENCE).map(|_| ()));
                let awaiting = scope.spawn(|| pollster::block_on(run.clone()));
                let reading = scope.spawn(|| buffer.read().map(|_| ()).map_err(Error::from));
                std::thread::sleep(Duration::from_millis(30));
                machine.faulty.lose("unplugged");
                for thread in [waiting, timed, awaiting, reading] {
                    let error = thread.join().expect("no panic").expect_err("the device was lost");
                    assert_eq!(error.class(), ErrorClass::Fatal, "{error}");
                }
            });
        }
    });
}
