//! The outcome of a place: counts from the suite's output.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ALLOW_MISSING;
use crate::limited::Ended;
use crate::place::Place;

/// The start of the suite's reason for an expected failure of a driver.
const KNOWN: &str = "fails, as is known";

/// The outcome of a place.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The suite ran to its end.
    Ran(Report),
    /// The suite could not be started, because this requirement is missing.
    Missing(String),
    /// The suite started and did not reach its end, for this reason; with the log.
    Broken(String, PathBuf),
}

/// The results of a suite that ran to its end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// The names of device and driver.
    pub(crate) device: String,
    /// Optional WGSL features of the device.
    pub(crate) features: Vec<String>,
    /// Tests that passed.
    pub(crate) passed: usize,
    /// Tests that failed.
    pub(crate) failed: usize,
    /// Tests that could not run on the device; the log has the reasons.
    pub(crate) skipped: usize,
    /// Tests in the list of known failures that failed.
    pub(crate) known: usize,
    /// The run time in whole seconds, without building.
    pub(crate) seconds: u64,
    /// The results of other programs that ran beside the suite; empty if there were none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) also: String,
    /// The names of the failed tests.
    #[serde(skip)]
    pub(crate) failures: Vec<String>,
}

impl Report {
    pub(crate) fn total(&self) -> usize {
        self.passed + self.failed + self.skipped + self.known
    }
}

impl Outcome {
    /// The outcome of a suite that ran with a time limit, with its output in `log`.
    pub(crate) fn of(place: &Place, ended: &Ended, log: &Path) -> Self {
        match ended {
            Ended::NotStarted(why) => Self::Missing(why.clone()),
            Ended::Hung(limit) => {
                Self::Broken(format!("not finished after {} s, ended by its process id", limit.as_secs()), log.into())
            }
            Ended::Status { code, seconds } => {
                let text = std::fs::read_to_string(log).unwrap_or_default();
                match Self::of_log(place, &text, log) {
                    Self::Ran(report) if *code != Some(0) && report.failed == 0 => {
                        let code = code.map_or("a signal".to_owned(), |code| format!("status {code}"));
                        Self::Broken(format!("no test failed, but the suite ended with {code}"), log.into())
                    }
                    Self::Ran(report) => Self::Ran(Report { seconds: *seconds, ..report }),
                    other => other,
                }
            }
        }
    }

    /// The outcome that a log shows.
    pub(crate) fn of_log(place: &Place, text: &str, log: &Path) -> Self {
        let (device, features) = described(place, text);
        let mut report = Report { device, features, ..Report::default() };
        let ran = verdicts(text).filter(|(test, _)| place.owns(test));
        for (test, verdict) in ran {
            match verdict {
                "ok" => report.passed += 1,
                verdict if verdict.starts_with("ignored") && verdict.contains(KNOWN) => report.known += 1,
                verdict if verdict.starts_with("ignored") => report.skipped += 1,
                _ => {
                    report.failed += 1;
                    report.failures.push(test.to_owned());
                }
            }
        }
        let Some(end) = text.lines().rfind(|line| line.starts_with("test result:")) else {
            return Self::Broken(format!("the suite did not reach its end ({} tests did)", report.total()), log.into());
        };
        report.seconds = seconds(end);
        if report.passed == 0 && report.failed == 0 {
            return Self::Broken(format!("no test ran on a device '{}'", place.device), log.into());
        }
        Self::Ran(report)
    }

    /// Whether the outcome is a success.
    pub(crate) fn is_well(&self, allow_missing: bool) -> bool {
        match self {
            Self::Ran(report) => report.failed == 0,
            Self::Missing(_) => allow_missing,
            Self::Broken(..) => false,
        }
    }

    /// The outcome in one line.
    pub(crate) fn line(&self, allow_missing: bool) -> String {
        match self {
            Self::Ran(report) => {
                let Report { device, passed, failed, skipped, known, seconds, failures, also, .. } = report;
                let verdict = if *failed == 0 { "passed" } else { "FAILED" };
                let first = failures.first().map(|first| format!("; first failure: {first}")).unwrap_or_default();
                format!(
                    "{verdict}: {passed} passed, {failed} failed, {skipped} skipped, {known} known failures \
                     ({device}; {seconds} s){first}{}{also}",
                    if also.is_empty() { "" } else { "; " }
                )
            }
            Self::Missing(what) if allow_missing => format!("skipped: {what}"),
            Self::Missing(what) => format!("FAILED: {what} (set {ALLOW_MISSING}=1 to skip)"),
            Self::Broken(why, log) => format!("FAILED: {why}; log: {}", log.display()),
        }
    }
}

/// The time in the suite's last line, `test result: ok. 1 passed; finished in 61.72s`, in whole seconds, rounded up.
fn seconds(line: &str) -> u64 {
    let time = line.split_once("finished in ").and_then(|(_, time)| time.trim().strip_suffix('s'));
    let seconds = time.and_then(|time| Duration::try_from_secs_f64(time.parse().ok()?).ok()).unwrap_or_default();
    seconds.as_secs() + u64::from(seconds.subsec_nanos() > 0)
}

/// The names of all tests and their verdicts. With one thread, the harness prints a name before the test runs, so what
/// the test prints stands between the name and the verdict.
fn verdicts(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut started = None;
    text.lines().filter_map(move |line| match verdict(line) {
        Some((test, "")) => {
            started = Some(test);
            None
        }
        None if line == "ok" || line == "FAILED" || line.starts_with("ignored") => Some((started.take()?, line)),
        found => found,
    })
}

