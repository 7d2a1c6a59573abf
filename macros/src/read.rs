//! From the macro's input to the WGSL.

use std::fs;
use std::path::{Path, PathBuf};

use anywarp_backend::Source;

use crate::input::{Input, Text};
use crate::refusal::Refusal;

/// Reads the text that `input` names; `folder` is the crate's own.
///
/// # Errors
/// A file that is not there, not in the crate, not text, or empty.
pub(crate) fn read(input: &Input, folder: &Path) -> Result<Source, Refusal> {
    let options = &input.options;
    if !options.features.is_empty() || !options.elements.is_empty() || options.root.is_some() {
        return Err(Refusal::new("texts are not composed yet: `feature`, `element` and `root` mean nothing"));
    }
    let source = match &input.text {
        Text::File(path) => Source::new(path.value(), file(folder, &path.value())?),
        Text::Inline(text) => Source::new(input.name.to_string(), text.value()),
    };
    if source.text().trim().is_empty() {
        return Err(Refusal::new(format!("{} is empty: it needs a compute entry point", source.file())));
    }
    Ok(source)
}

/// The text of a file within `folder`.
fn file(folder: &Path, path: &str) -> Result<String, Refusal> {
    let inside = |path: &Path| -> std::io::Result<(PathBuf, bool)> {
        let (folder, path) = (folder.canonicalize()?, path.canonicalize()?);
        let within = path.starts_with(&folder);
        Ok((path, within))
    };
    let relative = Path::new(path);
    let outside = || {
        Refusal::new(format!(
            "'{path}' is not within the crate: its files are looked for in {}, and a path is relative to that",
            folder.display()
        ))
    };
    if relative.is_absolute() {
        return Err(outside());
    }
    let whole = folder.join(relative);
    let (whole, within) = inside(&whole).map_err(|error| {
        Refusal::new(format!("'{path}' cannot be read: {error}; it was looked for at {}", whole.display()))
    })?;
    if !within {
        return Err(outside());
    }
    fs::read_to_string(&whole).map_err(|error| {
        Refusal::new(format!("'{path}' cannot be read: {error}; it was looked for at {}", whole.display()))
    })
}
