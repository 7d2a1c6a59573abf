//! Results of operators that are awaited: alone, in two chains of one executor, after futures that were dropped.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use anywarp::ops::{OperationError, RunLengths, Select};
use anywarp::{Device, DeviceCount, Stream, UnifiedBuffer};
use futures::future::{Either, select, try_join};

use super::operators::{Data, Operator, Way};
use super::ways::all;

/// Opens each available device.
fn devices() -> anywarp::Result<Vec<Device>> {
    Device::enumerate().into_iter().map(|candidate| Ok(Device::open(&candidate.selector)?)).collect()
}

async fn check(operator: &Operator, data: &Data, how: &str) -> anywarp::Result<()> {
    let expected: Vec<f32> = (0..data.y.len()).map(operator.expected).collect();
    assert_eq!(*data.y.read_async().await?, *expected, "{} on {}: {how}", operator.name, data.device.selector());
    Ok(())
}

/// Lets other tasks of the executor run.
async fn turn() {
    let mut polled = false;
    poll_fn(|context| {
        if std::mem::replace(&mut polled, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[test]
fn each_operator_is_awaited() -> anywarp::Result<()> {
    for device in devices()? {
        pollster::block_on(async {
            for operator in all() {
                let mut data = Data::new(&device)?;
                (operator.run)(&mut data, Way::Own)?;
                check(operator, &data, "read without a wait").await?;

                let (stream, mut data) = (device.stream(), Data::new(&device)?);
                (operator.run)(&mut data, Way::Stream(&stream))?;
                stream.synchronize_async().await?;
                check(operator, &data, "on a stream").await?;

                let (mut recording, mut data) = (device.recording(), Data::new(&device)?);
                (operator.run)(&mut data, Way::Recording(&mut recording))?;
                recording.submit()?.await?;
                check(operator, &data, "in a recording").await?;
                data.y.update_async().await?.fill(-1.0);
                let (first, second) = (recording.submit()?, recording.submit()?);
                try_join(second, first).await?;
                let read = data.y.into_read_async().await?;
                let expected: Vec<f32> = (0..read.len()).map(operator.expected).collect();
                assert_eq!(*read, *expected, "{}: submitted again", operator.name);
            }
            Ok::<_, anywarp::Error>(())
        })?;
    }
    Ok(())
}

/// Runs operators one after the other, each on the data that the previous one has left.
async fn chain(
    operators: &[&Operator],
    stream: &Stream,
    mut data: Data,
    log: (&RefCell<Vec<char>>, char),
) -> anywarp::Result<()> {
    for operator in operators {
        data.y.update_async().await?.fill(-1.0);
        (operator.run)(&mut data, Way::Stream(stream))?;
        log.0.borrow_mut().push(log.1);
        turn().await;
        check(operator, &data, "in a chain").await?;
    }
    stream.synchronize_async().await?;
    Ok(())
}

#[test]
fn chains_on_two_streams_take_turns_in_one_executor() -> anywarp::Result<()> {
    for device in devices()? {
        let forwards: Vec<&Operator> = all().collect();
        let backwards: Vec<&Operator> = forwards.iter().rev().copied().collect();
        let (streams, log) = ([device.stream(), device.stream()], RefCell::new(Vec::new()));
        pollster::block_on(try_join(
            chain(&forwards, &streams[0], Data::new(&device)?, (&log, 'a')),
            chain(&backwards, &streams[1], Data::new(&device)?, (&log, 'b')),
        ))?;
        let mut turns = log.into_inner();
        assert_eq!(turns.len(), 2 * forwards.len());
        turns.dedup();
        assert!(turns.len() > 2, "{}: one chain ran after the other", device.selector());
    }
    Ok(())
}

/// Polls a future once and drops it.
fn cancel(future: impl Future) {
    let _ = pin!(future).poll(&mut Context::from_waker(Waker::noop()));
}

#[test]
fn dropped_futures_lose_nothing() -> anywarp::Result<()> {
    for device in devices()? {
        for operator in all() {
            let (stream, mut data) = (device.stream(), Data::new(&device)?);
            (operator.run)(&mut data, Way::Stream(&stream))?;
            cancel(data.y.read_async());
            cancel(stream.synchronize_async());
            cancel(device.synchronize_async());
            pollster::block_on(check(operator, &data, "after a read that was dropped"))?;

            let (mut recording, mut data) = (device.recording(), Data::new(&device)?);
            (operator.run)(&mut data, Way::Recording(&mut recording))?;
            cancel(recording.submit()?);
            cancel(data.y.slice(5..9).read_async());
            pollster::block_on(check(operator, &data, "after a submission that was dropped"))?;
        }
    }
    Ok(())
}

/// Runs an operator twice, and counts the waits that have ended in `ended`.
async fn steps(operator: &Operator, stream: &Stream, data: &mut Data, ended: &Cell<u32>) -> anywarp::Result<()> {
    let step = || ended.set(ended.get() + 1);
    (operator.run)(data, Way::Stream(stream))?;
    turn().await;
    step();
    stream.synchronize_async().await?;
    turn().await;
    step();
    data.y.update_async().await?.fill(-1.0);
    (operator.run)(data, Way::Own)?;
    turn().await;
    step();
    data.y.read_async().await?;
    step();
    Ok(())
}

/// A task that is dropped at any of its waits leaves its buffers with complete results.
#[test]
fn tasks_that_are_dropped_at_a_wait_leave_whole_results() -> anywarp::Result<()> {
    for device in devices()? {
        for operator in all() {
            for wait in 0..4 {
                let (stream, mut data, ended) = (device.stream(), Data::new(&device)?, Cell::new(0));
                {
                    let work = pin!(steps(operator, &stream, &mut data, &ended));
                    let enough = poll_fn(|_| if ended.get() >= wait { Poll::Ready(()) } else { Poll::Pending });
                    if let Either::Left((done, _)) = pollster::block_on(select(work, enough)) {
                        done?;
                    }
                }
                assert!(ended.get() >= wait, "{}", operator.name);
                pollster::block_on(check(operator, &data, &format!("dropped after {wait} waits")))?;
            }
        }
    }
    Ok(())
}

/// An operator that counts on the device: its name, a call that writes its results to two buffers, and the results,
/// computed from the elements on the host.
struct Counting {
    name: &'static str,
    run: fn(&Stream, &mut Arrays) -> Result<DeviceCount, OperationError>,
    expected: fn(&[u32]) -> [Vec<u32>; 2],
}

/// The argument 0, 0, 1, 1, 2, 2, .., and two buffers of the same length for results.
struct Arrays {
    x: UnifiedBuffer<u32>,
    y: UnifiedBuffer<u32>,
    z: UnifiedBuffer<u32>,
}

const COUNTED: usize = 3000;

/// The elements that fulfil a condition, in their order.
fn only(x: &[u32], condition: impl Fn(u32) -> bool) -> Vec<u32> {
    x.iter().copied().filter(|x| condition(*x)).collect()
}

/// The indices of the elements that fulfil a condition.
fn places(x: &[u32], condition: impl Fn(u32) -> bool) -> Vec<u32> {
    (0..).zip(x).filter(|(_, x)| condition(**x)).map(|(i, _)| i).collect()
}

/// The elements without repetitions of the element before.
fn without_repetitions(x: &[u32]) -> Vec<u32> {
    let mut x = x.to_vec();
    x.dedup();
    x
}

const COUNTING: &[Counting] = &[
    Counting {
        name: "select",
        run: |stream, a| Select::new("x % 3u == 0u").on(stream).run(&a.x, &mut a.y),
        expected: |x| [only(x, |x| x % 3 == 0), vec![]],
    },
    Counting {
        name: "select with indices",
        run: |stream, a| Select::new("x > 1400u").on(stream).run_with_indices(&a.x, &mut a.y, &mut a.z),
        expected: |x| [only(x, |x| x > 1400), places(x, |x| x > 1400)],
    },
    Counting {
        name: "nonzero",
        run: |stream, a| Select::not_zero().on(stream).indices(&a.x, &mut a.y),
        expected: |x| [places(x, |x| x != 0), vec![]],
    },
    Counting {
        name: "partition",
        run: |stream, a| Select::new("x < 100u").on(stream).partition(&a.x, &mut a.y, &mut a.z),
        expected: |x| [only(x, |x| x < 100), only(x, |x| x >= 100)],
    },
    Counting {
        name: "unique",
        run: |stream, a| Select::changes().on(stream).run(&a.x, &mut a.y),
        expected: |x| [without_repetitions(x), vec![]],
    },
    Counting {
        name: "run lengths",
        run: |stream, a| RunLengths::new().on(stream).encode(&a.x, &mut a.y, &mut a.z),
        expected: |x| [without_repetitions(x), vec![2; COUNTED / 2]],
    },
    Counting {
        name: "runs",
        run: |stream, a| RunLengths::new().on(stream).decode(a.x.slice(..4), a.x.slice(4..8), &mut a.y),
        expected: |_| [vec![0, 0, 0, 0, 1, 1, 1, 1, 1, 1], vec![]],
    },
];

#[test]
fn counts_are_awaited() -> anywarp::Result<()> {
    for device in devices()? {
        pollster::block_on(async {
            for Counting { name, run, expected } in COUNTING {
                let x: Vec<u32> = (0..COUNTED as u32).map(|i| i / 2).collect();
                let mut arrays = Arrays {
                    x: device.buffer_from(&x)?,
                    y: device.buffer_from(&[u32::MAX; COUNTED])?,
                    z: device.buffer_from(&[u32::MAX; COUNTED])?,
                };
                let stream = device.stream();
                let count = run(&stream, &mut arrays)?;
                let [y, z] = expected(&x);
                assert_eq!(count.read_async().await? as usize, y.len(), "{name} on {}", device.selector());
                // The count was taken after the results: they are there without a further wait of the stream. The
                // elements beyond them are unchanged.
                for (buffer, expected) in [(&arrays.y, &y), (&arrays.z, &z)] {
                    let got = buffer.read_async().await?;
                    assert!(got[..expected.len()] == expected[..], "{name} on {}", device.selector());
                    assert!(got[expected.len()..].iter().all(|word| *word == u32::MAX), "{name}");
                }
                // A count that is dropped leaves nothing behind.
                drop(run(&stream, &mut arrays)?);
                stream.synchronize_async().await?;
            }
            Ok::<_, anywarp::Error>(())
        })?;
    }
    Ok(())
}
