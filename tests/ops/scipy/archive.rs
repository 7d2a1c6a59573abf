//! Archives of `numpy.savez`: members that are stored, with arrays of `float64` and `int64`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::outcome::{TestResult, fail};

/// The arrays of a file.
pub(super) struct Archive(BTreeMap<String, Array>);

enum Array {
    Reals(Vec<f64>),
    Whole(Vec<i64>),
}

impl Archive {
    pub(super) fn read(path: &Path) -> TestResult<Self> {
        match members(&std::fs::read(path)?) {
            Some(members) => Ok(Self(members)),
            None => fail(format!(
                "{}: expected an archive of float64 and int64: make it again with tests/ops/scipy/cases.py",
                path.display()
            )),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn reals(&self, name: &str) -> TestResult<&[f64]> {
        match self.0.get(name) {
            Some(Array::Reals(numbers)) => Ok(numbers),
            _ => fail(format!("expected an array '{name}' of float64")),
        }
    }

    pub(super) fn whole(&self, name: &str) -> TestResult<Vec<usize>> {
        match self.0.get(name) {
            Some(Array::Whole(numbers)) => Ok(numbers.iter().map(|number| *number as usize).collect()),
            _ => fail(format!("expected an array '{name}' of int64")),
        }
    }

    /// An array of one number.
    pub(super) fn one(&self, name: &str) -> TestResult<usize> {
        match self.whole(name)?[..] {
            [number] => Ok(number),
            _ => fail(format!("expected one number as '{name}'")),
        }
    }

    pub(super) fn real(&self, name: &str) -> TestResult<f64> {
        match self.reals(name)? {
            [number] => Ok(*number),
            _ => fail(format!("expected one number as '{name}'")),
        }
    }
}

/// The members of a ZIP archive, by its list at the end (PKWARE's APPNOTE.TXT, section 4.3.12).
fn members(file: &[u8]) -> Option<BTreeMap<String, Array>> {
    let short = |at: usize| Some(u16::from_le_bytes(file.get(at..at + 2)?.try_into().ok()?) as usize);
    let long = |at: usize| Some(u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?) as usize);
    let end = file.len().checked_sub(22)?;
    let mut at = long(end + 16)?;
    let mut found = BTreeMap::new();
    for _ in 0..short(end + 10)? {
        let (stored, size, start) = (short(at + 10)? == 0, long(at + 24)?, long(at + 42)?);
        let name = String::from_utf8_lossy(file.get(at + 46..at + 46 + short(at + 28)?)?).into_owned();
        at += 46 + short(at + 28)? + short(at + 30)? + short(at + 32)?;
        let start = start + 30 + short(start + 26)? + short(start + 28)?;
        let contents = file.get(start..start + size).filter(|_| stored)?;
        found.insert(name.strip_suffix(".npy")?.to_owned(), array(contents)?);
    }
    Some(found)
}

/// An array of version 1 of the format: magic number, version, length of the header, header, elements.
fn array(file: &[u8]) -> Option<Array> {
    let start = 10 + u16::from_le_bytes(file.get(8..10)?.try_into().ok()?) as usize;
    let header = String::from_utf8_lossy(file.get(..start)?).into_owned();
    let elements = || file[start..].chunks_exact(8).filter_map(|bytes| <[u8; 8]>::try_from(bytes).ok());
    if header.contains("'fortran_order': True") {
        None
    } else if header.contains("'<f8'") {
        Some(Array::Reals(elements().map(f64::from_le_bytes).collect()))
    } else if header.contains("'<i8'") {
        Some(Array::Whole(elements().map(i64::from_le_bytes).collect()))
    } else {
        None
    }
}
