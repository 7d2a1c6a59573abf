//! Explanations of mistakes in a text: a sentence, the marked spans, and a remedy. They use the terms of WGSL and the
//! names in the author's text.
//!
//! naga's validator reports variants of an error type; [`validator`] matches the variants and looks up the types and
//! expressions to which their handles refer. naga's parser reports sentences with spans; [`parser`] matches the
//! beginning of a sentence and reads the text around its spans. For any other error, naga's sentence is used without
//! its handles ([`plain`]).
//!
//! | module | content |
//! |---|---|
//! | `text` | the author's text at a span |
//! | `types` | types as WGSL writes them, and conversions |
//! | `near`, `foreign` | misspelled names, and names of GLSL, HLSL, CUDA, C and Rust |
//! | `parser` | mistakes that naga's parser finds: syntax, names, conversions, assignments |
//! | `validator` | mistakes that naga's validator finds: types of operands, variables, bindings, calls |
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
    /// A sentence that names the mistake.
    pub(crate) message: String,
    /// Spans with labels. The first span is that of the mistake.
    pub(crate) marks: Vec<(Span, String)>,
    /// The remedies, one sentence each.
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
