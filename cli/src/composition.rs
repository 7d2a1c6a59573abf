//! The kernel's text and its composition: `--feature`, `--element`, `--root`.

use std::path::{Path, PathBuf};

use anywarp::Wgsl;
use anywarp::backend::Scalar;
use clap::Args;

use crate::failure::Failure;

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CompositionArgs {
    /// Turn a feature of `@if(NAME)` on, or off with NAME=false
    #[arg(long = "feature", value_name = "NAME[=false]", value_parser = parse_feature)]
    features: Vec<(String, bool)>,

    /// Define `alias NAME = ..;` as a scalar: f16, f32, f64, i16 to i64, u16 to u64
    #[arg(long = "element", value_name = "NAME=SCALAR", value_parser = parse_element)]
    elements: Vec<(String, Scalar)>,

    /// The folder that `package` means in imports [default: that of the file]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl CompositionArgs {
    /// Reads the text of a file or, for `-`, of stdin, which imports only below `--root`.
    pub(crate) fn read(&self, path: &Path) -> Result<Wgsl<'static>, Failure> {
        let wgsl = if is_stdin(path) {
            let text = read_text(path).map_err(|error| {
                Failure::File(format!("-: expected WGSL on stdin, which cannot be read: {error}: pipe in UTF-8 text"))
            })?;
            Wgsl::new(text).file(display_name(path))
        } else {
            Wgsl::open(path).map_err(|error| Failure::File(error.to_string()))?
        };
        Ok(self.applied(wgsl))
    }

    /// Returns the text with these options.
    pub(crate) fn applied(&self, mut wgsl: Wgsl<'static>) -> Wgsl<'static> {
        if let Some(root) = &self.root {
            wgsl = wgsl.root(root);
        }
        for (name, on) in &self.features {
            wgsl = wgsl.feature(name.clone(), *on);
        }
        for (name, scalar) in &self.elements {
            wgsl = wgsl.element_scalar(name.clone(), *scalar);
        }
        wgsl
    }
}

/// Reads the text of a file or, for `-`, of stdin.
pub(crate) fn read_text(path: &Path) -> std::io::Result<String> {
    if is_stdin(path) { std::io::read_to_string(std::io::stdin().lock()) } else { std::fs::read_to_string(path) }
}

/// The file's name in messages.
pub(crate) fn display_name(path: &Path) -> String {
    if is_stdin(path) { "stdin.wgsl".to_owned() } else { path.display().to_string() }
}

/// Whether the path is `-`, for stdin.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn parse_feature(text: &str) -> Result<(String, bool), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "true"));
    match (name.trim(), value.trim()) {
        ("", _) => Err(format!("expected NAME, NAME=true or NAME=false, found '{text}': write --feature fast")),
        (name, "true") => Ok((name.to_owned(), true)),
        (name, "false") => Ok((name.to_owned(), false)),
        (name, value) => Err(format!("expected true or false, found '{value}': write --feature {name}=false")),
    }
}

fn parse_element(text: &str) -> Result<(String, Scalar), String> {
    let (name, scalar) = text.split_once('=').map_or(("", text), |(name, scalar)| (name.trim(), scalar.trim()));
    match Scalar::named(scalar) {
        Some(scalar) if !name.is_empty() => Ok((name.to_owned(), scalar)),
        _ => Err(format!(
            "expected NAME=SCALAR, with f16, f32, f64, i16 to i64 or u16 to u64, found '{text}': write --element T=f16"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_on_unless_they_are_off() {
        let feature = |text| parse_feature(text).map(|(name, on)| format!("{name} {on}"));
        assert_eq!(feature("wide"), Ok("wide true".to_owned()));
        assert_eq!(feature("wide=true"), Ok("wide true".to_owned()));
        assert_eq!(feature("wide = false"), Ok("wide false".to_owned()));
        for wrong in ["", "=true", "wide=", "wide=1"] {
            assert!(feature(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn elements_are_scalars() {
        let element = |text| parse_element(text).map(|(name, scalar)| format!("{name} {scalar}"));
        assert_eq!(element("T=f16"), Ok("T f16".to_owned()));
        assert_eq!(element("Sum = u64"), Ok("Sum u64".to_owned()));
        for wrong in ["", "T", "T=", "=f32", "T=f8", "T=bool", "T=é16", "T=f"] {
            assert!(element(wrong).is_err(), "{wrong}");
        }
    }
}
