//! Devices that run out of memory, refuse calls, are slow, or are lost, at any call of a program.

mod loss;
mod memory;
mod operators;
mod program;
mod ready_made;
mod refusals;
mod slowness;

use std::time::Duration;

use anywarp_null::NullOptions;
use anywarp_testing::hanging;
use program::{LAUNCHES, Machine};

/// The time after which a test is treated as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

fn both() -> [NullOptions; 2] {
    [NullOptions::staged(), NullOptions::unified()]
}

/// Runs `test` on its own thread, so that a hang is a failure.
fn without_hanging(test: impl FnOnce() + Send + 'static) {
    hanging::within(PATIENCE, test);
}

#[test]
fn the_program_works() {
    for options in both() {
        let machine = Machine::new(&options);
        machine.works();
        assert_eq!(machine.device.stats().counters.dispatches, LAUNCHES as u64 + 2);
        machine.close();
    }
}
