//! The data of each `--bind`, in memory: checked against the binding's type before the run.

use std::path::Path;

use anywarp::backend::BindingInfo;

use crate::dtype::Dtype;
use crate::failure::Failure;
use crate::made::{Made, Rule};
use crate::npy;
use crate::picture::{self, Pixels};
use crate::source::{Bind, Source};

/// The initial contents of a buffer.
pub(crate) struct Contents {
    pub(crate) data: Data,
    /// The shape of the array in the file.
    pub(crate) shape: Option<Vec<u64>>,
    /// Width and height of the picture in the file.
    pub(crate) picture: Option<[u32; 2]>,
}

/// The bytes of a buffer.
pub(crate) enum Data {
    /// This number of zeros, which the device creates itself.
    Zeros(u64),
    /// These bytes.
    Bytes(Vec<u8>),
}

impl Contents {
    fn new(data: Data) -> Self {
        Self { data, shape: None, picture: None }
    }

    /// The size of the buffer in bytes.
    pub(crate) fn len(&self) -> u64 {
        match &self.data {
            Data::Zeros(bytes) => *bytes,
            Data::Bytes(bytes) => bytes.len() as u64,
        }
    }
}

/// Checks the source without reading a file: its elements must have the binding's type.
///
/// # Errors
/// An error with the argument, the expected type, the actual type, and the corrected argument.
pub(crate) fn check(bind: &Bind, binding: &BindingInfo) -> Result<(), Failure> {
    match &bind.source {
        Source::Made(made) => check_made(bind, made, binding),
        Source::Picture(_) => Pixels::of(&binding.layout)
            .map(|_| ())
            .ok_or_else(|| Failure::Usage(format!("{}: {}", bind.argument(), picture::expected(binding)))),
        Source::Npy(_) | Source::Raw(_) | Source::Zeros(_) => Ok(()),
    }
}

/// Reads or makes the initial contents of `binding`. `limit` is the size in bytes of the device's largest buffer.
///
/// # Errors
/// A file that cannot be read, is malformed or has another dtype than the binding; a size above `limit`.
pub(crate) fn load(bind: &Bind, binding: &BindingInfo, limit: u64) -> Result<Contents, Failure> {
    let in_file = |message: String| Failure::File(format!("{}: {message}", bind.argument()));
    match &bind.source {
        Source::Npy(path) => {
            let array = npy::parse(read(path).map_err(in_file)?).map_err(in_file)?;
            check_dtype(array.dtype, binding).map_err(in_file)?;
            Ok(Contents { data: Data::Bytes(array.bytes), shape: Some(array.shape), picture: None })
        }
        Source::Raw(path) => Ok(Contents::new(Data::Bytes(read(path).map_err(in_file)?))),
        Source::Picture(path) => {
            let pixels = Pixels::of(&binding.layout).ok_or_else(|| in_file(picture::expected(binding)))?;
            let picture = picture::parse(&read(path).map_err(in_file)?, pixels).map_err(in_file)?;
            let [width, height] = picture.size;
            let mut shape = vec![u64::from(height), u64::from(width)];
            shape.extend((pixels.channels() > 1).then_some(pixels.channels()));
            Ok(Contents { data: Data::Bytes(picture.bytes), shape: Some(shape), picture: Some(picture.size) })
        }
        Source::Zeros(bytes) => {
            check_size(bind, Some(*bytes), limit)?;
            Ok(Contents::new(Data::Zeros(*bytes)))
        }
        Source::Made(made) => {
            let bytes = check_size(bind, made.bytes(), limit)?;
            if made.rule == Rule::Zeros {
                return Ok(Contents::new(Data::Zeros(bytes)));
            }
            let data = made.make().map(|bytes| Contents::new(Data::Bytes(bytes)));
            data.ok_or_else(|| {
                Failure::Usage(format!(
                    "{}: this machine has not enough memory for {bytes} bytes: ask for fewer",
                    bind.argument()
                ))
            })
        }
    }
}

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| match path {
        path if path.is_dir() => "expected a file, found a folder: name a file in it".to_owned(),
        path if !path.exists() => "expected a file, there is none of this name: check the path".to_owned(),
        _ => format!("the file cannot be read: {error}: check the path and its permissions"),
    })
}

fn check_made(bind: &Bind, made: &Made, binding: &BindingInfo) -> Result<(), Failure> {
    let (name, found) = (&binding.layout.name, made.dtype.word());
    let refuse = |what: String| Err(Failure::Usage(format!("{}: {what}", bind.argument())));
    match Dtype::all_in(&binding.layout).as_slice() {
        [only] if *only == made.dtype => Ok(()),
        [only] => {
            let (word, key) = (only.word(), &bind.key);
            let fits = Made { dtype: *only, ..*made }.with(*only);
            refuse(format!(
                "expected {word}, as '{}' is {name}, found {found}: write --bind {key}={fits}",
                binding.name
            ))
        }
        several => {
            let words: Vec<&str> = several.iter().map(|dtype| dtype.word()).collect();
            refuse(format!(
                "expected the bytes of {name}, which is made of {}, found {found} alone: give a .bin file, a .npy of uint8, \
                 or zeros:BYTES",
                words.join(" and ")
            ))
        }
    }
}

