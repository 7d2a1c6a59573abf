//! Folders of pictures.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use image::imageops::FilterType;
use image::{DynamicImage, ImageReader};

use super::{Dataset, LoaderError, ReadError};

/// How a picture is fitted to the requested size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fit {
    /// The picture is scaled to cover the requested size, and cropped to its centre: it is not distorted.
    #[default]
    Crop,
    /// The picture is scaled to the requested width and height independently: it is not cropped.
    Stretch,
}

/// A data set of pictures in folders, one folder for each class: `root/cat/1.png`, `root/dog/7.jpeg`. A sample has two
/// fields: the pixels, row after row, and the number of the class.
///
/// A pixel is one `u32`, which a kernel unpacks by `unpack4x8unorm(pixel)`: red, green, blue and alpha from 0 to 1.
/// Classes are the folders in the order of their names; pictures are the files with an extension of PNG or JPEG. A file
/// is opened only when it is read. It is decoded, then scaled by a triangle filter (bilinear when enlarging).
///
/// ```no_run
/// use anywarp::loader::{Fit, ImageFolder, Loader};
///
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open_default()?;
/// let pictures = ImageFolder::open("pets", [224, 224], Fit::Crop)?;
/// println!("{:?}", pictures.classes());
/// let mut loader = Loader::builder(&device, pictures).batch_size(16).shuffle(1).workers(4).build()?;
/// for batch in loader.epoch(0) {
///     let batch = batch?;
///     let (pixels, classes) = batch.fields();
/// #   let _ = (pixels, classes);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ImageFolder {
    classes: Vec<String>,
    files: Vec<(PathBuf, u32)>,
    width: u32,
    height: u32,
    fit: Fit,
}

impl ImageFolder {
    /// Lists the folders; every picture is scaled to `[width, height]` pixels.
    ///
    /// # Errors
    /// [`LoaderError::File`] for a folder that cannot be listed, no class, or a size of 0.
    pub fn open(root: impl AsRef<Path>, [width, height]: [u32; 2], fit: Fit) -> Result<Self, LoaderError> {
        let root = root.as_ref();
        let wrong = |message: String| LoaderError::File { file: root.to_owned(), message };
        if width == 0 || height == 0 {
            return Err(wrong(format!("expected a width and a height of at least 1 pixel, got {width} x {height}")));
        }
        let mut folders = listed(root)?;
        folders.retain(|path| path.is_dir());
        if folders.is_empty() {
            return Err(wrong("expected one folder of pictures for each class, found no folders".to_owned()));
        }
        let (mut classes, mut files) = (Vec::new(), Vec::new());
        for (class, folder) in (0..).zip(&folders) {
            classes.push(folder.file_name().unwrap_or_default().to_string_lossy().into_owned());
            let pictures = listed(folder)?.into_iter().filter(|path| is_picture(path));
            files.extend(pictures.map(|path| (path, class)));
        }
        Ok(Self { classes, files, width, height, fit })
    }

    /// The names of the classes, by their numbers.
    #[must_use]
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The path of the file of the sample with this number; `None` if there is no such sample.
    #[must_use]
    pub fn file(&self, index: usize) -> Option<&Path> {
        self.files.get(index).map(|(path, _)| path.as_path())
    }
}

impl Dataset for ImageFolder {
    type Fields = (u32, u32);

    fn len(&self) -> usize {
        self.files.len()
    }

    fn lengths(&self) -> [usize; 2] {
        [(self.width as usize).saturating_mul(self.height as usize), 1]
    }

    fn read(&self, index: usize, (pixels, label): (&mut [u32], &mut [u32])) -> Result<(), ReadError> {
        let (path, class) = self.files.get(index).ok_or("there is no such picture")?;
        let picture = decoded(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let scaled = match self.fit {
            Fit::Crop => picture.resize_to_fill(self.width, self.height, FilterType::Triangle),
            Fit::Stretch => picture.resize_exact(self.width, self.height, FilterType::Triangle),
        };
        for (target, pixel) in pixels.iter_mut().zip(scaled.into_rgba8().pixels()) {
            *target = u32::from_le_bytes(pixel.0);
        }
        label.fill(*class);
        Ok(())
    }
}

/// Decodes by the content of the file, not by its name.
fn decoded(path: &Path) -> Result<DynamicImage, ReadError> {
    Ok(ImageReader::open(path)?.with_guessed_format()?.decode()?)
}

fn is_picture(path: &Path) -> bool {
    let end = path.extension().unwrap_or_default();
    path.is_file() && ["png", "jpg", "jpeg"].iter().any(|known| end.eq_ignore_ascii_case(known))
}

/// The entries of a folder, sorted by name.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, LoaderError> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = entries.map_err(|error: io::Error| LoaderError::File {
        file: folder.to_owned(),
        message: format!("the folder cannot be listed: {error}"),
    })?;
    paths.sort();
    Ok(paths)
}
