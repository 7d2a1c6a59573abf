//! Errors of a composition, with the lines of the author's files.

use std::ops::Range;

use anywarp_backend::{Piece, Source, SourceFile};
use naga::Span;

use crate::{TextError, diagnostic};

/// The maximum number of names in a message.
const MAX_NAMES: usize = 16;

/// An error at one range of a file.
pub(super) fn at(file: &SourceFile, range: Range<usize>, message: &str, label: &str, notes: &[String]) -> TextError {
    between(&[(file, range, label)], message, notes)
}

/// An error about ranges of several files. The first range is the position of the error.
pub(super) fn between(places: &[(&SourceFile, Range<usize>, &str)], message: &str, notes: &[String]) -> TextError {
    let (mut text, mut pieces, mut labels) = (String::new(), Vec::new(), Vec::new());
    for (index, (file, range, label)) in places.iter().enumerate() {
        let start = text.len();
        pieces.push(Piece { at: start, file: index, offset: 0, copied: true });
        text.push_str(&file.text);
        // A label needs at least one byte; at the end of a text, the label is on the last byte.
        let end = range.end.min(file.text.len());
        let begin = range.start.min(end.saturating_sub(1));
        labels.push((Span::new((start + begin) as u32, (start + end) as u32), (*label).to_owned()));
    }
    let files: Vec<SourceFile> = places.iter().map(|(file, ..)| (*file).clone()).collect();
    let source = Source::composed(files, text, pieces);
    let first = labels.first().and_then(|(span, _)| source.position(span.to_range()?.start));
    let (file, line) = first.map_or((String::new(), 1), |place| (place.file.to_owned(), place.line));
    TextError::Compose { file, line, diagnostic: diagnostic::at(&source, message, labels, notes.to_vec()) }
}

/// Sorted names for a message; at most [`MAX_NAMES`] of them, and the number of the others.
pub(super) fn list<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let mut names: Vec<String> = names.into_iter().map(|name| name.as_ref().to_owned()).collect();
    names.sort();
    let more = names.len().saturating_sub(MAX_NAMES);
    names.truncate(MAX_NAMES);
    match (names.is_empty(), more) {
        (true, _) => "nothing".to_owned(),
        (false, 0) => names.join(", "),
        (false, more) => format!("{} and {more} more", names.join(", ")),
    }
}
