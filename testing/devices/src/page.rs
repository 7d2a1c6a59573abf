//! The report of a test program in a browser's page: cases run one after the other, and the page's `#results` element
//! receives the report line by line.
//!
//! `?filter=TEXT` in the page's address runs the cases whose name contains it.

use std::cell::RefCell;
use std::panic::PanicHookInfo;

use anywarp::backend::{BackendKind, Caps};
use anywarp::{Device, DeviceOptions};

use crate::outcome::{Stop, TestResult};
use crate::verdict::{Verdict, verdict};

thread_local! {
    /// The report, for the panic hook: a panic cannot be caught in a browser, and ends the page.
    static REPORT: RefCell<Report> = RefCell::new(Report::default());
}

/// Runs cases on the browser's device: `run` receives each one that the page's address selects. `line` describes the
/// device.
pub async fn run_all<C>(
    cases: impl Iterator<Item = (String, C)>,
    line: impl FnOnce(&Caps) -> String,
    run: impl AsyncFn(&Device, C) -> Verdict,
) {
    std::panic::set_hook(Box::new(panicked));
    let filter = filter();
    let all = cases.map(|(name, case)| (format!("webgpu::{name}"), case));
    let (wanted, others): (Vec<_>, Vec<_>) = all.partition(|(full, _)| full.contains(&filter));
    let width = wanted.iter().map(|(full, _)| full.len()).max().unwrap_or_default();
    print(&format!("\nrunning {} tests\n", wanted.len() + 1));
    report(|report| report.start(width, others.len()));

    report(|report| report.begin("webgpu::present"));
    let (opened, presence) = match open().await {
        Ok(opened) => (Some(opened), Verdict::Passed),
        Err(stop) => (None, verdict(Err(stop))),
    };
    report(|report| report.end(presence));
    if let Some(device) = opened {
        print(&format!("{}\n", line(device.caps())));
        for (full, case) in wanted {
            report(|report| report.begin(&full));
            let verdict = run(&device, case).await;
            report(|report| report.end(verdict));
        }
    }
    report(|report| report.summary());
}

/// The browser's device.
async fn open() -> TestResult<Device> {
    let device = Device::open_async(&DeviceOptions::default()).await?;
    let backend = device.caps().backend;
    if backend != BackendKind::WebGpu {
        return Err(Stop::Fail(format!("expected the backend webgpu in a browser, got {backend}")));
    }
    Ok(device)
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
