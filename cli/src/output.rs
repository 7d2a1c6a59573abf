//! `--out`: writes a buffer's bytes to a file.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use anywarp::backend::BindingInfo;

use crate::dtype::Dtype;
use crate::failure::Failure;
use crate::load::Contents;
use crate::picture::{self, Pixels};
use crate::shape::{self, Extents};
use crate::source::extension;
use crate::{npy, shape::Given};

/// The value of `--out`, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// A variable's name, or `GROUP.BINDING`.
    pub(crate) key: String,
    pub(crate) path: PathBuf,
    form: Form,
    shape: Option<Extents>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Npy,
    Raw,
    Picture,
}

/// The format of an output file with its shape, which are determined before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    Npy { dtype: Dtype, shape: Vec<u64> },
    Raw,
    Picture { pixels: Pixels, size: [u32; 2] },
}

/// A file that was written.
pub(crate) struct Written {
    pub(crate) bytes: u64,
    /// The count of numbers that were clamped, because a picture cannot represent them.
    pub(crate) clamped: u64,
}

/// Parses `KEY=FILE`, or `KEY=FILE:SHAPE`.
pub(crate) fn parse(key: String, text: &str) -> Result<Output, String> {
    if let Some(form) = form_of(text) {
        return Ok(Output { key, path: text.into(), form, shape: None });
    }
    let shaped = text.rsplit_once(':').and_then(|(file, shape)| Some((file, form_of(file)?, shape)));
    match shaped {
        Some((_, Form::Raw, shape)) => Err(format!(
            "expected a .bin file without a shape, as it holds plain bytes, found ':{shape}': write a .npy file"
        )),
        Some((file, form, shape)) => Ok(Output { key, path: file.into(), form, shape: Some(shape.parse()?) }),
        None => Err(format!(
            "expected FILE.npy, FILE.bin or FILE.png, perhaps with :SHAPE, found '{text}': give the file's name one of these \
             endings"
        )),
    }
}

fn form_of(file: &str) -> Option<Form> {
    match extension(Path::new(file)).as_str() {
        "npy" => Some(Form::Npy),
        "bin" => Some(Form::Raw),
        "png" => Some(Form::Picture),
        _ => None,
    }
}

impl Output {
    /// The argument as it was written, without its shape.
    pub(crate) fn argument(&self) -> String {
        format!("--out {}={}", self.key, self.path.display())
    }

    /// Checks an output before the run: its file must be writable, and the binding of a picture must hold pixels.
    ///
    /// # Errors
    /// The argument, the expected and the actual state, and what to do.
    pub(crate) fn check(&self, binding: &BindingInfo) -> Result<(), Failure> {
        if self.form == Form::Picture && Pixels::of(&binding.layout).is_none() {
            return Err(Failure::Usage(format!("{}: {}", self.argument(), picture::expected(binding))));
        }
        self.check_place().map_err(|message| Failure::File(format!("{}: {message}", self.argument())))
    }

    fn check_place(&self) -> Result<(), String> {
        let path = self.path.as_path();
        if path.is_dir() {
            return Err("expected a file, found a folder: name a file in it".to_owned());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            let name = folder.display();
            return Err(if folder.exists() {
                format!("expected a folder, '{name}' is a file: choose another path")
            } else {
                format!("expected the folder '{name}', there is none: create it, or choose another")
            });
        }
        let refused = |error| format!("the file cannot be written: {error}: choose another path, or permit writing");
        match std::fs::metadata(path) {
            // Opening a pipe would wait for its reader.
            Ok(there) if !there.is_file() => Ok(()),
            Ok(_) => OpenOptions::new().write(true).open(path).map(|_| ()).map_err(refused),
            Err(_) => {
                OpenOptions::new().write(true).create_new(true).open(path).map_err(refused)?;
                // The file is removed again, so that a failed run leaves no empty file behind.
                std::fs::remove_file(path).map_err(refused)
            }
        }
    }

    /// Plans how the buffer of `binding`, which starts as `contents`, is written. `pictures` are the sizes of all bound
    /// pictures.
    ///
    /// # Errors
    /// A shape that does not fit, or a picture of unknown size.
    pub(crate) fn plan(
        &self,
        binding: &BindingInfo,
        contents: &Contents,
        given: &[Given],
        pictures: &[[u32; 2]],
    ) -> Result<Plan, Failure> {
        let named =
            given.iter().find(|(key, _)| key.as_ref().is_none_or(|key| *key == self.key || *key == binding.name));
        let shape = self.shape.as_ref().or(named.map(|(_, shape)| shape));
        let planned = match (self.form, Pixels::of(&binding.layout)) {
            (Form::Raw, _) => Ok(Plan::Raw),
            (Form::Npy, _) => plan_array(binding, contents, shape),
            (Form::Picture, Some(pixels)) => plan_picture(binding, contents, shape, pixels, pictures),
            (Form::Picture, None) => Err(picture::expected(binding)),
        };
        planned.map_err(|message| Failure::Usage(format!("{}: {message}", self.argument())))
    }

