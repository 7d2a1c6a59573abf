//! Which line of the WGSL a line of C++ comes from.

use std::fmt::Write;
use std::sync::Arc;

use anywarp_backend::Source;
use naga::Span;

use super::writer::FunctionWriter;

/// The lines of a program's WGSL; of a program without source there are none.
#[derive(Debug, Default)]
pub(super) struct Lines {
    source: Option<Arc<Source>>,
    /// Where each line begins, in bytes.
    starts: Vec<usize>,
}

impl Lines {
    /// Finds the lines of a text.
    pub(super) fn new(source: Option<&Arc<Source>>) -> Self {
        let Some(source) = source else { return Self::default() };
        let breaks = source.text().bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        Self { source: Some(Arc::clone(source)), starts }
    }

    /// The line of the text in which a span begins, from 1. The parser counts the space before some statements as
    /// theirs.
    pub(super) fn of(&self, span: Span) -> Option<u32> {
        let range = span.to_range().filter(|_| span.is_defined())?;
        let spanned = self.source.as_ref()?.text().get(range.clone())?;
        let first = range.start + (spanned.len() - spanned.trim_start().len());
        Some(self.starts.partition_point(|start| *start <= first) as u32)
    }

    /// What stands in a line, fit for a comment.
    fn text(&self, line: u32) -> Option<String> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let text = self.source.as_ref()?.text().get(start..)?.lines().next()?;
        // A backslash at its end would make the next line part of the comment.
        let text = text.trim().trim_end_matches('\\').replace(char::is_control, " ");
        (!text.is_empty()).then_some(text)
    }

    /// Line and file, as a C++ string, where the author wrote what stands in a line of the text.
    fn written(&self, line: u32) -> (u32, String) {
        let place = self.source.as_ref().and_then(|source| source.place_of_line(line));
        let (line, file) = place.map_or((line, ""), |place| (place.line, place.file));
        let file = file.replace('\\', "/").replace(|c: char| c == '"' || c.is_control(), "_");
        (line, format!("\"{file}\""))
    }
}

/// What brings the compiler's count of lines back to this backend's own text.
pub(super) const OWN_LINES: &str = "#line 1 \"anywarp\"\n";

impl FunctionWriter<'_, '_> {
    /// Says where the next line of C++ comes from: for whoever reads it in a comment, for the compiler
    /// in a directive.
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
