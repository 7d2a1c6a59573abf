//! Mistakes that naga's validator finds. The variant of naga's error identifies the kind of mistake.
//!
//! | module | mistakes |
//! |---|---|
//! | `body` | one function: the text of its expressions, and their types |
//! | `operators`, `expressions` | operands and parts of expressions |
//! | `statements` | stores, returns, conditions, calls, atomics |
//! | `variables` | variables outside of functions, and their memory |
//! | `entry` | entry points: parameters, bindings, workgroup sizes |
//! | `declared` | types, constants and overrides |

mod body;
mod declared;
mod entry;
mod expressions;
mod operators;
mod statements;
mod variables;

use std::error::Error;

use naga::valid::{EntryPointError, FunctionError, ValidationError};
use naga::{Module, Span, WithSpan};

use self::body::Body;
use super::plain::{cleaned, is_internal};
use super::{Finding, Text};

/// Explains an error of the validator. Without the module, handles cannot be resolved.
pub(crate) fn explain(text: Text<'_>, module: Option<&Module>, error: &WithSpan<ValidationError>) -> Finding {
    let found = Found { text, error };
    let known = module.and_then(|module| match error.as_inner() {
        ValidationError::Type { handle, source, .. } => declared::of_type(found, module, *handle, source),
        ValidationError::Override { handle, name, source } => {
            declared::of_override(found, module, *handle, name, source)
        }
        ValidationError::GlobalVariable { handle, source, .. } => variables::explain(module, *handle, source),
        ValidationError::Function { handle, source, .. } => {
            of_function(found, &Body::new(text, module, module.functions.try_get(*handle).ok()?), source)
        }
        ValidationError::EntryPoint { name, source, .. } => {
            let entry = module.entry_points.iter().find(|entry| entry.name == *name)?;
            let body = Body::new(text, module, &entry.function);
            match source {
                EntryPointError::Function(source) => of_function(found, &body, source),
                other => entry::explain(found, &body, entry, other),
            }
        }
        _ => None,
    });
    known.unwrap_or_else(|| found.unknown())
}

fn of_function(found: Found<'_>, body: &Body<'_>, error: &FunctionError) -> Option<Finding> {
    match error {
        FunctionError::Expression { handle, source } => expressions::explain(body, *handle, source),
        other => statements::explain(found, body, other),
    }
}

/// An error of naga's validator, with the text in which the validator found it.
#[derive(Clone, Copy)]
struct Found<'a> {
    text: Text<'a>,
    error: &'a WithSpan<ValidationError>,
}

impl Found<'_> {
    /// The narrowest span of the error; naga adds the span of the whole function.
    fn span(self) -> Span {
        let spans = self.error.spans().map(|(span, _)| *span);
        spans.min_by_key(|span| span.to_range().map_or(usize::MAX, |range| range.len())).unwrap_or_default()
    }

    /// The span whose label contains `words`.
    fn labelled(self, words: &str) -> Option<Span> {
        self.error.spans().find(|(_, label)| label.contains(words)).map(|(span, _)| *span)
    }

    /// Returns naga's innermost error, which caused the outer ones, at the narrowest span.
    fn unknown(self) -> Finding {
        let mut cause: &dyn Error = self.error.as_inner();
        while let Some(next) = cause.source() {
            cause = next;
        }
        let label = self.error.spans().find(|(span, label)| *span == self.span() && !is_internal(label));
        let finding = Finding::new(cleaned(&cause.to_string()));
        finding.mark(self.span(), label.map_or(String::new(), |(_, label)| label.clone()))
    }
}
