//! Rules of WGSL that browsers check and naga does not: uniformity, and others.

use anywarp_backend::Source;
use anywarp_backend::naga::Span;
use anywarp_wgsl::filters::{self, Filters};
use anywarp_wgsl::guard::Room;
use anywarp_wgsl::rules::{Breach, breaches};
use anywarp_wgsl::uniformity::{Failure, Language, failures};
use anywarp_wgsl::{TextError, diagnostic, module};

use super::finding::{Finding, Severity};

/// The rules that browsers check and that `source` breaks, at least one entry point of which passes. The findings are
/// warnings for other devices, which run the text nevertheless.
pub(super) fn findings(source: &Source, is_browser: bool) -> Vec<Finding> {
    let severity = if is_browser { Severity::Error } else { Severity::Warning };
    let look = || -> Result<Vec<Finding>, TextError> {
        let module = module::parse(source)?;
        let breaches = breaches(source, &module);
        let breaches = breaches.iter().map(|breach| of_breach(source, breach, severity));
        let failures = failures(source, &module, Language::required_by(source.text()));
        let failures = failures.iter().map(|failure| of_failure(source, failure, severity));
        Ok(breaches.chain(failures).chain(conflict(source, severity)).collect())
    };
    // A text that cannot be parsed has a finding already.
    Room::of_source(source).and_then(|room| room.run(look)).unwrap_or_default()
}

fn of_failure(source: &Source, failure: &Failure, severity: Severity) -> Finding {
    let severity = if failure.severity == filters::Severity::Error { severity } else { Severity::Warning };
    Finding::of_text(source, failure.spot(source), severity, without_severity(&failure.message(source)))
}

fn of_breach(source: &Source, breach: &Breach, severity: Severity) -> Finding {
    let place = breach.at.to_range().and_then(|range| source.spot(range));
    Finding::of_text(source, place, severity, without_severity(&breach.diagnostic(source)))
}

/// Two filters for the same range with different severities.
fn conflict(source: &Source, severity: Severity) -> Option<Finding> {
    let ranges = Filters::of(source.text()).conflict()?;
    let label =
        |range: &std::ops::Range<usize>| (Span::new(range.start as u32, range.end as u32), "one of the two".to_owned());
    let message = "two filters give one rule different severities at the same position";
    let diagnostic = diagnostic::at(source, message, ranges.iter().map(label).collect(), Vec::new());
    Some(Finding::of_text(source, source.spot(ranges[1].clone()), severity, without_severity(&diagnostic)))
}

/// Removes the severity from a diagnostic: every finding adds its own.
fn without_severity(diagnostic: &str) -> String {
    diagnostic.split_once(": ").map_or(diagnostic, |(_, message)| message).trim_end().to_owned()
}