    /// Whether `--shape` applies to this output.
    pub(crate) fn takes_shape(&self) -> bool {
        self.form != Form::Raw && self.shape.is_none()
    }

    /// Writes `bytes`.
    ///
    /// # Errors
    /// The file's name and the reason why it could not be written.
    pub(crate) fn write(&self, plan: &Plan, bytes: &[u8]) -> Result<Written, String> {
        let failed = |error: String| format!("{}: {error}", self.path.display());
        let (made, clamped) = match plan {
            Plan::Raw => (None, 0),
            Plan::Npy { dtype, shape } => {
                let whole = bytes.len() - bytes.len() % dtype.width();
                (Some(npy::write(*dtype, shape, &bytes[..whole])), 0)
            }
            Plan::Picture { pixels, size } => {
                let written = picture::write(*pixels, *size, bytes).map_err(failed)?;
                (Some(written.file), written.clamped)
            }
        };
        let file = made.as_deref().unwrap_or(bytes);
        std::fs::write(&self.path, file).map_err(|error| failed(error.to_string()))?;
        Ok(Written { bytes: file.len() as u64, clamped })
    }
}

fn plan_array(binding: &BindingInfo, contents: &Contents, shape: Option<&Extents>) -> Result<Plan, String> {
    let dtype = Dtype::of(&binding.layout).unwrap_or(Dtype::U1);
    let elements = contents.len() / dtype.width() as u64;
    let of_input = || contents.shape.clone().filter(|shape| product(shape) == Some(elements));
    let shape = match shape {
        Some(shape) => shape.of_array(elements, dtype.numpy())?,
        None => of_input().unwrap_or_else(|| vec![elements]),
    };
    Ok(Plan::Npy { dtype, shape })
}

fn plan_picture(
    binding: &BindingInfo,
    contents: &Contents,
    shape: Option<&Extents>,
    pixels: Pixels,
    pictures: &[[u32; 2]],
) -> Result<Plan, String> {
    let count = contents.len() / pixels.bytes();
    if let Some(shape) = shape {
        return Ok(Plan::Picture { pixels, size: shape.of_picture(count)? });
    }
    let of_array = match contents.shape.as_deref() {
        Some(&[height, width] | &[height, width, 4]) => u32::try_from(width).ok().zip(u32::try_from(height).ok()),
        _ => None,
    };
    // The size of another picture is used only if it is unambiguous.
    let of_others = pictures.first().filter(|first| pictures.iter().all(|other| other == *first));
    let size = contents.picture.or(of_array.map(|(width, height)| [width, height])).or(of_others.copied());
    match size {
        Some(size) if shape::picture(size, count).is_ok() => Ok(Plan::Picture { pixels, size }),
        _ => Err(format!(
            "expected the picture's size, no picture of {count} pixels was bound whose size it could take: write --shape \
             {}=WIDTHxHEIGHT",
            binding.name
        )),
    }
}

fn product(shape: &[u64]) -> Option<u64> {
    shape.iter().try_fold(1_u64, |product, extent| product.checked_mul(*extent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Output, String> {
        parse("y".to_owned(), text)
    }

    #[test]
    fn outputs_are_files_with_or_without_a_shape() {
        let output = |path: &str, form, shape: Option<&str>| {
            let shape = shape.map(|shape| shape.parse().unwrap());
            Ok(Output { key: "y".to_owned(), path: path.into(), form, shape })
        };
        assert_eq!(parsed("a/y.npy"), output("a/y.npy", Form::Npy, None));
        assert_eq!(parsed("y.BIN"), output("y.BIN", Form::Raw, None));
        assert_eq!(parsed("y.npy:512x512"), output("y.npy", Form::Npy, Some("512x512")));
        assert_eq!(parsed("c:/y.png:4x2"), output("c:/y.png", Form::Picture, Some("4x2")));
        assert_eq!(parsed("c:/y.png"), output("c:/y.png", Form::Picture, None));
        for wrong in ["", "y", "y.txt", "npy", "y.npy:", "y.npy:many", "y.bin:4x2", "y.txt:4x2"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
