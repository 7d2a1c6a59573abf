//! Results of work on many inputs.

use std::cell::Cell;
use std::future::ready;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use futures::channel::mpsc;
use futures::future::{Either, join, poll_fn};
use futures::stream::{Stream, StreamExt};

use anywarp::{Device, Error, OwnedRead, UnifiedBuffer};

use crate::kernels::{rounds, scale, scaled};
use crate::outcome::{Context, TestResult, ensure, equal, refused, same};
use crate::{Alone, Case};

pub(crate) const CASES: &[Case] = &[
    ("in_order", |device| Box::pin(in_order(device))),
    ("never_more_than_depth", |device| Box::pin(never_more_than_depth(device))),
    ("errors_belong_to_their_input", |device| Box::pin(errors_belong_to_their_input(device))),
    ("several_steps_each", |device| Box::pin(several_steps_each(device))),
    ("from_a_channel", |device| Box::pin(from_a_channel(device))),
    ("one_feeds_another", |device| Box::pin(one_feeds_another(device))),
    ("dropped_half_way", |device| Box::pin(dropped_half_way(device))),
    ("two_at_once", |device| Box::pin(two_at_once(device))),
    ("ended_for_good", |device| Box::pin(ended_for_good(device))),
];

pub(crate) const ALONE: &[Alone] =
    &[("in_a_for_loop", in_a_for_loop), ("with_what_stays_on_its_thread", with_what_stays_on_its_thread)];

const LENGTH: usize = 300;

fn prepared(device: &Device, input: u32) -> anywarp::Result<UnifiedBuffer<u32>> {
    let mut data = device.buffer_from(&[input; LENGTH])?;
    scale(device, &mut data, input)?;
    Ok(data)
}

fn as_wanted(input: u32, result: &[u32]) -> TestResult {
    same(result, &scaled(input, input, LENGTH), "a result").context(|| format!("input {input}"))
}

async fn in_order(device: Device) -> TestResult {
    for depth in [0, 1, 2, 7, 1000] {
        let mut results = device.pipeline(0..40u32, depth, |input| -> anywarp::Result<_> {
            Ok(prepared(&device, input)?.into_read_async())
        });
        equal(results.size_hint(), (40, Some(40)), "how many there will be")?;
        for input in 0..40 {
            let Some(result) = results.next().await else { return equal(input, 40, "results") };
            as_wanted(input, &result?)?;
            equal(results.size_hint().0, 39 - input as usize, "how many there are still to be")?;
        }
        equal(results.next().await.is_none(), true, "the end")?;
    }
    Ok(())
}

async fn never_more_than_depth(device: Device) -> TestResult {
    const DEPTH: usize = 4;
    let (begun, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, taken) = (Arc::clone(&begun), AtomicUsize::new(0));
    let mut results = pin!(device.pipeline(0..60u32, DEPTH, |input| -> anywarp::Result<_> {
        let begun = counted.fetch_add(1, Ordering::Relaxed) + 1;
        most.fetch_max(begun - taken.load(Ordering::Relaxed), Ordering::Relaxed);
        Ok(prepared(&device, input)?.into_read_async())
    }));
    equal(begun.load(Ordering::Relaxed), 0, "begun before anybody asked")?;
    while let Some(result) = results.next().await {
        result?;
        taken.fetch_add(1, Ordering::Relaxed);
        let ahead = begun.load(Ordering::Relaxed) - taken.load(Ordering::Relaxed);
        ensure(ahead <= DEPTH, || format!("{ahead} are in flight, {DEPTH} may be"))?;
    }
    // One more is being handed out while the next is begun.
    let most = most.load(Ordering::Relaxed);
    ensure(most > 1 && most <= DEPTH + 1, || format!("up to {most} were begun and not taken, {DEPTH} may be"))
}

async fn errors_belong_to_their_input(device: Device) -> TestResult {
    let work = |input: u32| -> anywarp::Result<_> {
        if input % 5 == 1 {
            device.kernel("no kernel at all")?;
        }
        let data = prepared(&device, input)?;
        let read = if input % 5 == 2 { 0..LENGTH + 1 } else { 0..LENGTH };
        Ok(async move { data.slice(read).read_async().await.map(|read| read.to_vec()) })
    };
    let results: Vec<Result<Vec<u32>, Error>> = device.pipeline(0..50, 3, work).collect().await;
    equal(results.len(), 50, "results")?;
    for (input, result) in (0..).zip(results) {
        match input % 5 {
            1 => refused(result, |error| matches!(error, Error::Kernel(_)), &["no kernel at all"])?,
            2 => refused(result, |error| matches!(error, Error::Buffer(_)), &["301"])?,
            _ => as_wanted(input, &result?)?,
        }
    }
    Ok(())
}

async fn several_steps_each(device: Device) -> TestResult {
    let results = device.pipeline(0..30u32, 3, |input| -> anywarp::Result<_> {
        let (device, mut data) = (device.clone(), prepared(&device, input)?);
        Ok(async move {
            for _ in 0..3 {
                as_wanted(input, &data.read_async().await?).map_err(|_| wrong())?;
                data.fill(input)?;
                scale(&device, &mut data, input)?;
            }
            Ok::<_, Error>(data.into_read_async().await?)
        })
    });
    let results: Vec<_> = results.collect().await;
    (0..).zip(results).try_for_each(|(input, result)| as_wanted(input, &result?))
}

