//! Generated WGSL that knows which of its lines the caller wrote, so that errors show those.

use std::ops::Range;

use super::error::OperationError;
use crate::error::KernelError;
use crate::{Device, Kernel, Wgsl};

/// WGSL being put together.
pub(crate) struct Text {
    text: String,
    /// Lines so far.
    lines: u32,
    parts: Vec<Part>,
}

/// Lines of the caller's.
struct Part {
    lines: Range<u32>,
    /// Which of the caller's texts; empty for the main one.
    what: &'static str,
}

impl Text {
    pub(crate) fn new() -> Self {
        Self { text: String::new(), lines: 0, parts: Vec::new() }
    }

    /// Appends lines of ours.
    pub(crate) fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
        self.lines += text.matches('\n').count() as u32 + 1;
    }

    /// Appends lines of the caller's as they are: columns stay.
    pub(crate) fn user(&mut self, what: &'static str, text: &str) {
        let first = self.lines;
        self.line(text);
        self.parts.push(Part { lines: first..self.lines, what });
    }

    /// Appends the caller's statements; the last semicolon may be missing.
    pub(crate) fn statements(&mut self, what: &'static str, text: &str) {
        let text = text.trim_end();
        let comment = text.lines().next_back().is_some_and(|last| last.contains("//"));
        match text.chars().next_back() {
            Some(';' | '}') | None => self.user(what, text),
            // Behind a comment a semicolon would be part of it.
            Some(_) if comment => self.user(what, &format!("{text}\n;")),
            Some(_) => self.user(what, &format!("{text};")),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Compiles it. Errors count lines as the caller's text does.
    pub(crate) fn kernel(&self, device: &Device, file: &str) -> Result<Kernel, OperationError> {
        let wgsl = Wgsl::new(self.text.as_str()).file(file);
        device.kernel(wgsl).map_err(|error| OperationError::Kernel(self.retold(error)))
    }

    fn retold(&self, error: KernelError) -> KernelError {
        match error {
            KernelError::Invalid { file, diagnostic, place: _ } => {
                let lines: Vec<String> = diagnostic.lines().map(|line| self.retold_line(&file, line)).collect();
                KernelError::Invalid { file, diagnostic: lines.join("\n"), place: None }
            }
            KernelError::TooDeep { file, line, what, depth, limit } => {
                let (file, line) = self.named(&file, line);
                KernelError::TooDeep { file, line, what, depth, limit }
            }
            KernelError::DebugFunction { file, line, message } => {
                let (file, line) = self.named(&file, line);
                KernelError::DebugFunction { file, line, message }
            }
            other => other,
        }
    }

    /// A line of a diagnostic: `┌─ FILE:LINE:COLUMN` or `LINE │ text`.
    fn retold_line(&self, file: &str, text: &str) -> String {
        let place = format!("┌─ {file}:");
        if let Some((before, after)) = text.split_once(&place)
            && let Some((line, column)) = after.split_once(':')
            && let Ok(line) = line.parse()
        {
            let (file, line) = self.named(file, line);
            return format!("{before}┌─ {file}:{line}:{column}");
        }
        if let Some((gutter, source)) = text.split_once(" │")
            && let Ok(line) = gutter.trim().parse()
        {
            // As wide as it was: what stands below stays below.
            let line = self.named(file, line).1;
            return format!("{line:>width$} │{source}", width = gutter.len());
        }
        text.to_owned()
    }

    /// Where a line (from 1) stands in what the caller wrote.
    fn named(&self, file: &str, line: u32) -> (String, u32) {
        let at = line.saturating_sub(1);
        match self.parts.iter().find(|part| part.lines.contains(&at)) {
            None => (file.to_owned(), line),
            Some(part) if part.what.is_empty() => (file.to_owned(), at - part.lines.start + 1),
            Some(part) => (format!("{file}, {}", part.what), at - part.lines.start + 1),
        }
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
        for (line, wanted) in [
            (1, ("k", 1)),
            (3, ("k, preamble", 1)),
            (4, ("k, preamble", 2)),
            (5, ("k", 5)),
            (6, ("k", 1)),
            (7, ("k", 2)),
            (8, ("k", 8)),
        ] {
            assert_eq!(text.named("k", line), (wanted.0.to_owned(), wanted.1), "line {line}");
        }
        assert!(text.as_str().ends_with("six // why\n;\n"));
        assert_eq!(text.retold_line("k", "  ┌─ k:4:7"), "  ┌─ k, preamble:2:7");
        assert_eq!(text.retold_line("k", "4 │ four"), "2 │ four");
        assert_eq!(text.retold_line("k", "  │ ^^^^ this"), "  │ ^^^^ this");
    }
}
