//! A stream of readings that is scored where it arrives: 63 actors send alerts to another actor, and full inboxes slow the
//! sender down.
//!
//! `cargo run --release --example 20_stream -- [READINGS]`

use std::time::{Duration, Instant};

use anywarp::Device;
use anywarp::ring::{Mode, Overflow, SendError};
use bytemuck::{Pod, Zeroable};

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Reading {
    sensor: u32,
    number: u32,
    x: f32,
}
anywarp::element!(Reading { sensor, number, x });

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Score {
    count: u32,
    mean: f32,
    squares: f32,
    refused: u32,
}
anywarp::element!(Score { count, mean, squares, refused });

const ACTORS: u32 = 64;
/// One reading in this many is unusual.
const UNUSUAL: u32 = 2500;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let readings: u32 = std::env::args().nth(1).map(|text| text.parse()).transpose()?.unwrap_or(50_000);
    let device = Device::open_default()?;
    for mode in [Mode::Persistent, Mode::Batched] {
        if mode == Mode::Batched || device.caps().persistent.is_some() {
            stream(&device, mode, readings)?;
        }
    }
    Ok(())
}

fn stream(device: &Device, mode: Mode, readings: u32) -> Result<(), Box<dyn std::error::Error>> {
    let ring = device.ring(include_str!("actors/alerts.wgsl"))?.actors(ACTORS).inbox(64);
    let ring = ring.overflow(Overflow::Reject).demand(mode).start()?;
    let start = Instant::now();
    let (mut full, mut unusual) = (0u64, 0);
    for number in 0..readings {
        // Noise between 0 and 1, and a spike now and then.
        let noise = (number.wrapping_mul(0x9e37_79b9) >> 8) as f32 / (1 << 24) as f32;
        let spike = number % UNUSUAL == UNUSUAL - 1;
        unusual += u32::from(spike);
        let sensor = 1 + number % (ACTORS - 1);
        let reading = Reading { sensor, number, x: if spike { 100.0 } else { noise } };
        // A full inbox is back-pressure: the source of the stream waits. `Overflow::Block` would do so by itself.
        loop {
            match ring.actor(sensor).tell(&reading) {
                Ok(()) => break,
                Err(SendError::Full { .. }) => {
                    full += 1;
                    std::thread::sleep(Duration::from_micros(20));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    ring.drain(Duration::from_secs(60))?;
    let took = start.elapsed();

    let alerts: Score = ring.state(0)?;
    let refused =
        (1..ACTORS).map(|actor| Ok(ring.state::<Score>(actor)?.refused)).sum::<Result<u32, anywarp::Error>>()?;
    let total = ring.telemetry().total();
    assert_eq!(total.handled, u64::from(readings));
    assert_eq!(alerts.count + refused, unusual, "alerts");
    println!(
        "{}, {mode}: {readings} readings in {took:.2?}, {} alerts, {refused} without room; {full} times an inbox was full, \
         at most {} messages waited",
        device.caps().name,
        alerts.count,
        total.high_water
    );
    ring.shutdown(Duration::from_secs(10))?;
    Ok(())
}
