//! Mistakes that naga's parser finds. It reports sentences, of which the beginning tells the kind; names, types and
//! places are in its labels and in the text.
//!
//! | module | about |
//! |---|---|
//! | `syntax` | a word or mark that cannot stand there |
//! | `clike` | declarations as C, GLSL, HLSL and Rust write them |
//! | `names` | what is not declared, attributes and words that are misspelled |
//! | `values` | values of another type, numbers that do not fit |
//! | `places` | what cannot be assigned, pointers, atomics |
//! | `declared` | declarations: twice, of themselves, without what they need |
//! | `probe` | the same text once more, without what the parser stumbled over |

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

/// A sentence of the parser.
#[derive(Clone, Copy)]
struct Said<'a> {
    text: Text<'a>,
    error: &'a ParseError,
}

impl<'a> Said<'a> {
    fn message(self) -> &'a str {
        self.error.message()
    }

    /// The first place, which is the mistake's own.
    fn span(self) -> Span {
        self.error.labels().next().map(|(span, _)| span).unwrap_or_default()
    }

    /// A later place.
    fn other(self, index: usize) -> Span {
        self.error.labels().nth(index).map(|(span, _)| span).unwrap_or_default()
    }

    /// The offset where the mistake begins.
    fn at(self) -> usize {
        self.span().to_range().map_or(0, |range| range.start)
    }

    /// The author's own text at the first place.
    fn quote(self) -> String {
        self.text.quote(self.span())
    }

    /// naga's sentence as it is: the parser's have no handles, but abstract types in a notation of their own.
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

/// The text between two pieces of a sentence.
fn within<'a>(sentence: &'a str, before: &str, behind: &str) -> Option<&'a str> {
    let (_, rest) = sentence.split_once(before)?;
    rest.split_once(behind).map(|(middle, _)| middle)
}
