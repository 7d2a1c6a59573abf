//! The cases as a test program: on every device of this machine, with the command line of libtest.

use std::process::ExitCode;

use anywarp::backend::BackendKind;
use anywarp::ring::Mode;
use anywarp_testing_devices::targets::{required, targets};
use anywarp_testing_devices::trial::{on_device, presence};
use libtest_mimic::{Arguments, Trial};

use crate::here::set_blocks;
use crate::{CASES, Place};

/// Runs the cases that the arguments select.
pub(crate) fn run() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = required().into_iter().map(presence).collect();
    for target in targets() {
        let cpu = target.caps.backend == BackendKind::Cpu;
        let modes = [
            (Mode::Persistent, true, "persistent"),
            (Mode::Batched, true, "batched"),
            // The host's side of both ways of waiting is the same on each device.
            (Mode::Persistent, false, "persistent_awaited"),
            (Mode::Batched, false, "batched_awaited"),
        ];
        // With separate memory, submissions copy messages; a resident kernel shares memory with the host.
        let has = |mode| mode == Mode::Batched || (target.caps.persistent.is_some() && !target.is_staged());
        for (mode, blocks, named) in modes.into_iter().filter(|(mode, blocks, _)| has(*mode) && (*blocks || cpu)) {
            let cases = CASES.iter().copied().flatten();
            trials.extend(cases.map(|(name, run)| {
                on_device(&target, &format!("{named}::{name}"), move |device| {
                    set_blocks(blocks);
                    pollster::block_on(run(Place { device, mode }))
                })
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
