//! The suite in a browser's page: every case on the browser's device, one after the other. The page's `#results`
//! element receives the report of a test program, line by line.
//!
//! `?filter=TEXT` in the page's address runs the cases whose name contains it.

use anywarp::backend::BackendKind;
use std::cell::RefCell;
use std::panic::PanicHookInfo;

use anywarp::backend::Caps;
use anywarp::{Device, DeviceOptions};
use wasm_bindgen_futures::spawn_local;

use crate::case_verdict::{case_verdict, device_line};
use crate::suite::cases;
use anywarp_testing_devices::outcome::{Stop, TestResult};
use anywarp_testing_devices::verdict::{Verdict, verdict};

thread_local! {
    /// The report, for the panic hook: a panic cannot be caught in a browser, and ends the page.
    static REPORT: RefCell<Report> = RefCell::new(Report::default());
}

/// Starts the suite, and returns while cases run.
pub(crate) fn run() {
    std::panic::set_hook(Box::new(panicked));
    spawn_local(run_all());
}

async fn run_all() {
    let filter = filter();
    let all = cases().map(|(name, case)| (format!("webgpu::{name}"), name, case));
    let (wanted, others): (Vec<_>, Vec<_>) = all.partition(|(full, ..)| full.contains(&filter));
    let width = wanted.iter().map(|(full, ..)| full.len()).max().unwrap_or_default();
    print(&format!("\nrunning {} tests\n", wanted.len() + 1));
    report(|report| report.start(width, others.len()));

    report(|report| report.begin("webgpu::present"));
    let (opened, presence) = match open().await {
        Ok(opened) => (Some(opened), Verdict::Passed),
        Err(stop) => (None, verdict(Err(stop))),
    };
    report(|report| report.end(presence));
    if let Some((device, hardware)) = opened {
        print(&format!("{}\n", device_line("webgpu", device.caps())));
        for (full, name, case) in wanted {
            report(|report| report.begin(&full));
            let verdict = case_verdict(case, &name, &device, &hardware).await;
            report(|report| report.end(verdict));
        }
    }
    report(|report| report.summary());
}

/// The browser's device, and its hardware's name.
async fn open() -> TestResult<(Device, String)> {
    let device = Device::open_async(&DeviceOptions::default()).await?;
    let Caps { name, driver, backend, .. } = device.caps();
    if *backend != BackendKind::WebGpu {
        return Err(Stop::Fail(format!("expected the backend webgpu in a browser, got {backend}")));
    }
    let hardware = format!("{name} {driver}");
    Ok((device, hardware))
}

/// The filter in the page's address; empty, which runs every case, if there is none.
fn filter() -> String {
    let query = web_sys::window().and_then(|window| window.location().search().ok()).unwrap_or_default();
    let parameters = web_sys::UrlSearchParams::new_with_str(&query).ok();
    parameters.and_then(|parameters| parameters.get("filter")).unwrap_or_default()
}

/// The cases that ran, and their outcomes.
#[derive(Default)]
struct Report {
    /// The length of the longest name.
    width: usize,
    filtered: usize,
    /// The time of the start, in milliseconds.
    started: f64,
    /// The name of the running case.
    current: String,
    passed: usize,
    ignored: usize,
    /// Names and messages of the failed cases.
    failures: Vec<(String, String)>,
}

impl Report {
    fn start(&mut self, width: usize, filtered: usize) {
        (self.width, self.filtered, self.started) = (width, filtered, js_sys::Date::now());
    }

    fn begin(&mut self, name: &str) {
        print(&format!("test {name:<0$} ... ", self.width));
        name.clone_into(&mut self.current);
    }

    fn end(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Passed => {
                self.passed += 1;
                print("ok\n");
            }
            Verdict::Ignored(reason) => {
                self.ignored += 1;
                print(&format!("ignored ({reason})\n"));
            }
            Verdict::Failed(message) => {
                self.failures.push((std::mem::take(&mut self.current), message));
                print("FAILED\n");
            }
        }
    }

    fn summary(&self) {
        if !self.failures.is_empty() {
            print("\nfailures:\n\n");
            for (name, message) in &self.failures {
                print(&format!("---- {name} ----\n{message}\n\n"));
            }
            print("\nfailures:\n");
            for (name, _) in &self.failures {
                print(&format!("    {name}\n"));
            }
        }
        print(&format!(
            "\ntest result: {}. {} passed; {} failed; {} ignored; 0 measured; {} filtered out; finished in {:.2}s\n\n",
            if self.failures.is_empty() { "ok" } else { "FAILED" },
            self.passed,
            self.failures.len(),
            self.ignored,
            self.filtered,
            (js_sys::Date::now() - self.started) / 1000.0
        ));
    }
}

fn report(change: impl FnOnce(&mut Report)) {
    REPORT.with_borrow_mut(change);
}

/// Reports the case that panicked as failed; no other case can run.
fn panicked(panic: &PanicHookInfo<'_>) {
    REPORT.with(|report| match report.try_borrow_mut() {
        Ok(mut report) => {
            report.end(Verdict::Failed(format!("{panic}\nlater cases did not run: a panic ends the page")));
            report.summary();
        }
        Err(_) => print(&format!("\n{panic}\ntest result: FAILED. The report itself panicked\n")),
    });
}

/// Appends text to the page.
fn print(text: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    let Some(results) = document.and_then(|document| document.get_element_by_id("results")) else { return };
    // Without this text the page has no result, which its reader treats as a failure.
    let _ = results.append_with_str_1(text);
}
