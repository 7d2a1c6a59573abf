//! The WGSL lines from which lines of C++ are translated.

use std::fmt::Write;
use std::sync::Arc;

use anywarp_backend::Source;
use naga::Span;

use super::writer::FunctionWriter;

/// The lines of a program's WGSL; empty for a program without source.
#[derive(Debug, Default)]
pub(super) struct Lines {
    source: Option<Arc<Source>>,
    /// The start of each line, in bytes.
    starts: Vec<usize>,
}

impl Lines {
    /// Finds the starts of the lines of a source.
    pub(super) fn new(source: Option<&Arc<Source>>) -> Self {
        let Some(source) = source else { return Self::default() };
        let breaks = source.text().bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        Self { source: Some(Arc::clone(source)), starts }
    }

    /// Returns the line of the text in which a span begins, from 1. White space at the start is skipped, because the
    /// parser includes the space before some statements in their spans.
    pub(super) fn of(&self, span: Span) -> Option<u32> {
        let range = span.to_range().filter(|_| span.is_defined())?;
        let spanned = self.source.as_ref()?.text().get(range.clone())?;
        let first = range.start + (spanned.len() - spanned.trim_start().len());
        Some(self.starts.partition_point(|start| *start <= first) as u32)
    }

    /// Returns the text of a line, in a form that is valid in a C++ comment.
    fn text(&self, line: u32) -> Option<String> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let text = self.source.as_ref()?.text().get(start..)?.lines().next()?;
        // A trailing backslash would make the next line part of the comment.
        let text = text.trim().trim_end_matches('\\').replace(char::is_control, " ");
        (!text.is_empty()).then_some(text)
    }

    /// Returns the line and the file, as a C++ string literal, from which a line of the composed text comes.
    fn written(&self, line: u32) -> (u32, String) {
        let place = self.source.as_ref().and_then(|source| source.position_of_line(line));
        let (line, file) = place.map_or((line, ""), |place| (place.line, place.file));
        let file = file.replace('\\', "/").replace(|c: char| c == '"' || c.is_control(), "_");
        (line, format!("\"{file}\""))
    }
}

/// The directive that resets the compiler's line count for text that the backend itself writes.
pub(super) const OWN_LINES: &str = "#line 1 \"anywarp\"\n";

impl FunctionWriter<'_, '_> {
    /// Writes the origin of the next line of C++: a comment with the WGSL for readers, and a `#line` directive for the
    /// compiler.
    pub(super) fn connect(&mut self) {
        let Some(here) = self.here else { return };
        if self.shown.insert(here)
            && let Some(text) = self.m.lines.text(here)
        {
            self.bare(&format!("// {text}"));
        }
        if self.counted != Some(here) {
            let (line, file) = self.m.lines.written(here);
            let known = self.in_file.as_ref() == Some(&file);
            let _ = writeln!(self.out, "{}", format!("#line {line} {}", if known { "" } else { &file }).trim_end());
            self.counted = Some(here);
            self.in_file = Some(file);
        }
    }
}
