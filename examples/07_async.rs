//! Reading without waiting: tasks on several threads share a device, launch, and await their results,
//! while the main thread goes on with what it has to do.
//!
//! Any executor will do; here `pollster` runs one future a thread, and `all` makes one of many.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::thread;

use anywarp::{Device, Kernel};

const THREADS: u32 = 3;
const TASKS: u32 = 4;
const ROUNDS: u32 = 5;
const LENGTH: usize = 1 << 16;

const WGSL: &str = "
@group(0) @binding(0) var<uniform> factor: u32;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(64)
fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&data) { data[id.x] = data[id.x] * factor + id.x; }
}";

fn main() -> anywarp::Result<()> {
    let device = Device::open_default()?;
    let kernel = device.kernel(WGSL)?;
    let (results, steps) = thread::scope(|scope| {
        let start = |first| {
            let (device, kernel) = (&device, &kernel);
            let tasks = move || (first..first + TASKS).map(|factor| task(device, kernel, factor)).collect();
            scope.spawn(move || pollster::block_on(all(tasks())))
        };
        let threads: Vec<_> = (0..THREADS).map(|thread| start(thread * TASKS)).collect();

        // Nobody here waits for the device.
        let mut steps = 0u64;
        while !threads.iter().all(thread::ScopedJoinHandle::is_finished) {
            steps += 1;
            thread::yield_now();
        }
        let results: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().expect("no task panics")).collect();
        (results, steps)
    });
    for (factor, result) in (0..).zip(results) {
        assert_eq!(result?, expected(factor), "factor {factor}");
    }
    println!(
        "{}: {} tasks on {THREADS} threads, {ROUNDS} readings each, all as expected",
        device.caps().name,
        THREADS * TASKS
    );
    println!("{} launches; meanwhile the main thread went around {steps} times", device.stats().launches);
    Ok(())
}

/// Launches and awaits, again and again; returns the last element.
async fn task(device: &Device, kernel: &Kernel, factor: u32) -> anywarp::Result<u32> {
    let mut data = device.buffer::<u32>(LENGTH)?;
    for _ in 0..ROUNDS {
        kernel.launch().set("factor", factor).bind("data", &mut data).threads(LENGTH)?;
        // Other tasks of this thread go on here.
        assert_eq!(data.read_async().await?[0], 0);
    }
    Ok(data.slice(LENGTH - 1..).read_async().await?[0])
}

fn expected(factor: u32) -> u32 {
    let last = LENGTH as u32 - 1;
    (0..ROUNDS).fold(0, |value: u32, _| value.wrapping_mul(factor).wrapping_add(last))
}

/// All outputs, in order: polls each future until it is done.
async fn all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut futures: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut outputs: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    poll_fn(move |context| {
        for (future, output) in futures.iter_mut().zip(&mut outputs).filter(|(_, output)| output.is_none()) {
            if let Poll::Ready(done) = future.as_mut().poll(context) {
                *output = Some(done);
            }
        }
        let done = outputs.iter().all(Option::is_some);
        if done { Poll::Ready(outputs.iter_mut().filter_map(Option::take).collect()) } else { Poll::Pending }
    })
    .await
}
