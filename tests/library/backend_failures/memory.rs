//! Devices that run out of memory or refuse calls.

use anywarp::{Error, ErrorClass};
use anywarp_null::{Call, Fault, Faults, NullOptions, When};

use super::both;
use super::program::{LAUNCHES, LENGTH, Machine, PROGRAM, World, counting};
use anywarp_testing_devices::null_device::ADD;

/// Makes calls of one kind fail from, or at, the n-th call for n = 0, 1, .. After each failure the step is repeated
/// without faults, and the program must complete.
fn resumes_after(call: Call, fault: Fault, when: fn(u64) -> When, check: fn(&NullOptions, &'static str, &Error)) {
    for options in both() {
        let mut failed = 0;
        for nth in 0.. {
            let machine = Machine::new(&options);
            machine.faults(Faults::new().fail(call, fault, when(nth)));
            let mut world = World::new(&machine.device);
            let result = world.run();
            let fired = machine.faulty.fired();
            machine.calm();
            if let Err((step, error)) = result {
                assert!(fired > 0);
                failed += 1;
                let name = PROGRAM[step].0;
                check(&options, name, &error);
                if let Err((again, error)) = world.run_from(step) {
                    panic!("after {call:?} {nth} failed '{name}', '{}' says: {error}", PROGRAM[again].0);
                }
            }
            let dispatches = machine.device.stats().counters.dispatches;
            assert_eq!(dispatches, LAUNCHES as u64 + 2, "after {call:?} {nth}: launches were lost or doubled");
            drop(world);
            machine.device.trim();
            machine.works();
            machine.close();
            if fired == 0 {
                assert!(nth > 0 && (failed > 0 || matches!(when(0), When::Nth(_))), "nothing has ever failed");
                break;
            }
        }
    }
}

/// Checks that an error names the requested bytes, their purpose, and the live bytes.
fn names_bytes(_: &NullOptions, step: &'static str, error: &Error) {
    assert_eq!(error.class(), ErrorClass::Retryable, "'{step}': {error}");
    let said = error.to_string();
    let has = |words: &[&str]| words.iter().all(|word| said.contains(word));
    assert!(
        has(&["out of memory", "bytes of", "memory were requested", "bytes were live", "null"]),
        "'{step}': {said}"
    );
    let digits = said.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    assert!(digits.count() >= 2, "'{step}': {said}");
}

#[test]
fn memory_that_is_used_up_at_any_allocation_costs_nothing_but_an_error() {
    resumes_after(Call::Allocate, Fault::OutOfMemory, When::From, names_bytes);
}

#[test]
fn memory_that_is_used_up_for_one_allocation_costs_nothing_but_an_error() {
    resumes_after(Call::Allocate, Fault::OutOfMemory, When::Nth, names_bytes);
}

#[test]
fn a_submission_that_finds_no_memory_is_tried_again() {
    let retryable = |_: &NullOptions, step: &'static str, error: &Error| {
        assert_eq!(error.class(), ErrorClass::Retryable, "'{step}': {error}");
        assert!(error.to_string().contains("out of memory"), "'{step}': {error}");
    };
    resumes_after(Call::Submit, Fault::OutOfMemory, When::From, retryable);
    resumes_after(Call::Submit, Fault::OutOfMemory, When::Nth, retryable);
}

#[test]
fn a_call_that_is_refused_before_work_is_handed_over_is_tried_again() {
    let refused = |_: &NullOptions, step: &'static str, error: &Error| {
        assert_eq!(error.class(), ErrorClass::Programmer, "'{step}': {error}");
        assert!(error.to_string().contains("was set to fail"), "'{step}': {error}");
    };
    for call in [Call::Allocate, Call::Compile, Call::Map, Call::Host] {
        resumes_after(call, Fault::Refused, When::Nth, refused);
    }
}

#[test]
fn reads_report_a_refused_submission() -> anywarp::Result<()> {
    for options in both() {
        let machine = Machine::new(&options);
        let mut buffer = machine.device.buffer::<u32>(LENGTH)?;
        buffer.fill(1)?;
        machine.faults(Faults::new().fail(Call::Submit, Fault::Refused, When::Nth(0)));
        assert!(machine.device.submit().is_err());
        let error = buffer.read().map(|_| ()).expect_err("the fill has never run");
        assert!(error.to_string().contains("was set to fail"), "{error}");
        buffer.fill(2)?;
        assert_eq!(*buffer.read()?, [2; LENGTH]);
        drop(buffer);
        machine.works();
        machine.close();
    }
    Ok(())
}

