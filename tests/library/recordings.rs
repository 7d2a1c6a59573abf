//! The commands that a device receives, as text: one snapshot for each kind of transfer and launch.
//!
//! Memory 1 is the first buffer of a test, memory 2 the next; staging memory is numbered in the same sequence.

use std::sync::Arc;

use anywarp::{Device, UnifiedBuffer};
use anywarp_null::{NullBackend, NullOptions};
use anywarp_testing_devices::null_device::{ADD, open};
use insta::assert_snapshot;

const SAXPY: &str = include_str!("../../examples/shaders/saxpy.wgsl");

struct Recorded {
    null: Arc<NullBackend>,
    device: Device,
}

fn device(options: &NullOptions) -> Recorded {
    let (device, _, null) = open(options);
    Recorded { null, device }
}

impl Recorded {
    fn words(&self) -> UnifiedBuffer<u32> {
        self.device.buffer(64).expect("a null device makes buffers")
    }

    /// All submissions, and the device's counters, as text.
    fn text(&self) -> String {
        let mut text = String::new();
        for (index, submission) in self.null.submissions().iter().enumerate() {
            text.push_str(&format!("submission {index}\n{submission}"));
        }
        let counters = self.device.stats().counters;
        text.push_str(&format!("{} dispatches, {} barriers\n", counters.dispatches, counters.barriers));
        assert_eq!(self.null.misuse(), [""; 0]);
        text
    }
}

fn saxpy(on: &Recorded) -> anywarp::Result<()> {
    let kernel = on.device.kernel(SAXPY)?;
    let x = on.device.buffer_from(&[1.0f32; 256])?;
    let mut y = on.device.buffer_from(&[2.0f32; 256])?;
    kernel.launch().set("params.a", 3.0f32).bind("x", &x).bind("y", &mut y).threads(256)?;
    y.read()?;
    Ok(())
}

#[test]
fn saxpy_on_memory_of_its_own() -> anywarp::Result<()> {
    let on = device(&NullOptions::staged());
    saxpy(&on)?;
    assert_snapshot!(on.text());
    Ok(())
}

#[test]
fn saxpy_on_one_memory_copies_nothing() -> anywarp::Result<()> {
    let on = device(&NullOptions::unified());
    saxpy(&on)?;
    assert_snapshot!(on.text());
    Ok(())
}

#[test]
fn a_slice_that_was_written_is_all_that_is_uploaded() -> anywarp::Result<()> {
    let on = device(&NullOptions::staged());
    let add = on.device.kernel(ADD)?;
    let mut x = on.device.buffer_from(&[1u32; 1024])?;
    let mut y = on.device.buffer::<u32>(1024)?;
    add.launch().bind("x", &x).bind("y", &mut y).threads(1024)?;
    x.slice_mut(16..32).copy_from_slice(&[2; 16])?;
    add.launch().bind("x", &x).bind("y", &mut y).threads(1024)?;
    on.device.synchronize()?;
    assert_snapshot!(on.text());
    Ok(())
}

#[test]
fn launches_without_a_wait_are_submitted_together() -> anywarp::Result<()> {
    let on = device(&NullOptions::staged());
    let add = on.device.kernel(ADD)?;
    let (x, mut y, mut z) = (on.words(), on.words(), on.words());
    add.launch().bind("x", &x).bind("y", &mut y).threads(64)?;
    add.launch().bind("x", &x).bind("y", &mut z).threads(64)?;
    add.launch().bind("x", &y).bind("y", &mut z).threads(64)?;
    on.device.synchronize()?;
    on.device.synchronize()?;
    assert_eq!(on.device.stats().counters.submissions, 1);
    assert_snapshot!(on.text());
    Ok(())
}

#[test]
fn an_update_that_changes_nothing_uploads_nothing() -> anywarp::Result<()> {
    let on = device(&NullOptions::staged());
    let mut x = on.device.buffer::<u32>(64)?;
    let mut y = on.device.buffer::<u32>(64)?;
    assert_eq!(x.update()?[5], 0);
    y.copy_from(&x)?;
    x.update()?[5] = 1;
    y.copy_from(&x)?;
    on.device.synchronize()?;
    assert_snapshot!(on.text());
    Ok(())
}

