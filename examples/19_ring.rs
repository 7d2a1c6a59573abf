//! Actors that answer messages while they run: running statistics of 64 sensors, each an actor with a state of its own.
//!
//! `cargo run --release --example 19_ring -- [READINGS]`

use std::time::{Duration, Instant};

use anywarp::Device;
use bytemuck::{Pod, Zeroable};

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Reading {
    id: u32,
    x: f32,
}
anywarp::element!(Reading { id, x });

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Verdict {
    id: u32,
    z: f32,
    unusual: u32,
}
anywarp::element!(Verdict { id, z, unusual });

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Statistics {
    count: u32,
    mean: f32,
    squares: f32,
    unusual: u32,
}
anywarp::element!(Statistics { count, mean, squares, unusual });

const SENSORS: u32 = 64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let readings: u32 = std::env::args().nth(1).map(|text| text.parse()).transpose()?.unwrap_or(20_000);
    let device = Device::open_default()?;
    let ring = device.ring(include_str!("actors/statistics.wgsl"))?.actors(SENSORS).start()?;
    println!("{}: {} actors, {}", device.caps().name, ring.actors(), ring.mode());

    let start = Instant::now();
    let mut unusual = 0;
    for id in 0..readings {
        // Noise between 0 and 1, and a spike now and then.
        let noise = (id.wrapping_mul(0x9e37_79b9) >> 8) as f32 / (1 << 24) as f32;
        let x = if id % 5000 == 4999 { 50.0 } else { noise };
        let sensor = ring.actor(id % SENSORS);
        if id % 5000 == 4999 {
            let verdict: Verdict = sensor.ask(&Reading { id, x })?.wait()?;
            assert_eq!(verdict.id, id);
            unusual += verdict.unusual;
        } else {
            sensor.tell(&Reading { id, x })?;
        }
    }
    ring.drain(Duration::from_secs(60))?;
    let took = start.elapsed();

    let sensor: Statistics = ring.state(7)?;
    println!("sensor 7: {} readings, mean {:.3}, {} unusual", sensor.count, sensor.mean, sensor.unusual);
    let counts = ring.telemetry().total();
    assert_eq!(counts.handled, u64::from(readings));
    println!(
        "{} messages in {took:.2?}; half of them within {:?}, 99 of 100 within {:?}; {unusual} unusual readings",
        counts.handled,
        counts.latency.quantile(0.5),
        counts.latency.quantile(0.99),
    );
    println!("{:?}", ring.shutdown(Duration::from_secs(10))?.unanswered);
    Ok(())
}