/// A test's name and its verdict, from a line such as `test cpu::buffer::fill ... ok`.
fn verdict(line: &str) -> Option<(&str, &str)> {
    let (name, verdict) = line.strip_prefix("test ")?.split_once(" ... ")?;
    Some((name.trim(), verdict.trim()))
}

/// Device and features, from a line such as `device cpu: AMD EPYC, cranelift; features: f16 i64`.
fn described(place: &Place, text: &str) -> (String, Vec<String>) {
    let line = text.lines().filter_map(|line| line.strip_prefix("device ")?.split_once(": ")).find(|(target, _)| {
        // The name of a possible test on the target.
        place.owns(&format!("{target}::"))
    });
    let Some((_, description)) = line else { return ("unknown device".to_owned(), Vec::new()) };
    let (device, features) = description.split_once("; features:").unwrap_or((description, ""));
    (device.trim().to_owned(), features.split_whitespace().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::named;

    const LOG: &str = "
device cpu: A processor, cranelift 1; features: f16 i64
device vulkan: llvmpipe, Mesa; features:

running 6 tests
test cpu::buffer::fill            ... ok
test cpu-staged::buffer::fill     ... ok
test vulkan::buffer::fill         ... FAILED
test cpu::kernel::f16             ... ignored, the device has no f16
test cpu::kernel::odd             ... ignored, fails, as is known: a driver
test vulkan::kernel::f16          ... ok

test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.10s
";

    fn report(place: &str, text: &str) -> Report {
        match Outcome::of_log(named(place).expect("a place"), text, Path::new("log")) {
            Outcome::Ran(report) => report,
            other => panic!("{}", other.line(false)),
        }
    }

    #[test]
    fn each_place_counts_its_own_tests() {
        let cpu = report("cpu", LOG);
        assert_eq!((cpu.passed, cpu.failed, cpu.skipped, cpu.known), (2, 0, 1, 1));
        assert_eq!(cpu.device, "A processor, cranelift 1");
        assert_eq!(cpu.features, ["f16", "i64"]);
        assert_eq!(cpu.seconds, 1);
        assert_eq!(seconds("test result: ok. 1 passed; finished in 61.72s"), 62);
        let vulkan = report("vulkan-lavapipe", LOG);
        assert_eq!((vulkan.passed, vulkan.failed, vulkan.total()), (1, 1, 2));
        assert_eq!(vulkan.failures, ["vulkan::buffer::fill"]);
        assert_eq!(vulkan.features, [""; 0]);
    }

    #[test]
    fn a_verdict_may_follow_what_the_test_prints() {
        let log = "test cpu::wakers ... \nthread 'ring' panicked\nok\ntest cpu::echo ... \nwrong\nFAILED
test cpu::order ... ok\ntest result: FAILED. 2 passed; finished in 0.10s\n";
        let cpu = report("cpu", log);
        assert_eq!((cpu.passed, cpu.failures), (2, vec!["cpu::echo".to_owned()]));
    }

    #[test]
    fn one_failure_fails_its_place() {
        let outcome = Outcome::Ran(report("vulkan-lavapipe", LOG));
        assert!(!outcome.is_well(true));
        assert!(outcome.line(false).starts_with("FAILED: 1 passed, 1 failed, 0 skipped"), "{}", outcome.line(false));
        assert!(outcome.line(false).contains("first failure: vulkan::buffer::fill"), "{}", outcome.line(false));
    }

    #[test]
    fn a_suite_that_stopped_half_way_is_broken() {
        let half = LOG.split("test result").next().expect("the first half");
        let outcome = Outcome::of_log(named("cpu").expect("a place"), half, Path::new("here/cpu.log"));
        assert!(matches!(outcome, Outcome::Broken(..)), "{}", outcome.line(false));
        assert!(outcome.line(false).contains("here/cpu.log"), "{}", outcome.line(false));
    }

    #[test]
    fn no_device_is_broken() {
        let outcome = Outcome::of_log(named("dx12").expect("a place"), LOG, Path::new("log"));
        assert!(outcome.line(false).contains("no test ran on a device 'dx12'"), "{}", outcome.line(false));
        assert!(!outcome.is_well(true));
    }

    #[test]
    fn a_missing_requirement_fails_unless_allowed() {
        let outcome = Outcome::of(
            named("dx12").expect("a place"),
            &Ended::NotStarted("wine64 cannot be installed".to_owned()),
            Path::new("log"),
        );
        assert_eq!(outcome.line(true), "skipped: wine64 cannot be installed");
        assert!(outcome.line(false).starts_with("FAILED: wine64 cannot be installed"), "{}", outcome.line(false));
        assert!(outcome.is_well(true) && !outcome.is_well(false));
    }

    #[test]
    fn a_hung_suite_fails_and_names_its_log() {
        let outcome = Outcome::of(
            named("webgpu").expect("a place"),
            &Ended::Hung(Duration::from_secs(9)),
            Path::new("here/webgpu.log"),
        );
        assert_eq!(
            outcome.line(false),
            "FAILED: not finished after 9 s, ended by its process id; log: here/webgpu.log"
        );
        assert!(!outcome.is_well(true));
    }
}
