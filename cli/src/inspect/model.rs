//! The GPU of the estimates: a data sheet, or measured ceilings.

use std::path::{Path, PathBuf};

use anywarp::insight::{Ceilings, Model};

use crate::failure::Failure;

/// The word for the ceilings that were measured last.
const MEASURED: &str = "measured";

/// The value of `--model`.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    /// A known model.
    Known(Box<Model>),
    /// The ceilings that were measured last.
    Measured,
    /// A file of ceilings.
    File(PathBuf),
}

/// Reads the value of `--model`.
pub(crate) fn parse(text: &str) -> Result<Choice, String> {
    if text == MEASURED {
        return Ok(Choice::Measured);
    }
    if let Some(model) = Model::named(text) {
        return Ok(Choice::Known(Box::new(model)));
    }
    let path = Path::new(text);
    if path.components().count() > 1 || path.extension().is_some() {
        return Ok(Choice::File(path.to_owned()));
    }
    let names: Vec<&str> = Model::names().collect();
    Err(format!(
        "expected one of {}, measured, or a file of ceilings, found '{text}': write --model h100",
        names.join(", ")
    ))
}

impl Choice {
    /// Returns the model; prints the files that are ignored to stderr.
    pub(super) fn read(&self) -> Result<Model, Failure> {
        match self {
            Self::Known(model) => Ok((**model).clone()),
            Self::File(path) => {
                let refused = |found: String| {
                    Failure::File(format!(
                        "--model {}: expected a file that `anywarp bench device --save` wrote, found {found}: choose \
                         another file, or a model by name",
                        path.display()
                    ))
                };
                let text = std::fs::read_to_string(path)
                    .map_err(|error| refused(format!("none that can be read: {error}")))?;
                Ok(Ceilings::parse(&text).map_err(|error| refused(format!("one that differs: {error}")))?.model())
            }
            Self::Measured => measured(),
        }
    }
}

fn measured() -> Result<Model, Failure> {
    let none = |found: &str| {
        Failure::Usage(format!(
            "--model {MEASURED}: expected measured ceilings, found {found}: write anywarp bench device --save first, or \
             choose a model by name"
        ))
    };
    let folder = Ceilings::folder_of_this_user().ok_or_else(|| none("no cache folder"))?;
    let kept = Ceilings::kept(&folder).map_err(|error| Failure::File(format!("{}: {error}", folder.display())))?;
    kept.problems.iter().for_each(|problem| eprintln!("ignored: {problem}"));
    kept.ceilings.first().map(Ceilings::model).ok_or_else(|| none(&format!("none in {}", folder.display())))
}
