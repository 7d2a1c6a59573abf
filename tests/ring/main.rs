//! Rings on every device, in each mode that it has: `cpu::persistent::echo`, `vulkan::batched::echo`. On the processor, each
//! case runs a second time with calls that are awaited: `cpu::persistent_awaited::echo`.
//!
//! In a browser's page the same cases run on the browser's WebGPU device: see `here.rs`, `browser.rs` and `tools/browser`.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | required backends, such as `cpu,vulkan`; a missing one is a failure |

#[cfg(target_arch = "wasm32")]
mod browser;
mod card;
mod counts;
mod emit;
mod full;
mod here;
mod kinds;
mod lease;
mod life;
mod long;
mod mail;
mod many;
mod messages;
#[cfg(not(target_arch = "wasm32"))]
mod native;
mod priority;
mod pulse;
mod refusals;
mod replace;
mod restart;
mod tasks;
mod topic;

use std::future::Future;
use std::pin::Pin;

use anywarp::Device;
use anywarp::backend::BackendKind;
use anywarp::ring::{Mode, Ring, RingBuilder};
use anywarp_testing_devices::outcome::{self, TestResult};

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

/// A case that has started.
type Running<'a> = Pin<Box<dyn Future<Output = TestResult> + 'a>>;

/// A named case, for each mode of each device.
type Case = (&'static str, for<'a> fn(Place<'a>) -> Running<'a>);

/// A table of cases: `cases![echo, idle = |place| on_threads(place, idle)]` runs `echo(place)` and, under the name `idle`,
/// the call of the closure.
macro_rules! cases {
    (@run $place:ident $name:ident) => { $name($place) };
    (@run $place:ident $name:ident $run:expr) => { ($run)($place) };
    ($($name:ident $(= $run:expr)?),* $(,)?) => {
        &[$((stringify!($name), |place| Box::pin($crate::cases!(@run place $name $($run)?)))),*]
    };
}

pub(crate) use cases;

/// A case with threads, which block.
async fn on_threads(place: Place<'_>, case: fn(Place<'_>) -> TestResult) -> TestResult {
    if cfg!(target_arch = "wasm32") {
        return outcome::skip("WebAssembly has no threads in a browser's page");
    }
    case(place)
}

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
    tasks::CASES,
];

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    native::run()
}

#[cfg(target_arch = "wasm32")]
fn main() {
    browser::run();
}