#[test]
fn data_that_the_host_wrote_outlives_a_failed_fill() -> anywarp::Result<()> {
    let machine = Machine::new(&NullOptions::staged());
    let mut buffer = machine.device.buffer::<u32>(LENGTH)?;
    buffer.read()?;
    buffer.slice_mut(0..16).update()?.fill(1);
    buffer.slice_mut(32..48).update()?.fill(2);
    machine.faults(Faults::new().fail(Call::Allocate, Fault::OutOfMemory, When::From(0)));
    let error = buffer.slice_mut(0..16).fill(3).expect_err("the other part needs staging memory");
    assert!(error.to_string().contains("filling a buffer of 1024 bytes"), "{error}");
    assert_eq!(*buffer.slice(0..16).read()?, [1; 16], "a fill that failed has thrown away what was there");
    machine.calm();
    assert_eq!(*buffer.slice(32..48).read()?, [2; 16]);
    buffer.slice_mut(0..16).fill(3)?;
    assert_eq!(*buffer.slice(0..48).read()?, [[3; 16], [0; 16], [2; 16]].concat());
    Ok(())
}

#[test]
fn a_read_that_failed_leaves_no_work_behind_that_cannot_run() -> anywarp::Result<()> {
    let machine = Machine::new(&NullOptions::staged());
    let mut buffer = machine.device.buffer::<u32>(LENGTH)?;
    buffer.fill(5)?;
    machine.faults(Faults::new().fail(Call::Submit, Fault::OutOfMemory, When::Nth(0)));
    assert!(buffer.read().is_err());
    machine.device.trim();
    assert_eq!(*buffer.read()?, [5; LENGTH]);
    drop(buffer);
    machine.close();
    Ok(())
}

#[test]
fn a_device_that_is_dropped_with_work_pending_keeps_nothing() -> anywarp::Result<()> {
    for options in both() {
        let machine = Machine::new(&options);
        let add = machine.device.kernel(ADD)?;
        let x = machine.device.buffer_from(&counting())?;
        let mut y = machine.device.buffer::<u32>(LENGTH)?;
        add.launch().bind("x", &x).bind("y", &mut y).threads(LENGTH)?;
        drop((add, x, y));
        assert_eq!(machine.device.stats().live_bytes, 0);
        machine.close();
    }
    Ok(())
}

#[test]
fn large_uploads_survive_memory_that_runs_out_half_way() -> anywarp::Result<()> {
    let values: Vec<u32> = (0..10 << 20).collect();
    for call in [Call::Allocate, Call::Submit] {
        for nth in 0..4 {
            let machine = Machine::new(&NullOptions::staged());
            let mut buffer = machine.device.buffer::<u32>(values.len())?;
            machine.faults(Faults::new().fail(call, Fault::OutOfMemory, When::From(nth)));
            let result = buffer.copy_from_slice(&values);
            let fired = machine.faulty.fired();
            assert_eq!(result.is_err(), fired > 0, "{result:?}");
            assert!(nth > 0 || fired > 0, "{call:?} is not called at all");
            machine.calm();
            buffer.copy_from_slice(&values)?;
            assert!(*buffer.read()? == values, "after {call:?} {nth}");
            drop(buffer);
            machine.close();
        }
    }
    Ok(())
}

/// A copy that fails has transferred each of its chunks as a whole or not at all; the error does not name the chunks.
#[test]
fn a_large_copy_that_failed_leaves_new_elements_and_old_ones() -> anywarp::Result<()> {
    let old: Vec<u32> = vec![u32::MAX; 10 << 20];
    let new: Vec<u32> = (0..10 << 20).collect();
    let mut mixed = 0;
    for (call, fault) in
        [(Call::Allocate, Fault::OutOfMemory), (Call::Submit, Fault::OutOfMemory), (Call::Submit, Fault::Refused)]
    {
        for nth in 0..4 {
            let machine = Machine::new(&NullOptions::staged());
            let mut buffer = machine.device.buffer_from(&old)?;
            machine.device.synchronize()?;
            // The free blocks are released, so that each chunk has to allocate memory.
            machine.device.trim();
            machine.faults(Faults::new().fail(call, fault, When::From(nth)));
            assert_eq!(buffer.copy_from_slice(&new).is_err(), machine.faulty.fired() > 0);
            assert!(nth > 0 || machine.faulty.fired() > 0, "{call:?} is not called at all");
            machine.calm();
            // The first call after a refused submission reports the refusal.
            let now = buffer.read().or_else(|_| buffer.read())?;
            let is_new = |index: usize| now[index] == new[index];
            assert!((0..now.len()).all(|index| is_new(index) || now[index] == old[index]), "after {call:?} {nth}");
            mixed += usize::from((0..now.len()).any(is_new) && !(0..now.len()).all(is_new));
            drop(now);
            drop(buffer);
            machine.close();
        }
    }
    assert!(mixed > 0, "no copy has ended in its midst");
    Ok(())
}
