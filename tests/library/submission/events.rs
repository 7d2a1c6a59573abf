//! The events that an observer receives.

use std::time::Duration;

use anywarp::backend::Clock;
use anywarp::insight::scope;
use anywarp::{Device, DeviceOptions, Event, Observed, Wgsl};
use anywarp_null::NullOptions;

use anywarp_testing_devices::null_device::{ADD, open};

const LENGTH: usize = 64;
const BYTES: u64 = 4 * LENGTH as u64;

/// The kind of an event in one word.
fn kind(event: &Event) -> &'static str {
    match event {
        Event::Allocation { .. } => "allocation",
        Event::Free { .. } => "free",
        Event::Upload { .. } => "upload",
        Event::Download { .. } => "download",
        Event::CompileHit { .. } => "hit",
        Event::CompileMiss { .. } => "miss",
        Event::Record { .. } => "record",
        Event::Submission { .. } => "submission",
        Event::Command { .. } => "command",
        Event::Ended { .. } => "ended",
        Event::Wait { .. } => "wait",
        Event::HostCopy { .. } => "copy",
        Event::Scope { .. } => "scope",
        Event::Loss { .. } => "loss",
        other => panic!("{other:?} is new"),
    }
}

fn kinds(observed: &[Observed]) -> Vec<&'static str> {
    observed.iter().map(|observed| kind(&observed.event)).collect()
}

fn launch(device: &Device, times: usize) -> anywarp::Result<()> {
    let kernel = device.kernel(Wgsl::new(ADD).file("add.wgsl"))?;
    let (x, mut y) = (device.buffer_from(&[1u32; LENGTH])?, device.buffer::<u32>(LENGTH)?);
    for _ in 0..times {
        kernel.launch().bind("x", &x).bind("y", &mut y).threads(LENGTH)?;
    }
    device.synchronize()
}

#[test]
fn each_step_of_a_run_is_observed_in_order() -> anywarp::Result<()> {
    let (device, ..) = open(&NullOptions::staged());
    let observer = device.observe();
    let seen = || {
        let observed = observer.take();
        assert!(observed.is_sorted_by_key(|observed| observed.at), "{observed:?}");
        observed
    };
    let (x, mut y) = (device.buffer_from(&[1u32; LENGTH])?, device.buffer::<u32>(LENGTH)?);
    let allocated = seen();
    assert_eq!(kinds(&allocated), ["allocation", "copy", "allocation"]);
    assert!(matches!(allocated[1].event, Event::HostCopy { bytes: BYTES, to_buffer: true, .. }));
    assert!(matches!(allocated[2].event, Event::Allocation { bytes: BYTES, live } if live == 2 * BYTES));

    let kernel = device.kernel(Wgsl::new(ADD).file("add.wgsl"))?;
    assert_eq!(kinds(&seen()), ["miss"]);
    let compiled = device.kernel(Wgsl::new(ADD).file("add.wgsl"))?;
    let hit = seen();
    assert!(matches!(&hit[..], [Observed { event: Event::CompileHit { kernel }, .. }] if **kernel == *compiled.name()));

    let submission = kernel.launch().bind("x", &x).bind("y", &mut y).threads(LENGTH)?;
    let launched = seen();
    let uploads = launched.iter().filter(|observed| kind(&observed.event) == "upload").count();
    assert_eq!(kinds(&launched).last(), Some(&"record"), "uploads come before the launch");
    assert_eq!(uploads, launched.len() - 1);
    assert!(launched.iter().any(|observed| matches!(observed.event, Event::Upload { bytes: BYTES })));

    device.submit()?;
    let handed_over = seen();
    // The null device has done the work when the submission returns.
    assert_eq!(kinds(&handed_over), ["submission", "ended", "command"]);
    let Event::Submission { stream: 0, commands, number, .. } = handed_over[0].event else { panic!("{handed_over:?}") };
    assert_eq!(commands, uploads + 1);
    assert!(matches!(handed_over[1].event, Event::Ended { number: ended } if ended == number));

    submission.wait()?;
    assert_eq!(kinds(&seen()), ["wait"]);
    y.read()?;
    let read = seen();
    assert!(matches!(read[0].event, Event::Download { bytes: BYTES }), "{read:?}");
    assert_eq!(kind(&read[1].event), "submission");
    let mut elements = [0u32; LENGTH];
    y.copy_to_slice(&mut elements)?;
    assert!(matches!(seen()[..], [Observed { event: Event::HostCopy { bytes: BYTES, to_buffer: false, .. }, .. }]));
    device.synchronize()?;
    assert!(kinds(&seen()).contains(&"wait"));
    drop(x);
    let freed = seen();
    assert!(matches!(freed[..], [Observed { event: Event::Free { bytes: BYTES, live: BYTES }, .. }]), "{freed:?}");
    assert_eq!(observer.dropped(), 0);
    Ok(())
}

#[test]
fn commands_have_times() -> anywarp::Result<()> {
    let device = Device::open("cpu")?;
    let observer = device.observe();
    launch(&device, 3)?;
    let observed = observer.take();
    let mut last = Duration::ZERO;
    let mut commands = 0;
    for observed in &observed {
        let Event::Command { label, start, end, clock, .. } = &observed.event else { continue };
        assert_eq!((&**label, *clock), ("add.wgsl:add", Clock::Device));
        assert!(last <= *start && start <= end, "{observed:?}");
        last = *end;
        commands += 1;
    }
    assert_eq!(commands, 3, "{observed:?}");
    assert!(last > Duration::ZERO);
    Ok(())
}

