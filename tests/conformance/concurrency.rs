//! Use of one device by many threads.

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use anywarp::Device;

use crate::suite::case::{Case, cases};
use crate::suite::data::words;
use crate::suite::kernels::{ADD, COPY, add};
use crate::suite::portable_waits::{BLOCKING, NO_THREADS, ReadHere, ReopenHere, SynchronizeHere};
use anywarp_testing_devices::outcome::{Context, Stop, TestResult, equal, same, skip};

pub(crate) const CASES: &[Case] = cases![
    a_buffer_for_each_thread,
    one_buffer_read_by_all,
    launches_while_another_waits,
    waiting_briefly_from_many_threads,
    async_from_many_threads,
    kernels_from_many_threads,
    many_reads_of_one_buffer,
    buffers_come_and_go,
    one_recording_from_many_threads,
    halves_on_two_threads,
];

const THREADS: usize = 8;

/// Runs `work` with the numbers 0 to 7 on as many threads, and returns the first failure.
fn on_threads(work: impl Fn(usize) -> TestResult + Sync) -> TestResult {
    if !BLOCKING {
        return skip(NO_THREADS);
    }
    let start = Barrier::new(THREADS);
    thread::scope(|scope| {
        let run = |number| {
            start.wait();
            work(number)
        };
        let threads: Vec<_> = (0..THREADS).map(|number| scope.spawn(move || run(number))).collect();
        let mut outcome = Ok(());
        for (number, thread) in threads.into_iter().enumerate() {
            let result = thread.join().unwrap_or_else(|_| Err(Stop::Fail("the thread panicked".to_owned())));
            outcome = outcome.and(result.context(|| format!("thread {number}")));
        }
        outcome
    })
}

async fn a_buffer_for_each_thread(device: &Device) -> TestResult {
    on_threads(|number| {
        let mut wanted = words(500 + number);
        let mut data = device.buffer_from(&wanted)?;
        for round in 0..20u32 {
            add(device, &mut data, wanted.len(), round)?;
            wanted.iter_mut().for_each(|value| *value = value.wrapping_add(round));
            if round % 3 == 0 {
                same(&data.read()?, &wanted, "read")?;
            }
            if round % 5 == 0 {
                data.update()?[number] = round;
                wanted[number] = round;
            }
        }
        same(&data.read()?, &wanted, "at the end")
    })
}

async fn one_buffer_read_by_all(device: &Device) -> TestResult {
    let source = device.buffer_from(&words(1000))?;
    let kernel = device.kernel(COPY)?;
    on_threads(|_| {
        let mut result = device.buffer::<u32>(1000)?;
        for _ in 0..10 {
            result.fill(0)?;
            kernel.launch().bind("source", &source).bind("result", &mut result).threads(1000)?;
            same(&result.read()?, &words(1000), "a copy of the shared buffer")?;
        }
        Ok(())
    })
}

/// All results are right, and no wait hangs, while thread 0 waits for long launches and other threads submit short
/// ones.
async fn launches_while_another_waits(device: &Device) -> TestResult {
    let slow = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             var value = data[id.x];
             for (var n = 0u; n < 2000u; n++) { value = value * 1664525u + 1013904223u; }
             data[id.x] = value;
         }",
    )?;
    let reference = (0..2000).fold(1u32, |value, _| value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    on_threads(|number| {
        if number == 0 {
            for _ in 0..5 {
                let mut data = device.buffer_from(&[1u32; 4096])?;
                slow.launch().bind("data", &mut data).threads(4096)?;
                same(&data.read()?, &[reference; 4096], "the slow launch")?;
            }
            return Ok(());
        }
        let mut data = device.buffer_from(&[0u32; 64])?;
        for _ in 0..50 {
            add(device, &mut data, 64, 1)?;
            device.submit()?;
        }
        device.synchronize()?;
        same(&data.read()?, &[50; 64], "quick launches")
    })
}

/// A wait with a short time limit does not mistake the end of other threads' work for the end of its own.
async fn waiting_briefly_from_many_threads(device: &Device) -> TestResult {
    let kernel = device.kernel(ADD)?;
    on_threads(|number| {
        let mut data = device.buffer_from(&[0u32; 64])?;
        let mut recording = device.recording();
        kernel.launch().bind("data", &mut data).set("params.by", 1u32).record(&mut recording).threads(64)?;
        for round in 0..100 {
            let run = recording.submit()?;
            let brief = Duration::from_micros((round * 7 + number as u64) % 50);
            while !run.wait_timeout(brief)? {}
            equal(run.is_done()?, true, "done after a successful wait")?;
        }
        same(&data.read()?, &[100; 64], "100 submissions")
    })
}

