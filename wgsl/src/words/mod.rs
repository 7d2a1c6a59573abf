//! The explanation of a mistake in a text: a sentence, the marked places, and a remedy, in the words of WGSL and of the
//! author.
//!
//! naga's validator reports variants, which [`validator`] matches, with the types and expressions that its handles
//! stand for. Its parser reports sentences with places; [`parser`] knows them by how they begin, and looks at the text
//! around. An error that is known to neither keeps naga's sentence, without its handles ([`plain`]).
//!
//! | module | holds |
//! |---|---|
//! | `text` | the author's own words at a place |
//! | `types` | types as WGSL writes them, and how one becomes another |
//! | `near`, `foreign` | names that are nearly right, and those of GLSL, HLSL, CUDA, C and Rust |
//! | `parser` | mistakes that the parser finds: syntax, names, conversions, assignments |
//! | `validator` | mistakes that the validator finds: types of operands, variables, bindings, calls |
//! | `plain` | sentences of naga without handles |

mod foreign;
mod near;
mod parser;
mod plain;
mod text;
mod types;
mod validator;

use naga::Span;

pub(crate) use parser::explain as of_parser;
pub(crate) use text::Text;
pub(crate) use validator::explain as of_validator;

/// The explanation of one mistake.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    /// The sentence.
    pub(crate) message: String,
    /// Places, the mistake's own first, each with a few words.
    pub(crate) marks: Vec<(Span, String)>,
    /// The remedies, a sentence each.
    pub(crate) help: Vec<String>,
}

impl Finding {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), marks: Vec::new(), help: Vec::new() }
    }

    fn mark(mut self, span: Span, label: impl Into<String>) -> Self {
        if span.is_defined() {
            self.marks.push((span, label.into()));
        }
        self
    }

    fn help(mut self, remedy: impl Into<String>) -> Self {
        self.help.push(remedy.into());
        self
    }
}
