//! Random sequences of steps and failures, after which reads return the last written data.

use std::ops::Range;

use anywarp::ErrorClass;
use anywarp_null::{Call, Fault, Faults, NullOptions, When};
use proptest::prelude::*;

use super::for_gaps_of;
use super::world::{LENGTH, Step, World};
use anywarp_testing_devices::null_device::open;

fn range() -> impl Strategy<Value = Range<usize>> {
    (0..LENGTH, 1..=LENGTH).prop_map(|(start, length)| start..(start + length).min(LENGTH))
}

fn few() -> impl Strategy<Value = Range<usize>> {
    (0..LENGTH, 1..=40usize).prop_map(|(start, length)| start..(start + length).min(LENGTH))
}

/// Ranges that start at an offset at which storage can be bound.
fn bindable() -> impl Strategy<Value = Range<usize>> {
    range().prop_map(|range| range.start / 64 * 64..range.end)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::Write),
        range().prop_map(Step::WritePart),
        few().prop_map(Step::WritePart),
        prop::collection::vec(0..LENGTH, 1..20).prop_map(Step::WriteWords),
        Just(Step::Update),
        range().prop_map(Step::UpdatePart),
        Just(Step::Look),
        Just(Step::Read),
        range().prop_map(Step::ReadPart),
        (range(), range()).prop_map(|(first, second)| Step::ReadTwo(first, second)),
        Just(Step::LaunchRead),
        bindable().prop_map(Step::LaunchReadPart),
        Just(Step::LaunchWrite),
        bindable().prop_map(Step::LaunchWritePart),
        Just(Step::Fill),
        range().prop_map(Step::FillPart),
        few().prop_map(Step::FillPart),
        Just(Step::CopyFrom),
        range().prop_map(Step::CopyPartFrom),
        Just(Step::CopyTo),
        Just(Step::Wait),
    ]
}

/// A call of a step that runs out of memory: its kind and number; or no failure.
fn fault() -> impl Strategy<Value = Option<(Call, u64)>> {
    prop::option::of((prop_oneof![Just(Call::Allocate), Just(Call::Submit)], 0..3u64))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_reads_what_was_written_last(
        unified: bool,
        gap in prop::sample::select(vec![0, 16, 200, 10_000]),
        steps in prop::collection::vec((step(), fault()), 1..40),
    ) {
        let options = NullOptions { unified, copy_cost: for_gaps_of(gap), ..NullOptions::staged() };
        let (device, faulty, null) = open(&options);
        let mut world = World::new(&device).expect("a null device makes buffers");
        for (step, fault) in &steps {
            if let Some((call, nth)) = *fault {
                faulty.set_faults(Faults::new().fail(call, Fault::OutOfMemory, When::From(nth)));
                if let Err(error) = world.step(&device, step) {
                    prop_assert_eq!(error.class(), ErrorClass::Retryable, "{:?}: {}", step, error);
                }
                faulty.set_faults(Faults::new());
            }
            if let Err(error) = world.step(&device, step) {
                prop_assert!(false, "{:?}: {}", step, error);
            }
        }
        prop_assert_eq!(&*world.buffer.read().expect("a last read"), &world.expected[..]);
        if unified {
            prop_assert_eq!(device.stats().bytes_uploaded + device.stats().bytes_downloaded, 0);
        }
        drop((world, device, faulty));
        prop_assert_eq!(null.misuse(), [""; 0]);
        prop_assert_eq!((null.live_bytes(), null.live_kernels()), (0, 0));
    }
}
