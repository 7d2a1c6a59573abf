//! IDX files: the format of MNIST and its successors.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Dataset, LoaderError, ReadError};
use crate::element::Element;

/// A data set of arrays and their labels, from two files in IDX format. A sample has two fields: the elements of an
/// array as `T`, and one label.
///
/// The format is that of MNIST ("The IDX file format", Y. `LeCun`, C. Cortes, C. Burges): two zero bytes, a byte for
/// the type of the elements, a byte for the number of dimensions, the sizes of the dimensions, then the elements; all
/// numbers are big-endian. The first dimension counts the samples. Compressed files (`.gz`) must be decompressed first.
/// Both files are kept in memory unchanged.
///
/// ```no_run
/// use anywarp::loader::{IdxDataset, Loader};
///
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open_default()?;
/// let digits = IdxDataset::<f32>::open("train-images-idx3-ubyte", "train-labels-idx1-ubyte")?;
/// assert_eq!(digits.shape(), [28, 28]);
/// let mut loader = Loader::builder(&device, digits).batch_size(64).shuffle(1).build()?;
/// for batch in loader.epoch(0) {
///     let batch = batch?;
///     let (images, labels) = batch.fields(); // f32 from 0 to 255, and u32
/// #   let _ = (images, labels);
/// }
/// # Ok(())
/// # }
/// ```
pub struct IdxDataset<T> {
    arrays: Array,
    labels: Array,
    _element: std::marker::PhantomData<fn() -> T>,
}

/// The types to which elements of an IDX file are converted: `u8`, `i32`, `u32`, `f32`, `f64`. A number out of range is
/// converted to the nearest value.
pub trait IdxElement: Element + Send + Sync {
    /// Converts a number to this type.
    #[doc(hidden)]
    fn from_number(value: f64) -> Self;
}

macro_rules! elements {
    ($($rust:ty),*) => {$(
        impl IdxElement for $rust {
            fn from_number(value: f64) -> Self {
                value as Self
            }
        }
    )*};
}

elements!(u8, i32, u32, f32, f64);

impl<T: IdxElement> IdxDataset<T> {
    /// Reads both files.
    ///
    /// # Errors
    /// [`LoaderError::File`] names a file that cannot be read or has another format, and what was expected; also if the
    /// files have different numbers of samples, or a label is an array.
    pub fn open(arrays: impl AsRef<Path>, labels: impl AsRef<Path>) -> Result<Self, LoaderError> {
        let (arrays, labels) = (Array::open(arrays.as_ref())?, Array::open(labels.as_ref())?);
        if labels.sample_length() != 1 {
            let message = format!("expected labels of one number each, got labels of the shape {:?}", labels.shape());
            return Err(labels.wrong(message));
        }
        if labels.samples() != arrays.samples() {
            let message = format!("there are {} labels for the {} samples of ", labels.samples(), arrays.samples());
            return Err(labels.wrong(message + &arrays.file.display().to_string()));
        }
        Ok(Self { arrays, labels, _element: std::marker::PhantomData })
    }

    /// The sizes of one array: `[28, 28]` for 28 rows of 28.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.arrays.shape()
    }
}

impl<T: IdxElement> Dataset for IdxDataset<T> {
    type Fields = (T, u32);

    fn len(&self) -> usize {
        self.arrays.samples()
    }

    fn lengths(&self) -> [usize; 2] {
        [self.arrays.sample_length(), 1]
    }

    fn read(&self, index: usize, (array, label): (&mut [T], &mut [u32])) -> Result<(), ReadError> {
        self.arrays.read(index, array)?;
        self.labels.read(index, label)
    }
}

/// The contents of one IDX file.
struct Array {
    file: PathBuf,
    kind: Kind,
    sizes: Vec<usize>,
    /// The whole file.
    bytes: Vec<u8>,
    /// The offset of the first element in `bytes`.
    start: usize,
}

/// The type of the elements of an IDX file.
#[derive(Clone, Copy)]
enum Kind {
    U8,
    I8,
    I16,
    I32,
    F32,
    F64,
}

