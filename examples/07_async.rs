//! Asynchronous reads: tasks on several threads share a device, launch kernels and await their results, while the main
//! thread continues its own work.
//!
//! Any executor works; here `pollster` runs one future on each thread, and `all` joins several futures.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::thread;

use anywarp::{Device, Kernel};

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
    let mut steps = 0u64;
    let results = thread::scope(|scope| {
        let threads = [0, 1, 2].map(|thread| {
            let factors = thread * TASKS..(thread + 1) * TASKS;
            let (device, kernel) = (&device, &kernel);
            let tasks = move || factors.map(|factor| Box::pin(task(device, kernel, factor))).collect();
            scope.spawn(move || pollster::block_on(all(tasks())))
        });
        while !threads.iter().all(thread::ScopedJoinHandle::is_finished) {
            steps += 1; // this thread does not wait for the device
            thread::yield_now();
        }
        threads.map(|thread| thread.join().expect("no task panics"))
    });
    for (factor, result) in (0..).zip(results.into_iter().flatten()) {
        assert_eq!(result?, expected(factor), "factor {factor}");
    }
    println!("{}: {} launches, each awaited, all as expected", device.caps().name, device.stats().launches);
    println!("meanwhile the main thread's loop ran {steps} times");
    Ok(())
}

/// Launches and awaits repeatedly; returns the last element.
async fn task(device: &Device, kernel: &Kernel, factor: u32) -> anywarp::Result<u32> {
    let mut data = device.buffer::<u32>(LENGTH)?;
    for _ in 0..ROUNDS {
        kernel.launch().set("factor", factor).bind("data", &mut data).threads(LENGTH)?;
        // Other tasks of this thread continue here.
        assert_eq!(data.read_async().await?[0], 0);
    }
    Ok(data.slice(LENGTH - 1..).read_async().await?[0])
}

fn expected(factor: u32) -> u32 {
    let last = LENGTH as u32 - 1;
    (0..ROUNDS).fold(0, |value: u32, _| value.wrapping_mul(factor).wrapping_add(last))
}

/// All outputs, in the order of the futures.
async fn all<F: Future>(mut futures: Vec<Pin<Box<F>>>) -> Vec<F::Output> {
    let mut outputs: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    poll_fn(move |context| {
        for (future, output) in futures.iter_mut().zip(&mut outputs).filter(|(_, output)| output.is_none()) {
            if let Poll::Ready(done) = future.as_mut().poll(context) {
                *output = Some(done);
            }
        }
        let done = outputs.iter().all(Option::is_some);
        if done { Poll::Ready(outputs.drain(..).flatten().collect()) } else { Poll::Pending }
    })
    .await
}
