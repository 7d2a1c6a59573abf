//! Generated WGSL that records which parts the caller wrote, so that errors show these parts.

use anywarp_backend::{Piece, Source, SourceFile};

use super::super::error::OperationError;
use crate::device::Device;
use crate::kernel::{Kernel, Wgsl};

/// A WGSL text under construction.
pub(crate) struct Text {
    text: String,
    parts: Vec<Part>,
}

/// A part of the text that the caller wrote.
struct Part {
    /// The offset in the whole text at which this part begins, in bytes.
    at: usize,
    text: String,
    /// The name of the caller's text in errors, such as `preamble`; empty for the text of the operation.
    what: &'static str,
}

impl Text {
    pub(crate) fn new() -> Self {
        Self { text: String::new(), parts: Vec::new() }
    }

    /// Appends generated lines.
    pub(crate) fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Appends lines of the caller unchanged.
    pub(crate) fn user(&mut self, what: &'static str, text: &str) {
        self.parts.push(Part { at: self.text.len(), text: text.to_owned(), what });
        self.line(text);
    }

    /// Appends the caller's statements; the last semicolon may be omitted.
    pub(crate) fn statements(&mut self, what: &'static str, text: &str) {
        let text = text.trim_end();
        let comment = text.lines().next_back().is_some_and(|last| last.contains("//"));
        match text.chars().next_back() {
            Some(';' | '}') | None => self.user(what, text),
            // A semicolon after a comment would be part of the comment.
            Some(_) if comment => self.user(what, &format!("{text}\n;")),
            Some(_) => self.user(what, &format!("{text};")),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Compiles the text. Errors show the caller's text, as a separate file.
    pub(crate) fn kernel(&self, device: &Device, file: &str) -> Result<Kernel, OperationError> {
        device.kernel(Wgsl::prepared(self.source(file))).map_err(OperationError::Kernel)
    }

    /// The text with the files that it was composed of; the first file is the generated one.
    pub(crate) fn source(&self, file: &str) -> Source {
        let mut files = vec![SourceFile { name: file.to_owned(), text: self.text.clone() }];
        let mut pieces = vec![Piece { at: 0, file: 0, offset: 0, copied: true }];
        for Part { at, text, what } in &self.parts {
            let name = if what.is_empty() { file.to_owned() } else { format!("{file}, {what}") };
            let end = at + text.len();
            pieces.push(Piece { at: *at, file: files.len(), offset: 0, copied: true });
            pieces.push(Piece { at: end, file: 0, offset: end, copied: true });
            files.push(SourceFile { name, text: text.clone() });
        }
        Source::composed(files, self.text.clone(), pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_caller_are_counted_from_one() {
        let mut text = Text::new();
        text.line("one\ntwo");
        text.user("preamble", "three\nfour");
        text.line("five");
        text.statements("", "six // why");
        assert!(text.as_str().ends_with("six // why\n;\n"));
        let source = text.source("k");
        for (line, wanted) in [
            (1, ("k", 1)),
            (3, ("k, preamble", 1)),
            (4, ("k, preamble", 2)),
            (5, ("k", 5)),
            (6, ("k", 1)),
            (7, ("k", 2)),
        ] {
            let place = source.position_of_line(line).map(|place| (place.file, place.line));
            assert_eq!(place, Some(wanted), "line {line}");
        }
    }
}
