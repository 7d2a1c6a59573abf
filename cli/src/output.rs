//! `--out`: a buffer's bytes to a file.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anywarp::backend::Layout;

use crate::dtype::Dtype;
use crate::npy;
use crate::source::extension;

/// The value of `--out`, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Npy(PathBuf),
    Raw(PathBuf),
}

impl FromStr for Output {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match extension(Path::new(text)).as_str() {
            "npy" => Ok(Self::Npy(text.into())),
            "bin" => Ok(Self::Raw(text.into())),
            _ => Err(format!("expected FILE.npy or FILE.bin, found '{text}'")),
        }
    }
}

impl Output {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Npy(path) | Self::Raw(path) => path,
        }
    }

    /// Writes `bytes`, which are of type `layout`, and returns the size of the file.
    ///
    /// # Errors
    /// The file's name and why it could not be written.
    pub(crate) fn write(&self, layout: &Layout, bytes: &[u8]) -> Result<u64, String> {
        let made;
        let file = match self {
            Self::Raw(_) => bytes,
            Self::Npy(_) => {
                made = npy::write(Dtype::of(layout).unwrap_or(Dtype::U1), bytes);
                &made
            }
        };
        std::fs::write(self.path(), file).map_err(|error| format!("{}: {error}", self.path().display()))?;
        Ok(file.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_have_two_forms() {
        assert_eq!("a/y.npy".parse(), Ok(Output::Npy("a/y.npy".into())));
        assert_eq!("y.BIN".parse(), Ok(Output::Raw("y.BIN".into())));
        for wrong in ["", "y", "y.txt", "npy"] {
            assert!(wrong.parse::<Output>().is_err(), "{wrong}");
        }
    }
}
