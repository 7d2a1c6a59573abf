//! Diagnostics with positions in the author's own files.

use anywarp_backend::{Refused, Source};
use codespan_reporting::diagnostic::{Diagnostic, Label, LabelStyle};
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term;
use naga::front::wgsl::ParseError;
use naga::valid::ValidationError;
use naga::{Span, WithSpan};

use crate::TextError;
use crate::words::{self, Finding, Text};

/// Converts an error of naga's parser, with a position in the author's own file.
#[must_use]
pub fn of_parser(source: &Source, error: &ParseError) -> TextError {
    invalid(source, words::of_parser(Text::new(source), error))
}

/// Converts an error of the validator, with the module that it refused.
#[must_use]
pub fn of_refused(source: &Source, refused: &Refused) -> TextError {
    invalid(source, words::of_validator(Text::new(source), Some(&refused.module), &refused.error))
}

/// Converts an error of the validator without the module that it refused, so that the message cannot name types and
/// expressions.
#[must_use]
pub fn of_validator(source: &Source, error: &WithSpan<ValidationError>) -> TextError {
    invalid(source, words::of_validator(Text::new(source), None, error))
}

/// Formats a message with labelled spans of a text, in the form of Rust's diagnostics.
#[must_use]
pub fn at(source: &Source, message: &str, labels: Vec<(Span, String)>, notes: Vec<String>) -> String {
    let mut files = SimpleFiles::new();
    for file in source.files() {
        // Control characters are replaced, because they would garble the terminal.
        let text = file.text.replace(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t'), "\u{fffd}");
        files.add(file.name.as_str(), text);
    }
    let labels = labels.into_iter().enumerate().filter_map(|(index, (span, label))| {
        let (file, range) = source.origin_of(span.to_range()?)?;
        // The first span is that of the mistake; the other spans explain the mistake.
        let style = if index == 0 { LabelStyle::Primary } else { LabelStyle::Secondary };
        Some(Label::new(style, file, range).with_message(label))
    });
    let diagnostic = Diagnostic::error().with_message(message).with_labels(labels.collect()).with_notes(notes);
    // The files are in memory, so only an invalid span can make this fail.
    term::emit_into_string(&term::Config::default(), &files, &diagnostic)
        .unwrap_or_else(|_| format!("error: {message}\n"))
}

pub(crate) fn invalid(source: &Source, finding: Finding) -> TextError {
    let Finding { message, marks, help } = finding;
    let place = marks.iter().find_map(|(span, _)| source.spot(span.to_range()?));
    let notes = help.into_iter().map(|remedy| format!("help: {remedy}")).collect();
    let diagnostic = at(source, &message, marks, notes);
    TextError::Invalid { file: source.file().to_owned(), diagnostic, place }
}