fn check_dtype(found: Dtype, binding: &BindingInfo) -> Result<(), String> {
    let name = &binding.layout.name;
    match Dtype::of(&binding.layout) {
        Some(expected) if found == expected => Ok(()),
        None if found.width() == 1 => Ok(()),
        Some(expected) => Err(format!(
            "expected {expected}, as '{}' is {name}, found {found}: save array.astype(np.{expected}), or give raw bytes as \
             a .bin file",
            binding.name
        )),
        None => Err(format!(
            "expected uint8, the bytes of {name} with its padding (it is no plain array of one scalar type), found \
             {found}: save array.view(np.uint8), or give raw bytes as a .bin file",
        )),
    }
}

fn check_size(bind: &Bind, bytes: Option<u64>, limit: u64) -> Result<u64, Failure> {
    match bytes {
        Some(bytes) if bytes <= limit => Ok(bytes),
        _ => {
            let asked = bytes.map_or("2^64 bytes or more".to_owned(), |bytes| format!("{bytes} bytes"));
            Err(Failure::Usage(format!(
                "{}: expected at most {limit} bytes, the largest buffer of the device, found {asked}: ask for fewer",
                bind.argument()
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::tests::{F32, U32, array, scalar, structure, vector};
    use anywarp::backend::{Access, BindingClass, Layout, ResourceId};

    fn binding(layout: Layout) -> BindingInfo {
        BindingInfo {
            name: "x".to_owned(),
            resource: ResourceId { group: 0, binding: 0 },
            class: BindingClass::ReadOnlyStorage,
            access: Access::Read,
            layout,
        }
    }

    fn bind(text: &str) -> Bind {
        Bind { key: "x".to_owned(), text: text.to_owned(), source: text.parse().unwrap() }
    }

    #[test]
    fn dtypes_of_files_must_be_the_bindings() {
        let floats = binding(array(scalar(F32), None));
        assert!(check_dtype(Dtype::F4, &floats).is_ok());
        let message = check_dtype(Dtype::F8, &floats).unwrap_err();
        assert!(message.starts_with("expected float32, as 'x' is array<f32>, found float64: save"), "{message}");

        let padded = binding(array(vector(3, F32), None));
        assert!(check_dtype(Dtype::U1, &padded).is_ok());
        assert!(check_dtype(Dtype::F4, &padded).is_err());
    }

    #[test]
    fn types_of_what_is_made_must_be_the_bindings() {
        let floats = binding(array(scalar(F32), None));
        let message = |text: &str, binding: &BindingInfo| check(&bind(text), binding).unwrap_err().to_string();
        assert_eq!(
            message("rand:1:u32:64", &floats),
            "--bind x=rand:1:u32:64: expected f32, as 'x' is array<f32>, found u32: write --bind x=rand:1:f32:64"
        );
        assert!(message("zeros:i32:64", &floats).ends_with("write --bind x=zeros:f32:64"));
        for fits in ["rand:1:float32:64", "range:f32:4", "zeros:64"] {
            assert!(check(&bind(fits), &floats).is_ok(), "{fits}");
        }
        // Padding may hold numbers like any other bytes.
        assert!(check(&bind("rand:1:f32:64"), &binding(array(vector(3, F32), None))).is_ok());
        let mixed = binding(array(structure("Cell", vec![("n", scalar(U32)), ("a", scalar(F32))]), None));
        assert!(message("ones:f32:64", &mixed).contains("which is made of u32 and f32, found f32 alone: give a .bin"));
        assert!(message("a.png", &mixed).contains("array<Cell>"), "{}", message("a.png", &mixed));
    }

    #[test]
    fn sizes_above_the_devices_limit_are_refused_before_memory_is_taken() {
        let floats = binding(array(scalar(F32), None));
        for text in ["zeros:1025", "rand:1:f32:257", "ones:f32:1Ti", "rand:1:f32:18446744073709551615"] {
            assert!(load(&bind(text), &floats, 1024).is_err(), "{text}");
        }
        for text in ["rand:1:f32:256", "zeros:f32:256", "range:f32:256", "zeros:1Ki"] {
            assert_eq!(load(&bind(text), &floats, 1024).map(|contents| contents.len()).ok(), Some(1024), "{text}");
        }
    }
}