async fn async_from_many_threads(device: &Device) -> TestResult {
    on_threads(|number| {
        pollster::block_on(async {
            let mut data = device.buffer_from(&[number as u32; 300])?;
            for round in 0..10 {
                add(device, &mut data, 300, 1)?;
                equal(data.read_async().await?[299], number as u32 + 2 * round + 1, "read_async")?;
                data.update_async().await?.iter_mut().for_each(|value| *value += 1);
                device.synchronize_async().await?;
            }
            let mut recording = device.recording();
            let kernel = device.kernel(ADD)?;
            kernel.launch().bind("data", &mut data).set("params.by", 1u32).record(&mut recording).threads(300)?;
            recording.submit()?.await?;
            equal(data.read_async().await?[0], number as u32 + 21, "at the end")
        })
    })
}

async fn kernels_from_many_threads(device: &Device) -> TestResult {
    on_threads(|number| {
        for n in 0..4u32 {
            // Half of the sources are the same on all threads.
            let own = if n % 2 == 0 { number as u32 } else { 1000 };
            let by = 10 * n + own;
            let kernel = device.kernel(format!(
                "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
                 @compute @workgroup_size(1) fn main() {{ data[0] += {by}u; }}"
            ))?;
            let mut data = device.buffer_from(&[1u32])?;
            kernel.launch().bind("data", &mut data).groups(1)?;
            equal(data.read()?[0], 1 + by, "the result of a kernel compiled beside others")?;
        }
        Ok(())
    })
}

async fn many_reads_of_one_buffer(device: &Device) -> TestResult {
    let mut data = device.buffer_from(&words(2000))?;
    for round in 0..10u32 {
        add(device, &mut data, 2000, 1)?;
        let wanted: Vec<u32> = words(2000).iter().map(|value| value.wrapping_add(round + 1)).collect();
        let data = &data;
        on_threads(|number| {
            same(&data.read()?, &wanted, "all")?;
            let part = 100 * number..100 * number + 50;
            same(&data.slice(part.clone()).read()?, &wanted[part], "a part")
        })?;
    }
    Ok(())
}

async fn buffers_come_and_go(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    on_threads(|number| {
        for round in 0..30 {
            let length = 1 + number * 131 + round * 17;
            let mut data = fresh.buffer_from(&words(length))?;
            add(&fresh, &mut data, length, 0)?;
            if round % 2 == 0 {
                same(&data.read()?, &words(length), "read")?;
            }
        }
        Ok(())
    })?;
    fresh.synchronize_here().await?;
    equal(fresh.stats().live_bytes, 0, "live bytes after all are dropped")
}

async fn one_recording_from_many_threads(device: &Device) -> TestResult {
    let mut data = device.buffer_from(&[0u32; 64])?;
    let mut recording = device.recording();
    let kernel = device.kernel(ADD)?;
    kernel.launch().bind("data", &mut data).set("params.by", 1u32).record(&mut recording).threads(64)?;
    on_threads(|_| {
        for _ in 0..10 {
            recording.submit()?.wait()?;
        }
        Ok(())
    })?;
    same(&data.read_here().await?, &[80; 64], "8 threads, 10 submissions each")
}

async fn halves_on_two_threads(device: &Device) -> TestResult {
    if !BLOCKING {
        return skip(NO_THREADS);
    }
    let step = device.caps().limits.storage_offset_alignment as usize / 4;
    let mut data = device.buffer_from(&vec![1u32; 4 * step])?;
    let (mut low, mut high) = data.split_at_mut(2 * step);
    let halves = thread::scope(|scope| {
        let adding = |half: &mut anywarp::SliceMut<'_, u32>, by| -> TestResult {
            for _ in 0..20 {
                add(device, half.slice_mut(..), 2 * step, by)?;
            }
            Ok(())
        };
        let one = scope.spawn(move || adding(&mut low, 1));
        let two = scope.spawn(move || adding(&mut high, 2));
        [one.join(), two.join()]
    });
    for half in halves {
        half.unwrap_or_else(|_| Err(Stop::Fail("the thread panicked".to_owned())))?;
    }
    let data = data.read_here().await?;
    equal((data[0], data[2 * step - 1], data[2 * step], data[4 * step - 1]), (21, 21, 41, 41), "both halves")
}
