//! What a binding is filled with: a file, zeros, or random numbers.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anywarp::backend::BindingInfo;

use crate::dtype::Dtype;
use crate::failure::Failure;
use crate::{npy, random};

/// The value of `--bind`, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Npy(PathBuf),
    Raw(PathBuf),
    Zeros(u64),
    Random { seed: u64, dtype: Dtype, count: u64 },
}

/// What a buffer starts as.
pub(crate) enum Contents {
    /// This many bytes of zeros, which the device makes by itself.
    Zeros(u64),
    /// These bytes.
    Bytes(Vec<u8>),
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(bytes) = text.strip_prefix("zeros:") {
            return Ok(Self::Zeros(number(bytes, "BYTES")?));
        }
        if let Some(rest) = text.strip_prefix("rand:") {
            return random_source(rest);
        }
        match extension(Path::new(text)).as_str() {
            "npy" => Ok(Self::Npy(text.into())),
            "bin" => Ok(Self::Raw(text.into())),
            _ => Err(format!("expected FILE.npy, FILE.bin, zeros:BYTES or rand:SEED:DTYPE:COUNT, found '{text}'")),
        }
    }
}

fn random_source(text: &str) -> Result<Source, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let [seed, name, count] = parts[..] else {
        return Err(format!("expected rand:SEED:DTYPE:COUNT, found 'rand:{text}'"));
    };
    let (_, dtype) = random::DTYPES
        .into_iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(|| format!("DTYPE is one of f32, f16, i32 and u32, found '{name}'"))?;
    Ok(Source::Random { seed: number(seed, "SEED")?, dtype, count: number(count, "COUNT")? })
}

fn number(text: &str, what: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("{what} is a whole number below 2^64, found '{text}'"))
}

/// The extension in lower case; empty where there is none.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

impl Source {
    /// Reads or makes what `binding` is to start with. `limit` is the size in bytes of the largest
    /// buffer that the device has.
    ///
    /// # Errors
    /// A file that cannot be read, is malformed or has a dtype that is not the binding's; a size
    /// above `limit`.
    pub(crate) fn load(&self, binding: &BindingInfo, limit: u64) -> Result<Contents, Failure> {
        match self {
            Self::Npy(path) => {
                let array = npy::parse(read(path, binding)?).map_err(|message| in_file(path, binding, &message))?;
                check_dtype(array.dtype, binding).map_err(|message| in_file(path, binding, &message))?;
                Ok(Contents::Bytes(array.bytes))
            }
            Self::Raw(path) => Ok(Contents::Bytes(read(path, binding)?)),
            Self::Zeros(bytes) => {
                check_size(Some(*bytes), binding, limit)?;
                Ok(Contents::Zeros(*bytes))
            }
            Self::Random { seed, dtype, count } => {
                check_size(count.checked_mul(dtype.width() as u64), binding, limit)?;
                let made = usize::try_from(*count).ok().and_then(|count| random::bytes(*seed, *dtype, count));
                made.map(Contents::Bytes).ok_or_else(|| {
                    Failure::File(format!("binding '{}': no memory for {count} random numbers", binding.name))
                })
            }
        }
    }
}

fn read(path: &Path, binding: &BindingInfo) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| in_file(path, binding, &error.to_string()))
}

fn in_file(path: &Path, binding: &BindingInfo, message: &str) -> Failure {
    Failure::File(format!("{} for binding '{}': {message}", path.display(), binding.name))
}

fn check_dtype(found: Dtype, binding: &BindingInfo) -> Result<(), String> {
    let name = &binding.layout.name;
    match Dtype::of(&binding.layout) {
        Some(expected) if found == expected => Ok(()),
        None if found.width() == 1 => Ok(()),
        Some(expected) => Err(format!(
            "expected dtype {expected} ('{name}'), found {found}; convert it, or give raw bytes as a .bin file"
        )),
        None => Err(format!(
            "expected dtype u1, the bytes of '{name}' with its padding (it is no plain array of one scalar type), \
             found {found}"
        )),
    }
}

fn check_size(bytes: Option<u64>, binding: &BindingInfo, limit: u64) -> Result<(), Failure> {
    match bytes {
        Some(bytes) if bytes <= limit => Ok(()),
        _ => {
            let asked = bytes.map_or("2^64 bytes or more".to_owned(), |bytes| format!("{bytes} bytes"));
            let name = &binding.name;
            Err(Failure::File(format!(
                "binding '{name}': {asked} were asked for, the device's largest buffer has {limit} bytes"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::tests::{F32, array, scalar, vector};
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

    #[test]
    fn sources_have_four_forms() {
        let table = [
            ("a/b.npy", Source::Npy("a/b.npy".into())),
            ("B.NPY", Source::Npy("B.NPY".into())),
            ("data.bin", Source::Raw("data.bin".into())),
            ("zeros:4096", Source::Zeros(4096)),
            ("zeros:0x10", Source::Zeros(16)),
            ("rand:7:f16:3", Source::Random { seed: 7, dtype: Dtype::F2, count: 3 }),
        ];
        for (text, source) in table {
            assert_eq!(text.parse(), Ok(source), "{text}");
        }
        for wrong in
            ["", "x", "x.txt", "zeros:", "zeros:-1", "rand:1:f32", "rand:1:f64:2", "rand:x:f32:2", "rand:1:f32:2:3"]
        {
            assert!(wrong.parse::<Source>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn dtypes_must_be_the_bindings() {
        let floats = binding(array(scalar(F32), None));
        assert!(check_dtype(Dtype::F4, &floats).is_ok());
        let message = check_dtype(Dtype::F8, &floats).unwrap_err();
        assert!(message.contains("f4") && message.contains("f8") && message.contains("array<f32>"), "{message}");

        let padded = binding(array(vector(3, F32), None));
        assert!(check_dtype(Dtype::U1, &padded).is_ok());
        assert!(check_dtype(Dtype::F4, &padded).is_err());
    }

    #[test]
    fn sizes_above_the_devices_limit_are_refused_before_memory_is_taken() {
        let floats = binding(array(scalar(F32), None));
        for text in ["zeros:1025", "rand:1:f32:257", "rand:1:f32:18446744073709551615"] {
            assert!(text.parse::<Source>().unwrap().load(&floats, 1024).is_err(), "{text}");
        }
        assert!("rand:1:f32:256".parse::<Source>().unwrap().load(&floats, 1024).is_ok());
    }
}
