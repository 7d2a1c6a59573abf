//! The source of a binding in `--bind`: a file, or generated numbers.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::count::{self, count};
use crate::made::Made;

/// One `--bind`: a variable, and the source of its buffer's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bind {
    /// A variable's name, or `GROUP.BINDING`.
    pub(crate) key: String,
    /// The source as it was written, for messages.
    pub(crate) text: String,
    pub(crate) source: Source,
}

impl Bind {
    /// The argument as it was written.
    pub(crate) fn argument(&self) -> String {
        format!("--bind {}={}", self.key, self.text)
    }
}

/// The contents of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Npy(PathBuf),
    Raw(PathBuf),
    Picture(PathBuf),
    /// This many bytes of zeros.
    Zeros(u64),
    Made(Made),
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(bytes) = text.strip_prefix("zeros:").filter(|rest| !rest.contains(':')) {
            let number = count(bytes).map(Self::Zeros);
            let forms = count::FORMS;
            return number.ok_or_else(|| {
                format!("expected a whole number as BYTES of '{text}', found '{bytes}': write one such as {forms}")
            });
        }
        if let Some(made) = Made::parse(text) {
            return made.map(Self::Made);
        }
        match extension(Path::new(text)).as_str() {
            "npy" => Ok(Self::Npy(text.into())),
            "bin" => Ok(Self::Raw(text.into())),
            "png" => Ok(Self::Picture(text.into())),
            _ => Err(format!(
                "expected FILE.npy, FILE.bin, FILE.png, zeros:BYTES, zeros:DTYPE:COUNT, ones:DTYPE:COUNT, \
                 range:DTYPE:COUNT or rand:SEED:DTYPE:COUNT, found '{text}': write zeros:f32:1024, or a file's name with \
                 its ending"
            )),
        }
    }
}

/// The extension in lower case; empty if there is none.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Dtype;
    use crate::made::Rule;

    #[test]
    fn sources_are_files_or_made() {
        let random = Made { rule: Rule::Random { seed: 7 }, dtype: Dtype::F2, count: 3 };
        let table = [
            ("a/b.npy", Source::Npy("a/b.npy".into())),
            ("B.NPY", Source::Npy("B.NPY".into())),
            ("data.bin", Source::Raw("data.bin".into())),
            ("photo.Png", Source::Picture("photo.Png".into())),
            ("zeros:4096", Source::Zeros(4096)),
            ("zeros:0x10", Source::Zeros(16)),
            ("zeros:64Ki", Source::Zeros(65_536)),
            ("rand:7:f16:3", Source::Made(random)),
        ];
        for (text, source) in table {
            assert_eq!(text.parse(), Ok(source), "{text}");
        }
        for wrong in ["", "x", "x.txt", "zeros:", "zeros:-1", "zeros:f32:", "rand:1:f32", "ones", "rand:1:f32:2:3"] {
            let message = wrong.parse::<Source>().unwrap_err();
            assert!(message.starts_with("expected ") && message.contains("found '"), "{wrong}: {message}");
        }
    }
}
