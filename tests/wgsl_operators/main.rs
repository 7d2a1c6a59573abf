//! Every operator and built-in function of WGSL, on every device, compared with plain Rust.
//!
//! Arguments come from buffers, so that no compiler can evaluate the expressions. Devices are found at run time, and a
//! case's name starts with its device: `vulkan::builtins::f32::atan2`. A `cpu` device has to meet IEEE 754, others the
//! WGSL specification.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | required backends, such as `cpu,vulkan`; a missing one is a failure |

#[path = "suite.rs"]
mod operator_suite;

use std::process::ExitCode;
use std::sync::Arc;

use anywarp_testing_devices::driver_bugs::expected;
use anywarp_testing_devices::targets::{Target, devices, required};
use anywarp_testing_devices::trial::{failed, judged, presence};
use libtest_mimic::{Arguments, Trial};
use operator_suite::cases;
use operator_suite::table::Case;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let devices = devices();
    let required = required();
    if devices.is_empty() && required.is_empty() && !arguments.list {
        println!("no device found, so no case runs; set ANYWARP_REQUIRE=vulkan to make a missing device a failure");
    }
    let mut trials: Vec<Trial> = required.into_iter().map(presence).collect();
    for device in &devices {
        trials.extend(cases().map(|case| trial(device, case)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(target: &Arc<Target>, Case { name, run }: Case) -> Trial {
    let target = Arc::clone(target);
    Trial::ignorable_test(format!("{}::{name}", target.name), move || {
        let device = target.device().map_err(failed)?;
        let bug = expected("wgsl_operators", &name, device.caps().backend.name(), &target.hardware);
        judged(run(device), bug.map(|bug| (bug.name, bug.what)))
    })
}
