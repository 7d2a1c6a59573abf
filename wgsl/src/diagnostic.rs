//! naga's diagnostics, pointing at the files that the author wrote.

use std::error::Error;

use anywarp_backend::{Source, Spot};
use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term;
use naga::front::wgsl::ParseError;
use naga::valid::ValidationError;
use naga::{Span, WithSpan};

use crate::TextError;

/// What the parser says.
#[must_use]
pub fn of_parser(source: &Source, error: &ParseError) -> TextError {
    let plain = || error.emit_to_string_with_path(source.text(), source.file());
    let labels = error.labels().map(|(span, label)| (span, label.to_owned())).collect();
    let notes = error.notes().map(|note| format!("note: {note}")).collect();
    let place = error.labels().find_map(|(span, _)| source.spot(span.to_range()?));
    invalid(source, plain, error.message(), labels, notes, place)
}

/// What the validator says.
#[must_use]
pub fn of_validator(source: &Source, error: &WithSpan<ValidationError>) -> TextError {
    let plain = || error.emit_to_string_with_path(source.text(), source.file());
    let labels = error.spans().map(|(span, label)| (*span, label.clone())).collect();
    // The whole function comes first; what is wrong in it is the shortest part.
    let spots = error.spans().filter_map(|(span, _)| source.spot(span.to_range()?));
    let place = spots.min_by_key(|spot| spot.width);
    let mut notes = Vec::new();
    let mut cause = error.as_inner().source();
    while let Some(next) = cause {
        notes.push(next.to_string());
        cause = next.source();
    }
    invalid(source, plain, &error.as_inner().to_string(), labels, notes, place)
}

/// What is wrong at some places of a text, in the words and the form of naga's own diagnostics.
#[must_use]
pub fn at(source: &Source, message: &str, labels: Vec<(Span, String)>, notes: Vec<String>) -> String {
    let mut files = SimpleFiles::new();
    for file in source.files() {
        // A control character would garble the terminal.
        let text = file.text.replace(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t'), "\u{fffd}");
        files.add(file.name.as_str(), text);
    }
    let labels = labels.into_iter().filter_map(|(span, label)| {
        let (file, range) = source.origin_of(span.to_range()?)?;
        Some(Label::primary(file, range).with_message(label))
    });
    let diagnostic = Diagnostic::error().with_message(message).with_labels(labels.collect()).with_notes(notes);
    // The files are at hand, so that nothing can fail but a place that is none.
    term::emit_into_string(&term::Config::default(), &files, &diagnostic)
        .unwrap_or_else(|_| format!("error: {message}\n"))
}

fn invalid(
    source: &Source,
    plain: impl Fn() -> String,
    message: &str,
    labels: Vec<(Span, String)>,
    notes: Vec<String>,
    place: Option<Spot>,
) -> TextError {
    let diagnostic = if source.is_plain() { plain() } else { at(source, message, labels, notes) };
    TextError::Invalid { file: source.file().to_owned(), diagnostic, place }
}
