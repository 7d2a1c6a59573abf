//! The results of tuning that are kept on disk. They are below the operators, which use them, and the tuners, which
//! write them.

#[cfg(not(target_arch = "wasm32"))] // a browser has no folders
mod folder;
mod record;
#[cfg(not(target_arch = "wasm32"))]
mod store;

use std::collections::HashMap;

use anywarp_backend::Caps;

use crate::environment;

pub use self::record::{Record, State};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use self::store::now;
#[cfg(not(target_arch = "wasm32"))]
pub use self::store::{Store, StoreError};

/// Which results of earlier runs a [`Tuner`](crate::tune::Tuner) uses, and which it keeps.
///
/// Operators use kept results in each mode but [`Off`](Self::Off), and measure nothing when they are called: an
/// [`OperatorTuner`](crate::tune::OperatorTuner) does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// Nothing is measured or looked up: the kernel has its default values.
    Off,
    /// The kept result is used, or else the default values; nothing is measured. The same kernels run in each run.
    Pinned,
    /// The kept result is used. If there is none, the candidates are measured, and the result is kept.
    Record,
    /// The candidates are measured in any case, and the result is kept.
    Again,
}

impl Mode {
    /// The mode that `ANYWARP_TUNE` names (`off`, `pinned` or `record`), else [`Record`](Self::Record).
    #[must_use]
    pub fn of_environment() -> Self {
        Self::named().unwrap_or(Self::Record)
    }

    /// The mode that `ANYWARP_TUNE` names, if any.
    pub(crate) fn named() -> Option<Self> {
        environment::tune(&[("off", Self::Off), ("pinned", Self::Pinned), ("record", Self::Record)])
    }
}

/// Results with the problems of reading them. Its display is a text for [`Store::import`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Kept {
    /// The latest result of each candidate, sorted by device, kernel and sizes.
    pub records: Vec<Record>,
    /// The files and lines that were ignored, with their reasons.
    pub problems: Vec<String>,
}

/// The last word of the kernel's name in results of operators that are a part of the crate.
const OPERATOR: &str = " operator";

/// The last words of the kernel's name in kept results of operators. The fingerprint stands for the texts of all
/// operators and for the code that launches them.
const KEPT_OPERATOR: &str = concat!(" operator ", env!("OPERATORS_FINGERPRINT"));

/// The kernel's name in kept results of an operator.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn kernel_of(operator: &str) -> String {
    format!("{operator}{KEPT_OPERATOR}")
}

/// The operator that a kernel's name in a result stands for, if any. Results of other kernels of the same operator stand
/// for none, those of known cards for the operator as it is.
pub(crate) fn operator_of(kernel: &str) -> Option<&str> {
    kernel.strip_suffix(KEPT_OPERATOR).or_else(|| kernel.strip_suffix(OPERATOR))
}

/// The name of a device in results.
pub(crate) fn device_of(caps: &Caps) -> String {
    let checked = if caps.checked { " (checked)" } else { "" };
    format!("{} {}{checked}", caps.backend.name(), caps.name)
}

impl Kept {
    /// The results of one text, with its name for problems. Lines that begin with `#` are comments.
    pub(crate) fn of_text(name: &str, text: &str) -> Self {
        Self::merge([(name.to_owned(), text)])
    }

    /// The results of several texts, each with its name for problems.
    fn merge<'t>(texts: impl IntoIterator<Item = (String, &'t str)>) -> Self {
        let mut problems = Vec::new();
        let mut records = Vec::new();
        for (name, text) in texts {
            for (line, read) in record::read(text) {
                match read {
                    Ok(record) => records.push(record),
                    Err(problem) => problems.push(format!("{name}:{line}: {problem}")),
                }
            }
        }
        Self::latest(records, problems)
    }

    fn latest(records: impl IntoIterator<Item = Record>, problems: Vec<String>) -> Self {
        let mut latest: HashMap<[String; 6], Record> = HashMap::new();
        for record in records {
            let key = record.identity();
            if latest.get(&key).is_none_or(|known| known.at <= record.at) {
                latest.insert(key, record);
            }
        }
        let mut records: Vec<Record> = latest.into_values().collect();
        records.sort_by_cached_key(Record::identity);
        Self { records, problems }
    }
}

impl std::fmt::Display for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&record::file(&self.records))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
