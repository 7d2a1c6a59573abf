//! The results of programs that run beside the suite on a place.

use std::path::Path;

use crate::limited::Ended;
use crate::outcome::{Outcome, Report};

/// Adds the outcome of a test program beside the suite, whose cases name the place's device as those of the suite do.
/// Failed tests of it count as failures of the place.
pub(crate) fn with_tests(report: Report, title: &str, other: Outcome) -> Outcome {
    let Outcome::Ran(tests) = other else { return other };
    let mut counts = vec![format!("{} passed", tests.passed)];
    for (count, what) in [(tests.failed, "failed"), (tests.skipped, "skipped"), (tests.known, "known failures")] {
        if count > 0 {
            counts.push(format!("{count} {what}"));
        }
    }
    let mut report = with(report, &format!("{title}: {}", counts.join(", ")));
    report.failed += tests.failed;
    report.failures.extend(tests.failures);
    Outcome::Ran(report)
}

/// Adds the result of another program.
pub(crate) fn with(mut report: Report, result: &str) -> Report {
    if !report.also.is_empty() {
        report.also += "; ";
    }
    report.also += result;
    report
}

/// The counts in the last line of a program that succeeded.
pub(crate) fn last_line(ended: &Ended, log: &Path) -> Result<String, Outcome> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no output");
    match ended {
        Ended::Status { code: Some(0), .. } => Ok(counts(last)),
        ended => Err(Outcome::Broken(format!("{last} ({ended:?})"), log.into())),
    }
}

/// The counts of the harness's last line without its words: `5 passed, 1 skipped`.
fn counts(line: &str) -> String {
    let counts = line.strip_prefix("test result: ok. ").unwrap_or(line);
    let kept = counts.split([';', ',']).map(str::trim).filter(|part| {
        let count = part.split(' ').next().unwrap_or_default();
        count != "0" && count.bytes().all(|digit| digit.is_ascii_digit()) && !count.is_empty()
    });
    kept.filter(|part| !part.ends_with("measured") && !part.ends_with("filtered out")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_both_harnesses() {
        let line = "test result: ok. 172 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 9.54s";
        assert_eq!(counts(line), "172 passed, 1 ignored");
        assert_eq!(counts("345 passed, 0 failed, 12 skipped"), "345 passed, 12 skipped");
    }

    #[test]
    fn failed_tests_of_another_program_fail_the_place() {
        let suite = Report { passed: 5, also: "a tool ran".to_owned(), ..Report::default() };
        let rings =
            Report { passed: 3, failed: 1, skipped: 2, failures: vec!["cpu::echo".to_owned()], ..suite.clone() };
        let outcome = with_tests(suite, "rings", Outcome::Ran(rings));
        let line = outcome.line(false);
        assert!(line.starts_with("FAILED: 5 passed, 1 failed") && line.contains("cpu::echo"), "{line}");
        assert!(line.ends_with("; a tool ran; rings: 3 passed, 1 failed, 2 skipped"), "{line}");
    }

    #[test]
    fn a_program_that_fails_breaks_the_place() {
        let log = std::env::temp_dir().join(format!("anywarp-matrix-emulated-{}.log", std::process::id()));
        std::fs::write(&log, "line\n3 passed, 1 failed, 0 skipped\n").expect("the log");
        let ended = |code| Ended::Status { code: Some(code), seconds: 1 };
        let (good, bad) = (last_line(&ended(0), &log), last_line(&ended(1), &log));
        std::fs::remove_file(&log).expect("the log");
        assert!(good.is_ok_and(|counts| counts == "3 passed, 1 failed"));
        assert!(bad.is_err_and(|outcome| outcome.line(false).contains("3 passed, 1 failed")));
    }
}
