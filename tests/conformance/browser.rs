//! The suite in a browser's page: every case on the browser's device.

use anywarp_testing_devices::page::run_all;
use wasm_bindgen_futures::spawn_local;

use crate::case_verdict::{case_verdict, device_line};
use crate::suite::cases;

/// Starts the suite, and returns while cases run.
pub(crate) fn run() {
    let cases = cases().map(|(name, case)| (name.clone(), (name, case)));
    spawn_local(run_all(
        cases,
        |caps| device_line("webgpu", caps),
        async |device, (name, case)| {
            let hardware = format!("{} {}", device.caps().name, device.caps().driver);
            case_verdict(case, &name, device, &hardware).await
        },
    ));
}
