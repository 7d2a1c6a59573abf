//! Rings on every device, in each mode that it has: `cpu::persistent::echo`, `vulkan::batched::echo`.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | required backends, such as `cpu,vulkan`; a missing one is a failure |

mod card;
mod counts;
mod emit;
mod full;
mod kinds;
mod lease;
mod life;
mod long;
mod mail;
mod many;
mod messages;
mod priority;
mod pulse;
mod refusals;
mod replace;
mod restart;
mod topic;

use std::process::ExitCode;

use anywarp::Device;
use anywarp::backend::BackendKind;
use anywarp::ring::{Mode, Ring, RingBuilder};
use anywarp_testing_devices::outcome::{self, TestResult};
use anywarp_testing_devices::targets::{devices, required};
use anywarp_testing_devices::trial::{on_device, presence};
use libtest_mimic::{Arguments, Trial};

/// The device and the mode of a case.
#[derive(Clone, Copy)]
struct Place<'a> {
    device: &'a Device,
    mode: Mode,
}

impl Place<'_> {
    /// A ring of the mode, with the actor of this text.
    fn ring(&self, wgsl: &str) -> TestResult<RingBuilder> {
        Ok(self.device.ring(wgsl)?.demand(self.mode))
    }

    /// Skips a case of the kernel's text in batches where the device runs it resident, too: the text is the same.
    fn once(&self) -> TestResult {
        if self.mode == Mode::Batched && self.device.caps().persistent.is_some() {
            return outcome::skip("the resident kernel has the same text");
        }
        Ok(())
    }

    /// Skips a case of the kernel of GPUs that other devices than the CPU run in all cases.
    fn for_cpu(&self, reason: &str) -> TestResult {
        if self.device.caps().backend == BackendKind::Cpu { Ok(()) } else { outcome::skip(reason) }
    }

    /// Skips a case with arrays of more than 32 words under Wine, which gives every device of DirectX 12 this name. The
    /// compiler of HLSL takes 20 seconds for such a kernel.
    fn arrays_end(&self) -> TestResult {
        if self.device.caps().backend == BackendKind::Dx12 && self.device.caps().name.contains("GTX 470") {
            return outcome::skip("Wine's Direct3D on a software driver does not make this pipeline within minutes");
        }
        Ok(())
    }

    /// A ring of one actor.
    fn start(&self, wgsl: &str) -> TestResult<Ring> {
        Ok(self.ring(wgsl)?.start()?)
    }
}

/// A named case, for each mode of each device.
type Case = (&'static str, fn(Place<'_>) -> TestResult);

const CASES: &[&[Case]] = &[
    messages::CASES,
    mail::CASES,
    many::CASES,
    emit::CASES,
    counts::CASES,
    pulse::CASES,
    topic::CASES,
    kinds::CASES,
    long::CASES,
    full::CASES,
    priority::CASES,
    life::CASES,
    lease::CASES,
    restart::CASES,
    replace::CASES,
    card::CASES,
    refusals::CASES,
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = required().into_iter().map(presence).collect();
    for target in devices() {
        let modes = [(Mode::Persistent, "persistent"), (Mode::Batched, "batched")];
        let has = |mode| mode == Mode::Batched || target.caps.persistent.is_some();
        for (mode, named) in modes.into_iter().filter(|(mode, _)| has(*mode)) {
            let cases = CASES.iter().copied().flatten();
            trials.extend(cases.map(|(name, run)| {
                on_device(&target, &format!("{named}::{name}"), move |device| run(Place { device, mode }))
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