fn wrong() -> Error {
    anywarp::BufferError::LengthMismatch { expected: 0, got: 0 }.into()
}

/// Inputs that are late keep no result back, and the pipeline ends with them.
async fn from_a_channel(device: Device) -> TestResult {
    let (inputs, incoming) = mpsc::unbounded();
    let mut results = device.pipeline_of(incoming, 3, |input: u32| -> anywarp::Result<_> {
        Ok(prepared(&device, input)?.into_read_async())
    });
    for input in 0..20 {
        inputs.unbounded_send(input)?;
        let Some(result) = results.next().await else { return equal(input, 20, "results") };
        as_wanted(input, &result?)?;
    }
    let nothing = poll_fn(|context| Poll::Ready(pin!(&mut results).poll_next(context).is_pending()));
    equal(nothing.await, true, "nothing to give while nothing comes")?;
    drop(inputs);
    equal(results.next().await.is_none(), true, "the end")
}

async fn one_feeds_another(device: Device) -> TestResult {
    let first =
        device.pipeline(0..40u32, 3, |input| -> anywarp::Result<_> { Ok(prepared(&device, input)?.into_read_async()) });
    let second = device.pipeline_of(first, 2, |read: anywarp::Result<OwnedRead<u32>>| -> anywarp::Result<_> {
        let mut data = read?.into_buffer();
        scale(&device, &mut data, 1)?;
        Ok(data.into_read_async())
    });
    let results: Vec<_> = second.collect().await;
    equal(results.len(), 40, "results")?;
    for (input, result) in (0..40u32).zip(results) {
        equal(result?[LENGTH - 1], input * input + 2 * (LENGTH as u32 - 1), "the last element")?;
    }
    Ok(())
}

async fn dropped_half_way(device: Device) -> TestResult {
    for taken in 0..6 {
        let mut inputs = 0..100u32;
        let work = |input| -> anywarp::Result<_> { Ok(prepared(&device, input)?.into_read_async()) };
        let mut results = device.pipeline(&mut inputs, 4, work);
        for input in 0..taken {
            let Some(result) = results.next().await else { return equal(input, taken, "results") };
            as_wanted(input, &result?)?;
        }
        drop(results);
        let begun = 100 - inputs.len();
        let most = if taken == 0 { 0 } else { taken as usize + 4 };
        ensure(begun <= most, || format!("{begun} inputs were taken for {taken} results"))?;
    }
    let mut data = prepared(&device, 3)?;
    scale(&device, &mut data, 0)?;
    equal(data.read_async().await?[9], 9, "the device afterwards")
}

async fn two_at_once(device: Device) -> TestResult {
    let sum = async |inputs: std::ops::Range<u32>, depth| {
        let results = device
            .pipeline(inputs, depth, |input| -> anywarp::Result<_> { Ok(prepared(&device, input)?.into_read_async()) });
        results
            .fold(Ok(0u32), |sum: anywarp::Result<u32>, result| ready(sum.and_then(|sum| Ok(sum + result?[0]))))
            .await
    };
    let (first, second) = join(sum(0..30, 2), sum(30..60, 5)).await;
    equal(first? + second?, (0..60).map(|input| input * input).sum(), "the sum of the squares")
}

async fn ended_for_good(device: Device) -> TestResult {
    let mut asked = 0;
    // An iterator that would go on after its end.
    let inputs = std::iter::from_fn(|| {
        asked += 1;
        (asked != 3).then_some(asked)
    });
    let mut results = device.pipeline(inputs, 2, |input: u32| -> anywarp::Result<_> {
        Ok(if input == 1 { Either::Left(ready(Ok(1))) } else { Either::Right(async { Ok::<u32, Error>(2) }) })
    });
    for wanted in [Some(1), Some(2), None, None, None] {
        let result = results.next().await.transpose()?;
        equal(result, wanted, "results, and the end again and again")?;
    }
    Ok(())
}

fn in_a_for_loop(device: &Device) -> TestResult {
    let results = device.pipeline(0..100u32, 3, |input| -> anywarp::Result<_> {
        let mut data = device.buffer_from(&[input; LENGTH])?;
        rounds(device, &mut data, input, 1 + 100 * (input % 3))?;
        Ok((input % 3 == 0).then(|| data.into_read_async())).map(|read| async move {
            match read {
                Some(read) => read.await.map(Some),
                None => Ok(None),
            }
        })
    });
    let mut inputs = 0..;
    for result in results {
        let Some(input) = inputs.next() else { break };
        match result? {
            Some(result) => as_wanted(input, &result)?,
            None => ensure(input % 3 != 0, || format!("input {input} has no result"))?,
        }
    }
    equal(inputs.start, 100, "results")
}

/// Neither inputs nor work need be `Send`, as long as the pipeline stays where it is.
fn with_what_stays_on_its_thread(device: &Device) -> TestResult {
    let count = Rc::new(Cell::new(0));
    let results = device.pipeline((0..10u32).map(Rc::new), 2, |input| -> anywarp::Result<_> {
        let (count, read) = (Rc::clone(&count), prepared(device, *input)?.into_read_async());
        Ok(async move {
            let read = read.await?;
            count.set(count.get() + 1);
            Ok::<_, Error>((input, read))
        })
    });
    for result in results {
        let (input, read) = result?;
        as_wanted(*input, &read)?;
    }
    equal(count.get(), 10, "results")
}
