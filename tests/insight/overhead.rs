//! The cost of a timeline: the same work with and without one.

use std::time::Instant;

use anywarp::Device;
use anywarp::insight::{SpanKind, profile};

const DOUBLE: &str = "
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(256) fn double(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] = x[id.x] * 2u + 1u; }
";

const LAUNCHES: usize = 200;

/// Prints the time with a timeline, divided by that without: medians of interleaved runs on the default device.
#[test]
#[ignore = "a measurement"]
fn print_overhead() {
    let device = Device::open_default().unwrap();
    let kernel = device.kernel(DOUBLE).unwrap();
    for words in [1usize << 12, 1 << 18, 1 << 22, 1 << 26] {
        let mut x = device.buffer_from(&vec![1u32; words]).unwrap();
        let mut work = || {
            for _ in 0..LAUNCHES {
                kernel.launch().bind("x", &mut x).threads(words).unwrap();
            }
            device.synchronize().unwrap();
        };
        work();
        let (mut plain, mut profiled) = (Vec::new(), Vec::new());
        for _ in 0..15 {
            let start = Instant::now();
            work();
            plain.push(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let ((), timeline) = profile(&device, &mut work).unwrap();
            profiled.push(start.elapsed().as_secs_f64());
            assert_eq!(timeline.of_kind(SpanKind::Kernel).count(), LAUNCHES);
        }
        let median = |times: &mut Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        let (plain, profiled) = (median(&mut plain), median(&mut profiled));
        println!(
            "{}: {LAUNCHES} launches of {words} words: {:.1} us each, with a timeline {:.3} times as long",
            device.selector(),
            plain / LAUNCHES as f64 * 1e6,
            profiled / plain
        );
    }
}
