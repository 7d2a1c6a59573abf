//! Timelines of the steps of a loop.

use anywarp::Device;
use anywarp::insight::{Profiler, Schedule, SpanKind};

#[test]
fn a_loop_that_ends_early_has_the_steps_that_ended() {
    let device = Device::open("cpu").unwrap();
    let mut x = device.buffer_from(&[1u32; 64]).unwrap();
    let mut profiler = Profiler::start(&device, Schedule::new().skip(1).record(10)).unwrap();
    for value in 0..4 {
        x.fill(value).unwrap();
        assert!(profiler.step().unwrap().is_none(), "ten steps are one timeline");
    }
    let profile = profiler.finish().unwrap().expect("three steps were recorded");
    let steps = profile.of_kind(SpanKind::Scope).filter(|span| &*span.label == "step").count();
    assert_eq!(steps, 3, "{:?}", profile.spans);

    let skipping = Profiler::start(&device, Schedule::new().skip(1)).unwrap();
    assert!(skipping.finish().unwrap().is_none());
}