#[test]
fn without_an_observer_nothing_is_observed_or_timed() -> anywarp::Result<()> {
    let (device, ..) = open(&NullOptions::staged());
    let (x, mut y) = (device.buffer::<u32>(LENGTH)?, device.buffer::<u32>(LENGTH)?);
    let kernel = device.kernel(ADD)?;
    let mut timed = || -> anywarp::Result<bool> {
        let submission = kernel.launch().bind("x", &x).bind("y", &mut y).threads(LENGTH)?;
        submission.wait()?;
        Ok(submission.timings().is_some())
    };
    assert!(!timed()?, "without an observer");
    let (first, second) = (device.observe(), device.observe());
    assert!(timed()?, "with two observers");
    drop(first);
    assert!(timed()?, "with one observer");
    assert_eq!(kinds(&second.take()).iter().filter(|kind| **kind == "record").count(), 2);
    drop(second);
    assert!(!timed()?, "after the last observer is dropped");
    let third = device.observe();
    assert_eq!(kinds(&third.take()), [""; 0], "earlier events");
    Ok(())
}

#[test]
fn the_loss_of_the_device_is_observed_once() -> anywarp::Result<()> {
    let (device, faulty, _) = open(&NullOptions::staged());
    let observer = device.observe();
    faulty.lose("unplugged");
    assert!(device.buffer::<u32>(LENGTH).is_err());
    assert!(device.synchronize().is_err());
    assert!(device.buffer::<u32>(LENGTH).is_err());
    let observed = observer.take();
    let losses: Vec<_> = observed.iter().filter(|observed| kind(&observed.event) == "loss").collect();
    assert_eq!(losses.len(), 1, "{observed:?}");
    assert!(matches!(&losses[0].event, Event::Loss { error } if error.to_string().contains("unplugged")));
    Ok(())
}

#[test]
fn scopes_end_in_order_on_their_threads() -> anywarp::Result<()> {
    let (device, ..) = open(&NullOptions::staged());
    drop(scope(&device, "before"));
    let observer = device.observe();
    let outer = scope(&device, "outer");
    drop(scope(&device, "inner"));
    let moved = std::thread::scope(|threads| threads.spawn(|| scope(&device, "moved")).join().unwrap());
    drop(outer);
    drop(moved);
    let observed = observer.take();
    let scopes: Vec<(&str, u32, Duration, Duration)> = observed
        .iter()
        .map(|observed| match &observed.event {
            Event::Scope { name, took } => (&**name, observed.thread, observed.at.saturating_sub(*took), observed.at),
            other => panic!("{other:?}"),
        })
        .collect();
    let [("inner", here, start, end), ("outer", outer_on, outer_start, outer_end), ("moved", there, ..)] = scopes[..]
    else {
        panic!("{scopes:?}")
    };
    assert!(outer_start <= start && start <= end && end <= outer_end, "{scopes:?}");
    assert!(here == outer_on && here != there, "{scopes:?}");
    Ok(())
}

#[test]
fn a_read_that_waits_is_a_wait() -> anywarp::Result<()> {
    let device = Device::open("cpu")?;
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
         @compute @workgroup_size(64) fn long(@builtin(global_invocation_id) id: vec3u) {
             var sum = x[id.x];
             for (var k = 0u; k < 200000u; k++) { sum = sum * 3u + k; }
             x[id.x] = sum;
         }",
    )?;
    let mut x = device.buffer_from(&[1u32; 1024])?;
    let observer = device.observe();
    kernel.launch().bind("x", &mut x).threads(1024)?;
    x.read()?;
    let observed = observer.take();
    let waits = observed.iter().filter(|observed| matches!(observed.event, Event::Wait { took } if !took.is_zero()));
    assert_eq!(waits.count(), 1, "{observed:?}");
    Ok(())
}

#[test]
fn commands_of_a_timed_recording_have_times_in_order() -> anywarp::Result<()> {
    for selector in ["cpu", "vulkan"] {
        let options = DeviceOptions::default().selector(selector).staged(true);
        let Ok(device) = Device::open_with(&options) else {
            println!("{selector}: skipped: there is no such device");
            continue;
        };
        let kernel = device.kernel(Wgsl::new(ADD).file("add.wgsl"))?;
        // Twice, as backends reuse what they time with.
        for round in 0..2 {
            let (x, mut y) = (device.buffer_from(&[1u32; LENGTH])?, device.buffer::<u32>(LENGTH)?);
            let observer = device.observe();
            y.fill(3)?;
            for _ in 0..3 {
                kernel.launch().bind("x", &x).bind("y", &mut y).threads(LENGTH)?;
            }
            y.read()?;
            device.synchronize()?;
            let observed = observer.take();
            let mut times: Vec<(Duration, Duration, &str)> = observed
                .iter()
                .filter_map(|observed| match &observed.event {
                    Event::Command { label, workgroups: Some(1), start, end, clock: Clock::Device, .. } => {
                        assert_eq!(&**label, "add.wgsl:add");
                        Some((*start, *end, "launch"))
                    }
                    Event::Transfer { is_fill: true, bytes: BYTES, start, end, .. } => Some((*start, *end, "fill")),
                    Event::Transfer { is_fill: false, bytes: BYTES, start, end, .. } => Some((*start, *end, "copy")),
                    Event::Command { .. } | Event::Transfer { .. } => panic!("{observed:?}"),
                    _ => None,
                })
                .collect();
            times.sort();
            let kinds: Vec<&str> = times.iter().map(|(.., kind)| *kind).collect();
            assert_eq!(
                kinds,
                ["fill", "copy", "launch", "launch", "launch", "copy"],
                "{selector} {round}: {observed:?}"
            );
            assert!(times.is_sorted_by(|(_, end, _), (start, ..)| end <= start), "{selector} {round}: {times:?}");
        }
    }
    Ok(())
}
