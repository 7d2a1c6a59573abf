//! Streams and recordings: each operator works with them, but only with those of its own device.

use anywarp::{Device, Error, ErrorClass, Event};
use anywarp_null::NullOptions;

use super::operators::{Data, OPERATORS, Operator, Way};
use super::ready_made::READY_MADE;
use anywarp_testing_devices::null_device::open;

/// All operators of the tables.
pub(super) fn all() -> impl Iterator<Item = &'static Operator> {
    OPERATORS.iter().chain(READY_MADE)
}

fn check(operator: &Operator, data: &Data, way: &str) -> anywarp::Result<()> {
    let expected: Vec<f32> = (0..data.y.len()).map(operator.expected).collect();
    assert_eq!(*data.y.read()?, *expected, "{} {way}", operator.name);
    Ok(())
}

#[test]
fn each_operator_runs_on_a_stream_and_in_a_recording() -> anywarp::Result<()> {
    let device = Device::open("cpu")?;
    for operator in all() {
        let mut data = Data::new(&device)?;
        (operator.run)(&mut data, Way::Own)?;
        check(operator, &data, "on its own")?;

        let (stream, mut data) = (device.stream(), Data::new(&device)?);
        (operator.run)(&mut data, Way::Stream(&stream))?;
        stream.synchronize()?;
        check(operator, &data, "on a stream")?;

        let (mut recording, mut data) = (device.recording(), Data::new(&device)?);
        (operator.run)(&mut data, Way::Recording(&mut recording))?;
        assert!(!recording.is_empty(), "{} is recorded", operator.name);
        assert_eq!(data.y.read()?[0], -1.0, "{}: nothing runs before it is submitted", operator.name);
        recording.submit()?.wait()?;
        check(operator, &data, "in a recording")?;
    }
    Ok(())
}

/// On a device with several streams, the commands run on the given stream.
#[test]
fn commands_use_the_given_stream() -> anywarp::Result<()> {
    let (device, ..) = open(&NullOptions { streams: 3, ..NullOptions::staged() });
    let streams = [device.stream(), device.stream()];
    for operator in all() {
        let mut data = Data::new(&device)?;
        let observer = device.observe();
        let streams_of = |kept| {
            let recorded = observer.take().into_iter().filter_map(move |observed| match observed.event {
                Event::Record { stream, kept: is_kept, .. } if is_kept == kept => Some(stream),
                _ => None,
            });
            let mut recorded: Vec<u32> = recorded.collect();
            recorded.dedup();
            recorded
        };
        (operator.run)(&mut data, Way::Own)?;
        // The host may do a fill of a whole buffer, without a command.
        assert!(matches!(streams_of(false).as_slice(), [] | [0]), "{}", operator.name);
        for (stream, number) in streams.iter().zip([1, 2]) {
            (operator.run)(&mut data, Way::Stream(stream))?;
            assert_eq!(streams_of(false), [number], "{}", operator.name);
        }
        let mut recording = device.recording();
        recording.on(&streams[1])?;
        (operator.run)(&mut data, Way::Recording(&mut recording))?;
        assert_eq!(streams_of(true), [2], "{}", operator.name);
        recording.submit()?.wait()?;
        let handed_over = observer.take().into_iter().find_map(|observed| match observed.event {
            Event::Submission { stream, .. } => Some(stream),
            _ => None,
        });
        assert_eq!(handed_over, Some(2), "{}", operator.name);
    }
    Ok(())
}

#[test]
fn each_operator_refuses_objects_of_another_device() -> anywarp::Result<()> {
    let device = Device::open("cpu")?;
    let (other, _, null) = open(&NullOptions::staged());
    let (stream, mut recording) = (other.stream(), other.recording());
    for operator in all() {
        let mut data = Data::new(&device)?;
        let check = |result: Result<(), Error>, what: &str| {
            let error = result.expect_err(operator.name);
            let said = error.to_string();
            for part in [operator.name, "cpu", &format!("the {what}"), "null"] {
                assert!(said.contains(part), "{}: {part:?} is not in {said:?}", operator.name);
            }
            assert_eq!(error.class(), ErrorClass::Programmer, "{said}");
        };
        check((operator.run)(&mut data, Way::Stream(&stream)), "stream");
        check((operator.run)(&mut data, Way::Recording(&mut recording)), "recording");
        assert!(recording.is_empty(), "{}", operator.name);
        device.synchronize()?;
        assert_eq!(data.y.read()?[0], -1.0, "{}: nothing has run", operator.name);
    }
    assert_eq!(null.submissions(), [""; 0]);
    let mut ours = device.recording();
    let error = Error::from(ours.on(&stream).expect_err("a stream of another device"));
    assert!(error.to_string().contains("cpu") && error.to_string().contains("null"), "{error}");
    Ok(())
}
