//! Tuning of operators in the background, by a second handle of each device.

use std::time::{Duration, Instant};

use anywarp::Device;
use anywarp::ops::{self, Reason};
use anywarp::tune::{Background, Dropped, Mode, TunedCall};

use crate::outcome::{TestResult, ensure};
use crate::{Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 1] = [("tuning::background", background)];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

/// All candidates of a sort agree with the default, and the next sort uses the fastest one.
fn background(device: &Device) -> TestResult {
    // Cases run at the same time on one handle, which would leave no pauses.
    let caps = device.caps();
    let candidates = Device::enumerate();
    let own = candidates.iter().find(|other| other.caps.backend == caps.backend && other.caps.name == caps.name);
    let device = Device::open(own.map_or("", |own| &own.selector))?;
    let tuner = Background::new(&device).mode(Mode::Record).store(None).pause(Duration::from_millis(1));
    let tuner = tuner.budget(Duration::from_secs(3)).start()?;
    let mut keys = device.buffer_from(&(0..5000u32).map(|x| x.wrapping_mul(0x9E37_79B1)).collect::<Vec<_>>())?;
    ops::sort(&mut keys)?;
    device.synchronize()?;
    let began = Instant::now();
    while tuner.tuned().is_empty() {
        ensure(began.elapsed() < Duration::from_secs(120), || "no call is tuned".to_owned())?;
        std::thread::sleep(Duration::from_millis(5));
    }
    let tuned: Vec<TunedCall> = tuner.tuned();
    for operator in tuned.iter().flat_map(TunedCall::operators) {
        let mut dropped = operator.rows().iter().filter_map(|row| row.dropped.as_ref());
        let wrong = dropped.find(|dropped| !matches!(dropped, Dropped::Slow(_)));
        ensure(wrong.is_none(), || format!("{}: {wrong:?}", operator.operator()))?;
    }
    let sort = &tuned[0].operators()[0];
    let (again, decisions) = ops::decisions(|| ops::sort(&mut keys));
    again?;
    let taken = (decisions[0].reason, decisions[0].chosen.as_str());
    ensure(taken == (Reason::Kept, sort.chosen()), || format!("expected {}, got {taken:?}", sort.chosen()))
}
