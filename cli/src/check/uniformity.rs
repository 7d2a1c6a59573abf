//! Barriers that not all invocations may reach, which browsers refuse.

use anywarp_backend::Source;
use anywarp_wgsl::filters::{self, Filters};
use anywarp_wgsl::guard::Room;
use anywarp_wgsl::uniformity::{Failure, Language, failures};
use anywarp_wgsl::{TextError, diagnostic, module};

use super::finding::{Finding, Severity};

/// What browsers say about the uniformity of a text of which an entry point passes. For devices that are not
/// browsers, which run it, all are warnings.
pub(super) fn findings(source: &Source, is_browser: bool) -> Vec<Finding> {
    let look = || -> Result<Vec<Finding>, TextError> {
        let module = module::parse(source)?;
        let failures = failures(source, &module, Language::required_by(source.text()));
        Ok(failures.iter().map(|failure| finding(source, failure, is_browser)).chain(conflict(source)).collect())
    };
    // What cannot be read has been told by then.
    Room::of_source(source).and_then(|room| room.run(look)).unwrap_or_default()
}

fn finding(source: &Source, failure: &Failure, is_browser: bool) -> Finding {
    let is_error = is_browser && failure.severity == filters::Severity::Error;
    let message = failure.message(source);
    // The first word is the severity, which every finding is given.
    let message = message.split_once(": ").map_or(message.as_str(), |(_, message)| message).trim_end().to_owned();
    let severity = if is_error { Severity::Error } else { Severity::Warning };
    Finding::of_text(source, failure.place(source), severity, message)
}

/// Two filters for the same range that disagree.
fn conflict(source: &Source) -> Option<Finding> {
    let ranges = Filters::of(source.text()).conflict()?;
    let labels = ranges.iter().map(|range| {
        let span = anywarp_backend::naga::Span::new(range.start as u32, range.end as u32);
        (span, "one of the two".to_owned())
    });
    let diagnostic = diagnostic::at(source, "two filters give one rule different severities", labels.collect(), vec![]);
    let message = diagnostic.trim_start_matches("error: ").trim_end().to_owned();
    Some(Finding::of_text(source, source.spot(ranges[1].clone()), Severity::Error, message))
}