#[test]
fn a_folded_grid_carries_its_logical_size() -> anywarp::Result<()> {
    let mut options = NullOptions::unified();
    options.limits.workgroups_per_dimension = 8;
    let on = device(&options);
    let add = on.device.kernel(ADD)?;
    let (x, mut y) = (on.words(), on.words());
    add.launch().bind("x", &x).bind("y", &mut y).groups(8)?;
    add.launch().bind("x", &x).bind("y", &mut y).groups(100)?;
    add.launch().bind("x", &x).bind("y", &mut y).groups([3, 20, 1])?;
    on.device.synchronize()?;
    assert_eq!(on.device.stats().counters.compilations, 2, "the folded variant is compiled once");
    assert_snapshot!(on.text());
    Ok(())
}

#[test]
fn fills_and_copies_stay_on_the_device() -> anywarp::Result<()> {
    let on = device(&NullOptions::staged());
    let mut words = on.device.buffer::<u32>(64)?;
    let mut bytes = on.device.buffer::<u8>(6)?;
    let mut pairs = on.device.buffer::<[u32; 2]>(64)?;
    words.fill(0x0102_0304)?;
    bytes.fill(7)?;
    pairs.fill([9, 9])?;
    pairs.slice_mut(8..16).fill([1, 2])?;
    let mut other = on.device.buffer::<u32>(64)?;
    other.copy_from(&words)?;
    let (mut left, right) = other.split_at_mut(32);
    left.slice_mut(0..8).copy_from(right.as_slice().slice(8..16))?;
    on.device.synchronize()?;
    pairs.copy_from(&on.device.buffer::<[u32; 2]>(64)?)?;
    on.device.synchronize()?;
    assert_eq!(*bytes.read()?, [7; 6]);
    assert_eq!(*other.read()?, [0x0102_0304; 64]);
    assert_snapshot!(on.text());
    Ok(())
}

#[test]
fn a_replay_uploads_what_changed_since_the_last_one() -> anywarp::Result<()> {
    let on = device(&NullOptions::staged());
    let add = on.device.kernel(ADD)?;
    let mut x = on.device.buffer_from(&[1u32; 64])?;
    let mut y = on.device.buffer::<u32>(64)?;
    let mut kept = on.device.recording();
    add.launch().bind("x", &x).bind("y", &mut y).record(&mut kept).threads(64)?;
    kept.copy(&y, x.slice_mut(..))?;
    kept.fill(y.slice_mut(0..8), 5)?;
    assert_eq!((kept.len(), kept.barriers()), (3, 2));
    assert_eq!(on.null.submissions(), [""; 0], "recording submits nothing");
    kept.submit()?.wait()?;
    kept.submit()?.wait()?;
    x.slice_mut(0..4).copy_from_slice(&[3; 4])?;
    kept.submit()?.wait()?;
    assert_snapshot!(format!("recorded\n{kept}{}", on.text()));
    Ok(())
}

#[test]
fn an_indirect_grid_is_read_by_the_launch() -> anywarp::Result<()> {
    let on = device(&NullOptions::staged());
    let add = on.device.kernel(ADD)?;
    let (x, mut y) = (on.words(), on.words());
    let grids = on.device.buffer_from(&[9u32, 9, 1, 2, 3])?;
    add.launch().bind("x", &x).bind("y", &mut y).indirect(&grids, 2)?;
    on.device.synchronize()?;
    assert_snapshot!(on.text());
    Ok(())
}

#[test]
fn immediates_travel_in_the_dispatch() -> anywarp::Result<()> {
    let on = device(&NullOptions::unified());
    let kernel = on.device.kernel(
        "struct Step { first: u32, factor: f32 }
         var<immediate> step: Step;
         @group(0) @binding(0) var<storage, read_write> y: array<f32>;
         @compute @workgroup_size(1) fn scale() { y[step.first] *= step.factor; }",
    )?;
    let mut y = on.device.buffer_from(&[1.0f32; 16])?;
    kernel.launch().set("step.first", 3u32).set("step.factor", 2.0f32).bind("y", &mut y).groups(1)?;
    on.device.synchronize()?;
    assert_snapshot!(on.text());
    Ok(())
}

#[test]
fn the_129th_launch_begins_a_new_submission() -> anywarp::Result<()> {
    let on = device(&NullOptions::unified());
    let add = on.device.kernel(ADD)?;
    let (x, mut y) = (on.words(), on.words());
    let mut submissions = Vec::new();
    for _ in 0..129 {
        add.launch().bind("x", &x).bind("y", &mut y).threads(64)?;
        submissions.push(on.device.stats().counters.submissions);
    }
    assert_eq!((submissions[126], submissions[128]), (0, 1));
    on.device.synchronize()?;
    let counters = on.device.stats().counters;
    assert_eq!((counters.submissions, counters.dispatches), (2, 129));
    assert_eq!(counters.barriers, 127, "each launch but the first of the 128 waits for the one before");
    Ok(())
}
