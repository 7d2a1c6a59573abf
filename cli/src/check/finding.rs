//! Findings, and their three output forms.

use anywarp::{Error, ErrorClass, KernelError};
use anywarp_backend::{Source, Spot};
use serde::Serialize;

use crate::failure::word;

/// One finding about a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) file: String,
    pub(super) entry: Option<String>,
    pub(super) line: Option<u32>,
    pub(super) column: Option<u32>,
    pub(super) severity: Severity,
    /// The library's name for the kind of error, or `file`.
    pub(super) class: &'static str,
    pub(super) message: String,
    /// The target, if the finding may not apply to other targets.
    pub(super) against: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Severity {
    Error,
    Warning,
}

impl Severity {
    fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl Finding {
    /// Returns the finding for a file that cannot be read.
    pub(super) fn of_file(file: &str, message: String) -> Self {
        Self {
            file: file.to_owned(),
            entry: None,
            line: None,
            column: None,
            severity: Severity::Error,
            class: "file",
            message,
            against: None,
        }
    }

    /// Returns the finding for the library's refusal of a kernel in `file` with this `text`.
    pub(super) fn of_kernel(file: &str, text: &str, error: &KernelError, against: &str) -> Self {
        let entry = entry_of(error, file);
        let place = error.location().map(|(file, line, column)| (file.to_owned(), line, column));
        let declared = || entry.as_deref().and_then(|entry| declaration(text, entry));
        let place = place.or_else(|| declared().map(|(line, column)| (file.to_owned(), line, column)));
        let (file, line, column) = place.unwrap_or_else(|| (file.to_owned(), 0, 0));
        let is_warning = matches!(error, KernelError::NoEntryPoint { .. });
        Self {
            file,
            entry,
            line: Some(line).filter(|line| *line > 0),
            column: Some(column).filter(|column| *column > 0),
            severity: if is_warning { Severity::Warning } else { Severity::Error },
            class: if matches!(error, KernelError::Unreadable { .. }) {
                "file"
            } else {
                word(Error::Kernel(error.clone()).class())
            },
            message: error.to_string().trim_end().to_owned(),
            against: depends_on_the_device(error).then(|| against.to_owned()),
        }
    }

    /// Returns a finding about a text, independent of its entry points.
    pub(super) fn of_text(source: &Source, place: Option<Spot>, severity: Severity, message: String) -> Self {
        let file = place.as_ref().map_or_else(|| source.file().to_owned(), |place| place.file.to_string());
        Self {
            file,
            entry: None,
            line: place.as_ref().map(|place| place.line),
            column: place.as_ref().map(|place| place.column),
            severity,
            class: word(ErrorClass::Programmer),
            message,
            against: None,
        }
    }

    pub(super) fn as_text(&self) -> String {
        format!("{}: {}", self.severity.name(), self.message)
    }

    /// The finding as a workflow command, which GitHub displays at the line of the finding.
    pub(super) fn as_annotation(&self) -> String {
        let mut properties = format!("file={}", property(&self.file));
        for (name, number) in [("line", self.line), ("col", self.column)] {
            if let Some(number) = number {
                properties.push_str(&format!(",{name}={number}"));
            }
        }
        format!("::{} {properties}::{}", self.severity.name(), data(&self.message))
    }
}

/// Escapes the message of a workflow command, which ends with the line.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property, which also ends at a comma or a colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Whether the error depends on the device, so that it may not occur on another one.
fn depends_on_the_device(error: &KernelError) -> bool {
    matches!(error, KernelError::MissingFeature { .. } | KernelError::AboveLimit { .. } | KernelError::Compile { .. })
}

fn entry_of(error: &KernelError, file: &str) -> Option<String> {
    match error {
        KernelError::UnknownOverride { kernel, .. }
        | KernelError::Override { kernel, .. }
        | KernelError::Unsupported { kernel, .. }
        | KernelError::MissingFeature { kernel, .. }
        | KernelError::AboveLimit { kernel, .. }
        | KernelError::Compile { kernel, .. } => Some(kernel.strip_prefix(file)?.strip_prefix(':')?.to_owned()),
        _ => None,
    }
}

/// The line and column of `fn name`: the place of an error about the whole entry point, such as an exceeded limit.
fn declaration(text: &str, name: &str) -> Option<(u32, u32)> {
    let begins_here = |line: &str, at: usize| {
        let before = line[..at].chars().next_back();
        let after = line[at + 2..].trim_start();
        let rest = after.strip_prefix(name).filter(|_| after.len() < line.len() - at - 2)?;
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        (!before.is_some_and(is_part) && !rest.starts_with(is_part)).then_some(at as u32 + 1)
    };
    text.lines().enumerate().find_map(|(number, line)| {
        let code = line.split("//").next().unwrap_or_default();
        let column = code.match_indices("fn").find_map(|(at, _)| begins_here(code, at))?;
        Some((number as u32 + 1, column))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_escape_what_github_reads() {
        let mut finding = Finding::of_file("a,b:c.wgsl", "100 %\nof it: gone".to_owned());
        assert_eq!(finding.as_annotation(), "::error file=a%2Cb%3Ac.wgsl::100 %25%0Aof it: gone");
        (finding.line, finding.column, finding.severity) = (Some(3), Some(7), Severity::Warning);
        assert!(finding.as_annotation().starts_with("::warning file=a%2Cb%3Ac.wgsl,line=3,col=7::"));
    }

    #[test]
    fn entry_points_are_found_where_they_are_declared() {
        let text = "// fn main() {}\nfn mainly() {}\nfn helper_fn() {}\n@compute @workgroup_size(1) fn  main() {}";
        assert_eq!(declaration(text, "main"), Some((4, 29)));
        assert_eq!(declaration(text, "mainly"), Some((2, 1)));
        for absent in ["mai", "fn", "helper"] {
            assert_eq!(declaration(text, absent), None, "{absent}");
        }
    }
}
