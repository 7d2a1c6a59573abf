//! The debug output of kernels is logged once, on every device, and is still available as values.

use std::sync::{Mutex, PoisonError};

use anywarp::{Device, Result, Wgsl};
use anywarp_testing::process::in_own_process;

/// The log lines with their levels, in order.
static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Listener;

impl log::Log for Listener {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.target() == "anywarp::debug"
    }

    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            let line = format!("{}: {}", record.level(), record.args());
            LOGGED.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        }
    }

    fn flush(&self) {}
}

fn logged() -> Vec<String> {
    let mut lines = std::mem::take(&mut *LOGGED.lock().unwrap_or_else(PoisonError::into_inner));
    lines.sort_unstable();
    lines
}

const TEXT: &str = "\
// anywarp:debug
fn debug(value: u32) {}

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    debug(id.x * 10);
}";

#[test]
fn each_line_is_logged_once_and_values_stay() {
    in_own_process(|| log_on_every_device().unwrap());
}

fn log_on_every_device() -> Result<()> {
    log::set_boxed_logger(Box::new(Listener)).expect("this process has no other logger");
    log::set_max_level(log::LevelFilter::Info);
    for candidate in Device::enumerate() {
        let device = Device::open(&candidate.selector)?;
        let selector = &candidate.selector;
        let kernel = device.kernel(Wgsl::new(TEXT).file("k.wgsl"))?;
        let both = ["INFO: k.wgsl:6: debug(value = 0) at [0, 0, 0]", "INFO: k.wgsl:6: debug(value = 10) at [1, 0, 0]"];

        kernel.launch().groups(1)?;
        assert_eq!(logged(), [""; 0], "{selector}: lines before the first wait");
        device.synchronize()?;
        assert_eq!(logged(), both, "{selector}");
        device.synchronize()?;
        assert_eq!(logged(), [""; 0], "{selector}: lines logged twice");

        kernel.launch().groups(1)?;
        pollster::block_on(device.synchronize_async())?;
        assert_eq!(logged(), both, "{selector}");

        kernel.launch().groups(1)?;
        assert_eq!(device.debug_output()?.lines.len(), 6, "{selector}: of three launches");
        assert_eq!(logged(), both, "{selector}");
        assert_eq!(device.debug_output()?.lines.len(), 0, "{selector}");

        // There are more calls than the debug memory holds: the log reports the number of missing calls.
        kernel.launch().groups(60_000)?;
        device.synchronize()?;
        let logged_lines = logged();
        let kept = device.debug_output()?;
        assert!(kept.dropped > 0 && kept.lines.len() + 1 == logged_lines.len(), "{selector}: {}", logged_lines.len());
        let lost = format!("WARN: {} calls were dropped: the debug memory is full", kept.dropped);
        assert!(logged_lines.contains(&lost), "{selector}: {lost}");
        assert_eq!(kept.lines.len() as u64 + kept.dropped, 120_000, "{selector}");
    }
    Ok(())
}
