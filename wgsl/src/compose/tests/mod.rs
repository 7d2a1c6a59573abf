//! Tests of the rules of composition, and of its errors.

mod errors;
mod folders;
mod hostile;
mod places;
mod rules;
mod splits;

use anywarp_backend::{Source, SourceFile};

use super::{Given, Options, compose};
use crate::TextError;

/// Composes `text`, as the file `main.wgsl`, with these modules.
fn composed(text: &str, modules: &[(&str, &str)], options: &Options) -> Result<Source, TextError> {
    let mut given = Given::default();
    for (path, text) in modules {
        given.add(path, format!("{}.wgsl", path.replace("::", "/")), *text);
    }
    let root = SourceFile { name: "main.wgsl".to_owned(), text: text.to_owned() };
    compose(root, &["main".to_owned()], &given, options)
}

/// Returns the text on one line, with one space between words.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn features(features: &[(&str, bool)]) -> Options {
    let features = features.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect();
    Options { features, ..Options::default() }
}
