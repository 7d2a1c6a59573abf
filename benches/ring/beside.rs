//! Many actors at once, many messages in one submission, and the cost of a ring without messages for other kernels.

use std::time::{Duration, Instant};

use anywarp::Device;
use anywarp::ring::{Mode, Ring};

use super::{ECHO, wrong};

/// The messages of one call.
const ROW: usize = 1024;

/// A kernel that computes for a while on the whole device.
const LONG: &str = "
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(256)
fn long(@builtin(global_invocation_id) id: vec3<u32>) {
    var a = x[id.x];
    for (var i = 0u; i < 4096u; i++) { a = a * 0.999 + 0.5; }
    x[id.x] = a;
}";

fn said(error: &dyn std::error::Error) -> String {
    error.to_string()
}

fn ring(device: &Device, mode: Mode, actors: u32, inbox: u32) -> Result<Ring, String> {
    let ring = device.ring(ECHO).and_then(|ring| ring.actors(actors).inbox(inbox).demand(mode).start());
    ring.map_err(|error| said(&error))
}

/// Messages to 64 actors, from different numbers of threads, each of which has actors of its own.
pub(super) fn actors(device: &Device, messages: usize) -> Result<(), String> {
    const ACTORS: u32 = 64;
    let words: Vec<u32> = (0..ROW as u32).collect();
    for senders in [1, 2, 4, 8] {
        let ring = ring(device, Mode::Persistent, ACTORS, 4 * ROW as u32)?;
        let rows = (messages * 10 / ROW / ACTORS as usize).max(1);
        let send = |sender: u32| {
            (0..rows).try_for_each(|_| {
                (sender..ACTORS).step_by(senders).try_for_each(|actor| ring.actor(actor).tell_all(&words))
            })
        };
        let start = Instant::now();
        let sent: Result<Vec<()>, _> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..senders as u32).map(|sender| scope.spawn(move || send(sender))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        sent.map_err(|error| said(&error))?;
        ring.drain(Duration::from_secs(60)).map_err(|error| said(&error))?;
        let took = start.elapsed();
        let all = rows * ROW * ACTORS as usize;
        if ring.telemetry().total().handled != all as u64 {
            return wrong("count of messages to many actors");
        }
        println!("{ACTORS} actors, {senders} senders: {:.2} M messages/s", all as f64 / took.as_secs_f64() / 1e6);
    }
    Ok(())
}

/// The time of one submission by its number of messages.
pub(super) fn submissions(device: &Device) -> Result<(), String> {
    for (actors, each) in [(1, 1), (1, 1000), (1000, 1), (1000, 100)] {
        let ring = ring(device, Mode::Batched, actors, each.max(2))?;
        let words: Vec<u32> = (0..each).collect();
        let mut times = Vec::new();
        for _ in 0..9 {
            ring.pause().map_err(|error| said(&error))?;
            (0..actors).try_for_each(|actor| ring.actor(actor).tell_all(&words)).map_err(|error| said(&error))?;
            let start = Instant::now();
            ring.resume().and_then(|()| ring.drain(Duration::from_secs(60))).map_err(|error| said(&error))?;
            times.push(start.elapsed());
        }
        if ring.telemetry().total().handled != 9 * u64::from(actors * each) {
            return wrong("count of messages in submissions");
        }
        times.sort_unstable();
        println!("one submission, {actors} actors with {each} messages each: {:.0} us", times[4].as_secs_f64() * 1e6);
    }
    Ok(())
}

/// The time of a kernel beside rings without messages, by the time of the kernel alone.
pub(super) fn idle(device: &Device) -> Result<(), String> {
    let kernel = device.kernel(LONG).map_err(|error| said(&error))?;
    let mut x = device.buffer::<f32>(1 << 20).map_err(|error| said(&error))?;
    let mut time = |launches: usize| {
        let start = Instant::now();
        for _ in 0..launches {
            kernel.launch().bind("x", &mut x).threads(1 << 20).map_err(|error| said(&error))?;
        }
        device.synchronize().map_err(|error| said(&error))?;
        Ok::<_, String>(start.elapsed())
    };
    time(1)?;
    let launches = (Duration::from_millis(50).as_nanos() / time(1)?.as_nanos().max(1)).clamp(1, 1000) as usize;
    for actors in [1, 64] {
        let mut ratios = Vec::new();
        for _ in 0..7 {
            let alone = time(launches)?;
            let ring = ring(device, Mode::Persistent, actors, 64)?;
            let beside = time(launches)?;
            drop(ring);
            ratios.push(beside.as_secs_f64() / alone.as_secs_f64());
        }
        ratios.sort_by(f64::total_cmp);
        println!(
            "a kernel beside a ring of {actors} actors without messages takes {:.3} times as long ({:.3} to {:.3})",
            ratios[3], ratios[0], ratios[6]
        );
    }
    Ok(())
}
