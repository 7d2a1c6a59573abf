//! The message of a failure, with the lines of the text on its chain.

use anywarp_backend::{Source, Spot};
use codespan_reporting::diagnostic::{Diagnostic, Label, LabelStyle};
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term;
use naga::Span;

use super::failure::Failure;
use crate::filters::{Rule, Severity};

impl Failure {
    /// Describes the failure in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        let among = match self.rule {
            Some(Rule::DerivativeUniformity) => "a draw",
            Some(Rule::SubgroupUniformity) if self.with_subgroup_uniformity => "a subgroup",
            _ => "a workgroup",
        };
        if self.is_argument {
            format!("an argument of `{}` must be the same for all invocations of {among}", self.operation)
        } else {
            format!("`{}` must be reached by all invocations of {among} together", self.operation)
        }
    }

    /// Returns the author's file and line of the operation.
    #[must_use]
    pub fn spot(&self, source: &Source) -> Option<Spot> {
        source.spot(self.at.to_range()?)
    }

    /// Formats the whole message: the operation, and the steps from the operation to the cause.
    #[must_use]
    pub fn message(&self, source: &Source) -> String {
        let mut files = SimpleFiles::new();
        for file in source.files() {
            // Control characters are replaced, because they would garble the terminal.
            let text = file.text.replace(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t'), "\u{fffd}");
            files.add(file.name.as_str(), text);
        }
        let label = |style, span: Span, text: &str| {
            let (file, range) = source.origin_of(span.to_range()?)?;
            Some(Label::new(style, file, range).with_message(text))
        };
        let here = if self.is_argument {
            "an argument may differ between invocations"
        } else {
            "some invocations may not get here"
        };
        let links = self.links.iter().map(|link| label(LabelStyle::Secondary, link.at, &link.text));
        let labels = std::iter::once(label(LabelStyle::Primary, self.at, here)).chain(links).flatten().collect();
        let severity = match self.severity {
            Severity::Error => codespan_reporting::diagnostic::Severity::Error,
            Severity::Warning => codespan_reporting::diagnostic::Severity::Warning,
            Severity::Info => codespan_reporting::diagnostic::Severity::Note,
        };
        let notes = self.help.iter().map(|help| format!("help: {help}")).chain(self.about_the_extension()).collect();
        let diagnostic = Diagnostic::new(severity).with_message(self.summary()).with_labels(labels).with_notes(notes);
        // The files are in memory, so only an invalid span can make this fail.
        term::emit_into_string(&term::Config::default(), &files, &diagnostic).unwrap_or_else(|_| self.summary())
    }

    fn about_the_extension(&self) -> Option<String> {
        let is_only_without = self.rule == Some(Rule::SubgroupUniformity) && !self.with_subgroup_uniformity;
        is_only_without.then(|| {
            "note: browsers with the language extension `subgroup_uniformity` accept it; \
             write `requires subgroup_uniformity;` if the kernel is only for them"
                .to_owned()
        })
    }
}