impl Kind {
    fn of(code: u8) -> Option<Self> {
        Some(match code {
            0x08 => Self::U8,
            0x09 => Self::I8,
            0x0B => Self::I16,
            0x0C => Self::I32,
            0x0D => Self::F32,
            0x0E => Self::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::I16 => 2,
            Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

impl Array {
    fn open(file: &Path) -> Result<Self, LoaderError> {
        let bytes = fs::read(file).map_err(|error| LoaderError::File {
            file: file.to_owned(),
            message: format!("cannot be read: {error}"),
        })?;
        Self::parse(file, bytes).map_err(|message| LoaderError::File { file: file.to_owned(), message })
    }

    fn parse(file: &Path, bytes: Vec<u8>) -> Result<Self, String> {
        let Some(&[0, 0, code, dimensions]) = bytes.first_chunk::<4>() else {
            let begins = &bytes[..bytes.len().min(4)];
            let packed =
                if bytes.starts_with(&[0x1f, 0x8b]) { "; it is compressed, so decompress it with gunzip" } else { "" };
            return Err(format!("expected an IDX file, which begins with two zero bytes, got {begins:02x?}{packed}"));
        };
        let kind = Kind::of(code).ok_or_else(|| {
            format!(
                "unknown element type {code:#04x}; IDX has 0x08 (u8), 0x09 (i8), 0x0b (i16), 0x0c (i32), \
                 0x0d (f32) and 0x0e (f64)"
            )
        })?;
        let start = 4 + 4 * usize::from(dimensions);
        let header = bytes.get(4..start).ok_or("the file ends within the sizes of its dimensions")?;
        let sizes: Vec<usize> = header.as_chunks().0.iter().map(|size| u32::from_be_bytes(*size) as usize).collect();
        if sizes.is_empty() {
            return Err("the file has no dimensions; the first one must count the samples".to_owned());
        }
        let wanted = sizes.iter().try_fold(kind.size(), |bytes, size| bytes.checked_mul(*size));
        let got = bytes.len() - start;
        if wanted != Some(got) {
            let wanted = wanted.map_or("more than can be addressed".to_owned(), |bytes| format!("{bytes} bytes"));
            return Err(format!("expected {wanted} for elements of the sizes {sizes:?}, got {got} bytes"));
        }
        Ok(Self { file: file.to_owned(), kind, sizes, bytes, start })
    }

    fn wrong(&self, message: String) -> LoaderError {
        LoaderError::File { file: self.file.clone(), message }
    }

    fn samples(&self) -> usize {
        self.sizes.first().copied().unwrap_or_default()
    }

    fn shape(&self) -> &[usize] {
        self.sizes.get(1..).unwrap_or_default()
    }

    /// The number of elements of a sample. If the file has samples, `parse` has checked that the number fits into
    /// `usize`; otherwise a larger number is replaced by `usize::MAX`.
    fn sample_length(&self) -> usize {
        self.shape().iter().fold(1, |product: usize, size| product.saturating_mul(*size))
    }

    fn read<T: IdxElement>(&self, index: usize, target: &mut [T]) -> Result<(), ReadError> {
        let size = self.sample_length().saturating_mul(self.kind.size());
        let start = self.start + index.saturating_mul(size);
        let Some(source) = self.bytes.get(start..start.saturating_add(size)).filter(|_| index < self.samples()) else {
            return Err(format!("{} has only {} samples", self.file.display(), self.samples()).into());
        };
        match self.kind {
            Kind::U8 => numbers(source, target, |[byte]| f64::from(byte)),
            Kind::I8 => numbers(source, target, |bytes| f64::from(i8::from_be_bytes(bytes))),
            Kind::I16 => numbers(source, target, |bytes| f64::from(i16::from_be_bytes(bytes))),
            Kind::I32 => numbers(source, target, |bytes| f64::from(i32::from_be_bytes(bytes))),
            Kind::F32 => numbers(source, target, |bytes| f64::from(f32::from_be_bytes(bytes))),
            Kind::F64 => numbers(source, target, f64::from_be_bytes),
        }
        Ok(())
    }
}

fn numbers<T: IdxElement, const N: usize>(source: &[u8], target: &mut [T], number: impl Fn([u8; N]) -> f64) {
    for (target, bytes) in target.iter_mut().zip(source.as_chunks().0) {
        *target = T::from_number(number(*bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(bytes: &[u8]) -> Result<Array, String> {
        Array::parse(Path::new("file"), bytes.to_vec())
    }

    #[test]
    fn elements_of_every_kind_are_read() {
        let cases: [(u8, &[u8], f64); 6] = [
            (0x08, &[200], 200.0),
            (0x09, &[0xFE], -2.0),
            (0x0B, &[0xFF, 0x00], -256.0),
            (0x0C, &[0x00, 0x01, 0x00, 0x00], 65536.0),
            (0x0D, &[0x3F, 0xC0, 0x00, 0x00], 1.5),
            (0x0E, &[0xC0, 0x04, 0, 0, 0, 0, 0, 0], -2.5),
        ];
        for (code, bytes, expected) in cases {
            let file = [&[0, 0, code, 2, 0, 0, 0, 2, 0, 0, 0, 1], bytes, bytes].concat();
            let array = parse(&file).unwrap();
            let mut got = [0.0f64];
            array.read(1, &mut got).unwrap();
            assert_eq!(got, [expected], "{code:#x}");
            assert!(array.read(2, &mut got).is_err());
        }
    }

    #[test]
    fn an_invalid_file_is_described() {
        let cases: [(&[u8], &str); 7] = [
            (&[], "begins with two zero bytes, got []"),
            (&[0x1f, 0x8b, 8, 0], "decompress it with gunzip"),
            (&[0, 0, 0x0A, 1], "element type 0x0a"),
            (&[0, 0, 8, 0], "no dimensions"),
            (&[0, 0, 8, 2, 0, 0], "ends within the sizes"),
            (&[0, 0, 8, 1, 0, 0, 0, 3, 1, 2], "expected 3 bytes for elements of the sizes [3], got 2 bytes"),
            (&[&[0, 0, 8, 3], [255; 12].as_slice()].concat(), "more than can be addressed"),
        ];
        for (bytes, expected) in cases {
            let error = parse(bytes).err().unwrap_or_else(|| panic!("{bytes:?} was taken"));
            assert!(error.contains(expected), "{bytes:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_file_makes_it_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..40), header: bool) {
            if header && bytes.len() >= 4 {
                (bytes[0], bytes[1], bytes[2], bytes[3]) = (0, 0, 8, bytes[3] % 4);
            }
            if let Ok(array) = parse(&bytes) {
                let mut target = vec![0u32; array.sample_length().min(100)];
                let _ = array.read(0, &mut target);
                let _ = array.read(usize::MAX, &mut target);
            }
        }
    }
}
