//! Mistakes that naga's parser finds. The beginning of naga's sentence identifies the kind of mistake; the labels and
//! the text contain the names, types and spans.
//!
//! | module | mistakes |
//! |---|---|
//! | `syntax` | tokens that the grammar does not allow |
//! | `clike` | declarations in the notation of C, GLSL, HLSL or Rust |
//! | `names` | undeclared names, misspelled attributes and keywords |
//! | `values` | values of another type, numbers out of range |
//! | `places` | assignments, pointers, atomics |
//! | `declared` | repeated, recursive and incomplete declarations |
//! | `probe` | another parse with the reported part replaced, to find a remedy |

mod clike;
mod declared;
mod names;
mod places;
mod probe;
mod syntax;
mod values;

use naga::Span;
use naga::front::wgsl::ParseError;

use super::plain::is_internal;
use super::{Finding, Text};

/// Explains an error of the parser.
pub(crate) fn explain(text: Text<'_>, error: &ParseError) -> Finding {
    let said = Said { text, error };
    let kinds = [syntax::explain, names::explain, values::explain, places::explain, declared::explain];
    kinds.iter().find_map(|kind| kind(said)).unwrap_or_else(|| said.unknown())
}

/// An error of naga's parser, with the text in which the parser found it.
#[derive(Clone, Copy)]
struct Said<'a> {
    text: Text<'a>,
    error: &'a ParseError,
}

impl<'a> Said<'a> {
    fn message(self) -> &'a str {
        self.error.message()
    }

    /// The error's first span, which is that of the mistake.
    fn span(self) -> Span {
        self.error.labels().next().map(|(span, _)| span).unwrap_or_default()
    }

    /// The error's span with this index; the first span has index 0.
    fn other(self, index: usize) -> Span {
        self.error.labels().nth(index).map(|(span, _)| span).unwrap_or_default()
    }

    /// The offset where the mistake begins.
    fn at(self) -> usize {
        self.span().to_range().map_or(0, |range| range.start)
    }

    /// The author's text at the error's first span.
    fn quote(self) -> String {
        self.text.quote(self.span())
    }

    /// Returns naga's sentence with plain words for abstract types. Sentences of the parser contain no handles.
    fn unknown(self) -> Finding {
        let plain =
            |text: &str| text.replace("{AbstractFloat}", "float constant").replace("{AbstractInt}", "integer constant");
        let mut finding = Finding::new(plain(self.message()));
        for (span, label) in self.error.labels() {
            let label = if is_internal(label) || label == self.message() { "" } else { label };
            finding = finding.mark(span, plain(label));
        }
        self.error.notes().fold(finding, |finding, note| finding.help(plain(note)))
    }
}

/// The text of a sentence between the texts `before` and `behind`.
fn within<'a>(sentence: &'a str, before: &str, behind: &str) -> Option<&'a str> {
    let (_, rest) = sentence.split_once(before)?;
    rest.split_once(behind).map(|(middle, _)| middle)
}
