//! Tests of residency against a model of every byte.

use super::*;
use proptest::prelude::*;

const BYTES: u64 = 4;

/// The true state of a byte: its newest version, and the versions that host and device have.
#[derive(Clone, Copy, Default)]
struct Byte {
    newest: u32,
    host: Option<u32>,
    device: Option<u32>,
}

#[derive(Clone, Debug)]
enum Step {
    HostWrote(Range<u64>),
    DeviceWrote(Range<u64>),
    Read(Range<u64>),
    Use(Range<u64>),
    HostForgot,
}

/// Applies a step as buffers do: a download before a read, an upload before a use.
fn step(model: &mut [Byte], residency: &mut Residency, step: &Step, version: u32) {
    let of = |range: &Range<u64>| range.start as usize..range.end as usize;
    match step {
        Step::HostWrote(range) => {
            residency.host_wrote(range.clone());
            model[of(range)].iter_mut().for_each(|byte| {
                byte.newest = version;
                byte.host = Some(version);
            });
        }
        Step::DeviceWrote(range) => {
            // Every command first receives the host's newer data.
            use_on_device(model, residency, range);
            residency.device_wrote(range.clone());
            model[of(range)].iter_mut().for_each(|byte| {
                byte.newest = version;
                byte.device = Some(version);
            });
        }
        Step::Read(range) => {
            for part in residency.ranges(range.clone(), |state| !state.on_host()) {
                model[of(&part)].iter_mut().for_each(|byte| byte.host = Some(byte.device.unwrap_or(0)));
            }
            residency.downloaded(range.clone());
            for byte in &model[of(range)] {
                assert_eq!(byte.host, Some(byte.newest), "a read returned an old version");
            }
        }
        Step::Use(range) => use_on_device(model, residency, range),
        Step::HostForgot => {
            for (index, byte) in model.iter_mut().enumerate() {
                let at = index as u64..index as u64 + 1;
                if residency.all(at, State::on_device) {
                    byte.host = None;
                }
            }
            residency.host_forgot();
        }
    }
    for (index, byte) in model.iter().enumerate() {
        let at = index as u64..index as u64 + 1;
        if residency.all(at.clone(), State::on_host) {
            assert_eq!(byte.host, Some(byte.newest), "the host's copy is marked as current");
        }
        if residency.all(at, State::on_device) {
            assert_eq!(byte.device.unwrap_or(0), byte.newest, "the device's copy is marked as current");
        }
    }
    let states: Vec<State> = residency.runs.values().copied().collect();
    assert!(states.windows(2).all(|pair| pair[0] != pair[1]), "runs are joined: {residency:?}");
    let within = residency.runs.keys().all(|start| *start < model.len() as u64);
    assert!(within && residency.runs.contains_key(&0), "runs are within the buffer: {residency:?}");
}

fn use_on_device(model: &mut [Byte], residency: &mut Residency, range: &Range<u64>) {
    for part in residency.ranges(range.clone(), |state| !state.on_device()) {
        for byte in &mut model[part.start as usize..part.end as usize] {
            byte.device = byte.host.take();
        }
        residency.uploaded(part);
    }
    for byte in &model[range.start as usize..range.end as usize] {
        assert_eq!(byte.device.unwrap_or(0), byte.newest, "a command saw an old version");
    }
}

fn all_steps() -> Vec<Step> {
    let mut steps = vec![Step::HostForgot];
    for start in 0..BYTES {
        for end in start + 1..=BYTES {
            steps.push(Step::HostWrote(start..end));
            steps.push(Step::DeviceWrote(start..end));
            steps.push(Step::Read(start..end));
            steps.push(Step::Use(start..end));
        }
    }
    steps
}

#[test]
fn every_sequence_of_three_steps_agrees_with_the_model() {
    let steps = all_steps();
    for first in &steps {
        for second in &steps {
            for third in &steps {
                let mut model = [Byte::default(); BYTES as usize];
                let mut residency = Residency::new(BYTES);
                for (version, next) in [first, second, third].into_iter().enumerate() {
                    step(&mut model, &mut residency, next, version as u32 + 1);
                }
            }
        }
    }
}

fn any_step(bytes: u64) -> impl Strategy<Value = Step> {
    (0..5u8, 0..bytes, 1..=bytes).prop_map(move |(kind, start, length)| {
        let range = start..(start + length).min(bytes);
        match kind {
            0 => Step::HostWrote(range),
            1 => Step::DeviceWrote(range),
            2 => Step::Read(range),
            3 => Step::Use(range),
            _ => Step::HostForgot,
        }
    })
}

proptest! {
    #[test]
    fn long_sequences_agree_with_the_model(steps in prop::collection::vec(any_step(24), 1..60)) {
        let mut model = [Byte::default(); 24];
        let mut residency = Residency::new(24);
        for (version, next) in steps.iter().enumerate() {
            step(&mut model, &mut residency, next, version as u32 + 1);
        }
    }
}

#[test]
fn an_untouched_range_is_zero_on_the_device_and_absent_on_the_host() {
    let residency = Residency::new(8);
    assert!(residency.all(0..8, |state| state == State::Uninit && state.on_device() && !state.on_host()));
}

#[test]
fn the_states_of_the_table_are_all_reached() {
    let mut residency = Residency::new(6);
    residency.host_wrote(1..2);
    residency.device_wrote(2..6);
    residency.downloaded(3..6);
    residency.host_wrote(4..5);
    residency.device_wrote(5..6);
    let states: Vec<State> = residency.runs.into_values().collect();
    assert_eq!(
        states,
        [State::Uninit, State::HostOnly, State::DeviceOnly, State::Synced, State::HostDirty, State::DeviceDirty]
    );
}
