//! Parsing and validation of a text as a naga module.

use anywarp_backend::{Refused, Source, Validated};
use naga::front::wgsl::{Frontend, Options};
use naga::valid::Capabilities;

use crate::filters::Filters;
use crate::{TextError, aligned, diagnostic, directives, guard, inexact, lacking};

/// Parses a text with every extension allowed.
///
/// # Errors
/// [`TextError::Invalid`], [`TextError::TooDeep`].
pub fn parse(source: &Source) -> Result<naga::Module, TextError> {
    parse_with(source, Options::new())
}

/// Parses a text as [`parse`] does, and keeps the comments `///` and `//!` in [`naga::Module::doc_comments`].
///
/// # Errors
/// The errors of [`parse`], and an error for such a comment without an item that it could document.
pub fn parse_documented(source: &Source) -> Result<naga::Module, TextError> {
    parse_with(source, Options { parse_doc_comments: true, ..Options::new() })
}

fn parse_with(source: &Source, options: Options) -> Result<naga::Module, TextError> {
    let text = Filters::of(source.text()).blank(directives::blank_known_enables(source.text()));
    let text = inexact::replace(lacking::declare(text));
    let mut front = Frontend::new_with_options(options);
    let mut module = front.parse(&text).map_err(|error| diagnostic::of_parser(source, &error))?;
    aligned::lay_out(source, &text, &mut module)?;
    guard::check_types(source, &module)?;
    Ok(module)
}

/// Validates a module for a device with every capability.
///
/// # Errors
/// naga's error with the module; [`diagnostic::of_refused`] explains it by the lines of the author's text.
pub fn validate(module: naga::Module) -> Result<Validated, Box<Refused>> {
    Validated::new(module, Capabilities::all())
}
