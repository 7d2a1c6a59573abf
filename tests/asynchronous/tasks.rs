//! Features of executors: spawned tasks, time limits, several executors at once.

use std::thread;
use std::time::{Duration, Instant};

use futures::executor::{LocalPool, block_on};
use futures::future::try_join_all;
use futures::task::SpawnExt;

use anywarp::Device;

use crate::Alone;
use crate::executor::threads;
use crate::kernels::{rounds, scale};
use crate::repetitions::repetitions;
use anywarp_testing_devices::outcome::{TestResult, ensure, equal, fail, same};

pub(crate) const CASES: &[Alone] = &[
    ("a_thousand_spawned", a_thousand_spawned),
    ("several_executors", several_executors),
    ("time_limits", time_limits),
    ("select", select),
    ("aborted", aborted),
    ("a_runtime_that_ends", a_runtime_that_ends),
    ("awaits_do_not_block_the_thread", awaits_do_not_block_the_thread),
];

/// Launches and awaits three times, and returns the last element.
async fn task(device: Device, number: u32) -> anywarp::Result<u32> {
    let mut data = device.buffer_from(&[number; 100])?;
    for _ in 0..3 {
        data.update_async().await?.fill(number);
        scale(&device, &mut data, number)?;
        device.submit()?;
    }
    Ok(data.into_read_async().await?[99])
}

fn wanted(number: u32) -> u32 {
    number * number + 99
}

fn a_thousand_spawned(device: &Device) -> TestResult {
    threads()?.block_on(async {
        let tasks: Vec<_> = (0..1000).map(|number| tokio::spawn(task(device.clone(), number))).collect();
        for (number, task) in (0..).zip(tasks) {
            equal(task.await??, wanted(number), "a task's result")?;
        }
        Ok(())
    })
}

fn several_executors(device: &Device) -> TestResult {
    let all = |numbers: std::ops::Range<u32>| try_join_all(numbers.map(|number| task(device.clone(), number)));
    thread::scope(|scope| {
        let handles = [
            scope.spawn(|| TestResult::Ok(pollster::block_on(all(0..50))?)),
            scope.spawn(|| TestResult::Ok(block_on(all(0..50))?)),
            scope.spawn(|| TestResult::Ok(threads()?.block_on(all(0..50))?)),
            scope.spawn(|| {
                let mut pool = LocalPool::new();
                let spawned: Vec<_> = (0..50)
                    .map(|number| pool.spawner().spawn_with_handle(task(device.clone(), number)))
                    .collect::<Result<_, _>>()?;
                Ok(pool.run_until(try_join_all(spawned))?)
            }),
        ];
        for handle in handles {
            let results = handle.join().unwrap_or_else(|_| fail("the thread panicked"))?;
            same(&results, &(0..50).map(wanted).collect::<Vec<_>>(), "the results")?;
        }
        Ok(())
    })
}

/// Reads are right after reads with a time limit, whether the time limit expired or not.
fn time_limits(device: &Device) -> TestResult {
    threads()?.block_on(async {
        for round in repetitions(50) {
            let mut data = device.buffer_from(&[1u32; 1 << 14])?;
            rounds(device, &mut data, 3, 1000 << (round / 8))?;
            let limit = Duration::from_micros(100 * u64::from(round % 20));
            if let Ok(read) = tokio::time::timeout(limit, data.read_async()).await {
                equal(read?.len(), 1 << 14, "its length")?;
            }
            // The next read must not get the result of the read above, which has ended or was cancelled.
            data.fill(3)?;
            equal(data.read_async().await?[5], 3, "the next read")?;
        }
        Ok(())
    })
}

fn select(device: &Device) -> TestResult {
    threads()?.block_on(async {
        // A device may end the work before any other branch runs, so each attempt has more work.
        for attempt in 0..14 {
            let mut data = device.buffer_from(&[1u32; 1 << 14])?;
            rounds(device, &mut data, 3, 3000 << attempt)?;
            let mut ticks = tokio::time::interval(Duration::from_micros(300));
            let (mut read, mut turns) = (Box::pin(data.into_read_async()), 0);
            // The same future is polled again between other branches.
            let read = loop {
                tokio::select! {
                    biased;
                    _ = ticks.tick() => turns += 1,
                    read = &mut read => break read?,
                }
            };
            equal(read.len(), 1 << 14, "its length")?;
            if turns > 0 {
                return Ok(());
            }
        }
        fail("no other branch ever ran")
    })
}

fn aborted(device: &Device) -> TestResult {
    threads()?.block_on(async {
        for round in 0..100 {
            let work = tokio::spawn(task(device.clone(), round));
            if round % 2 == 0 {
                tokio::task::yield_now().await;
            }
            work.abort();
            match work.await {
                Ok(result) => equal(result?, wanted(round), "the result of a task that was not cancelled")?,
                Err(error) => ensure(error.is_cancelled(), || format!("it {error}"))?,
            }
        }
        equal(task(device.clone(), 7).await?, wanted(7), "a task afterwards")
    })
}

/// The device works on after an executor ends whose tasks await the device: the wakers of the tasks have no effect.
fn a_runtime_that_ends(device: &Device) -> TestResult {
    for round in 0..10 {
        let runtime = threads()?;
        for number in 0..20 {
            runtime.spawn(task(device.clone(), number));
        }
        thread::sleep(Duration::from_micros(100 * round));
        runtime.shutdown_background();
    }
    equal(pollster::block_on(task(device.clone(), 7))?, wanted(7), "a task afterwards")
}

/// An await does not block its thread.
fn awaits_do_not_block_the_thread(device: &Device) -> TestResult {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(async {
        // Some drivers execute the work during the submission, and a busy machine may not schedule other tasks
        // meanwhile.
        let mut most = 0;
        for _ in 0..8 {
            let mut data = device.buffer_from(&[1u32; 1 << 14])?;
            rounds(device, &mut data, 3, 20_000)?;
            let start = Instant::now();
            device.submit()?;
            let reading = tokio::spawn(data.into_read_async());
            let (handed_over, mut turns) = (start.elapsed(), 0);
            while !reading.is_finished() {
                tokio::task::yield_now().await;
                turns += 1;
            }
            equal(reading.await??.len(), 1 << 14, "its length")?;
            most = most.max(turns);
            if turns > 3 || handed_over > start.elapsed() / 2 {
                return Ok(());
            }
        }
        fail(format!("other tasks ran at most {most} times"))
    })
}
