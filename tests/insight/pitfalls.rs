//! Programs with a pitfall, and their twins without it, which do the same work.

use anywarp::insight::{Pitfall, Profile, profile};
use anywarp::{Device, UnifiedBuffer, Wgsl};

const STEPS: usize = 40;
const LENGTH: usize = 1 << 16;

const SCALE: &str = "
override factor: u32 = 3;
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64) fn scale(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] = x[id.x] * factor + 1u; }
";

/// Each workgroup works for several microseconds.
const LONG: &str = "
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64) fn long(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = x[id.x];
    for (var k = 0u; k < 4000u; k++) { sum = sum * 3u + k; }
    x[id.x] = sum;
}
";

fn timeline(device: &Device, work: impl FnOnce() -> anywarp::Result<()>) -> Profile {
    let (result, profile) = profile(device, work).unwrap();
    result.unwrap();
    profile
}

/// Asserts that the first program has the pitfall, and that its twin does not have it.
fn judge(pitfall: Pitfall, with: &Profile, without: &Profile) {
    let found = with.advice();
    let advice = found.iter().find(|advice| advice.pitfall == pitfall).unwrap_or_else(|| panic!("{found:?}"));
    assert!(!advice.cost.is_zero() && advice.cost <= with.duration(), "{advice}");
    let found = without.advice();
    assert!(found.iter().all(|advice| advice.pitfall != pitfall), "{found:?}");
}

#[test]
fn buffers_that_are_made_in_the_loop() {
    let device = Device::open("cpu").unwrap();
    let scale = device.kernel(SCALE).unwrap();
    let step = |x: &mut UnifiedBuffer<u32>| scale.launch().bind("x", x).threads(LENGTH).map(|_| ());
    let churn = timeline(&device, || {
        for _ in 0..STEPS {
            step(&mut device.buffer(LENGTH)?)?;
        }
        Ok(())
    });
    let once = timeline(&device, || {
        let mut x = device.buffer(LENGTH)?;
        for _ in 0..STEPS {
            x.fill(0)?;
            step(&mut x)?;
        }
        Ok(())
    });
    judge(Pitfall::AllocationChurn, &churn, &once);
}

#[test]
fn a_kernel_that_is_compiled_for_each_value() {
    let device = Device::open("cpu").unwrap();
    let mut x = device.buffer::<u32>(LENGTH).unwrap();
    let again = timeline(&device, || {
        for factor in 0..STEPS {
            let scale = device.kernel(Wgsl::new(SCALE).set_override("factor", factor as f64))?;
            scale.launch().bind("x", &mut x).threads(LENGTH)?;
        }
        Ok(())
    });
    let uniform = SCALE.replace("override factor: u32 = 3;", "@group(0) @binding(1) var<uniform> factor: u32;");
    let once = timeline(&device, || {
        let scale = device.kernel(uniform.as_str())?;
        for factor in 0..STEPS as u32 {
            scale.launch().bind("x", &mut x).set("factor", factor).threads(LENGTH)?;
        }
        Ok(())
    });
    judge(Pitfall::Recompilation, &again, &once);
}

#[test]
fn copies_of_memory_that_is_shared() {
    let device = Device::open("cpu").unwrap();
    assert!(device.caps().unified);
    let mut x = device.buffer::<u32>(LENGTH).unwrap();
    let mut elements = vec![0u32; LENGTH];
    let copied = timeline(&device, || {
        for step in 0..STEPS as u32 {
            elements.fill(step);
            x.copy_from_slice(&elements)?;
            x.copy_to_slice(&mut elements)?;
        }
        Ok(())
    });
    let in_place = timeline(&device, || {
        for step in 0..STEPS as u32 {
            x.write()?.fill(step);
            assert_eq!(x.read()?[LENGTH - 1], step);
        }
        Ok(())
    });
    judge(Pitfall::NeedlessCopies, &copied, &in_place);
}

#[test]
fn grids_that_do_not_fill_the_device() {
    let device = Device::open("cpu").unwrap();
    let long = device.kernel(LONG).unwrap();
    let mut x = device.buffer::<u32>(1 << 12).unwrap();
    let mut run = |workgroups: u32| {
        let profile = timeline(&device, || {
            for _ in 0..8 {
                long.launch().bind("x", &mut x).groups(workgroups)?;
            }
            Ok(())
        });
        // As on a device with sixteen, whatever this machine has.
        Profile { multiprocessors: Some(16), ..profile }
    };
    let (one_too_many, full) = (run(17), run(32));
    judge(Pitfall::UnevenGrid, &one_too_many, &full);
}

#[test]
fn reads_in_the_loop() {
    let device = Device::open("cpu").unwrap();
    let long = device.kernel(LONG).unwrap();
    let mut x = device.buffer::<u32>(1 << 12).unwrap();
    let mut run = |every: usize| {
        timeline(&device, || {
            for step in 0..STEPS {
                long.launch().bind("x", &mut x).threads(1 << 12)?;
                if step % every == 0 {
                    x.read()?;
                }
            }
            Ok(())
        })
    };
    let (each, few) = (run(1), run(10));
    judge(Pitfall::WaitsInTheLoop, &each, &few);
}
