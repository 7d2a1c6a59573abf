//! The results of tuning that are kept on disk.

mod folder;
mod record;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anywarp_host::cache::cache;

use super::TuneError;
use crate::environment;

pub use self::record::{Record, State};

/// Which results of earlier runs a [`Tuner`](super::Tuner) uses, and which it keeps.
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
        let words = [("off", Self::Off), ("pinned", Self::Pinned), ("record", Self::Record)];
        environment::tune(&words).unwrap_or(Self::Record)
    }
}

/// A folder of results, which several threads and processes may use at the same time.
///
/// Each call of [`add`](Self::add) writes a new file of text lines, under another name first, so that writers never
/// wait for each other or lose what another one has written. When there are many files, they are merged. Results for
/// the same candidate replace each other: the latest one is used. Files of other formats and damaged lines are
/// reported and otherwise ignored.
///
/// ```
/// use anywarp::tune::Store;
///
/// # let folder = std::env::temp_dir().join(format!("anywarp-store-{}", std::process::id()));
/// # let elsewhere = folder.join("elsewhere");
/// let store = Store::open(&folder);
/// let text = store.read()?.to_string(); // text that can be sent to another machine
/// assert_eq!(Store::open(&elsewhere).import(&text)?.records.len(), 0);
/// # std::fs::remove_dir_all(folder).ok();
/// # Ok::<(), anywarp::tune::TuneError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    folder: PathBuf,
}

/// The number of files from which they are merged.
const MANY: usize = 32;

impl Store {
    /// The folder `tune` in the cache folder of the user, see [`anywarp_host::cache`]; `None` if there is no cache.
    #[must_use]
    pub fn of_this_user() -> Option<Self> {
        cache().map(|cache| Self::open(cache.folder().join("tune")))
    }

    /// A store in this folder, which need not exist yet.
    #[must_use]
    pub fn open(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All results, without those that later ones replace.
    ///
    /// # Errors
    /// [`TuneError::Store`] if the folder exists and cannot be read.
    pub fn read(&self) -> Result<Kept, TuneError> {
        let texts = folder::read(&self.folder).map_err(|error| self.failed("reading", &error))?;
        Ok(Kept::merge(texts.iter().map(|(path, text)| (path.display().to_string(), text.as_str()))))
    }

    /// Adds results.
    ///
    /// # Errors
    /// [`TuneError::Store`] if they cannot be written.
    pub fn add(&self, records: &[Record]) -> Result<(), TuneError> {
        if records.is_empty() {
            return Ok(());
        }
        folder::write(&self.folder, &record::file(records)).map_err(|error| self.failed("writing", &error))?;
        // The results are kept already, so that an error here loses nothing.
        let _ = self.merge_files();
        Ok(())
    }

    /// Adds the results of a text, as written by the display of [`Kept`], and returns them.
    ///
    /// # Errors
    /// [`TuneError::Store`] if they cannot be written.
    pub fn import(&self, text: &str) -> Result<Kept, TuneError> {
        let kept = Kept::merge([("the imported text".to_owned(), text)]);
        self.add(&kept.records)?;
        Ok(kept)
    }

    /// Removes all results; returns the number of files. Other files in the folder are left alone.
    ///
    /// # Errors
    /// [`TuneError::Store`] for the first file that cannot be removed.
    pub fn clear(&self) -> Result<usize, TuneError> {
        folder::clear(&self.folder).map_err(|error| self.failed("clearing", &error))
    }

    /// Replaces many files by one. Files with damaged lines or of another format are left alone.
    fn merge_files(&self) -> std::io::Result<()> {
        let texts = folder::read(&self.folder)?;
        if texts.len() < MANY {
            return Ok(());
        }
        let named = |(path, text): &(PathBuf, String)| (path.clone(), Kept::merge([(String::new(), text.as_str())]));
        let mut sound: Vec<(PathBuf, Kept)> = texts.iter().map(named).collect();
        sound.retain(|(_, kept)| kept.problems.is_empty());
        let paths: Vec<PathBuf> = sound.iter().map(|(path, _)| path.clone()).collect();
        let all = Kept::latest(sound.into_iter().flat_map(|(_, kept)| kept.records), Vec::new());
        folder::write(&self.folder, &record::file(&all.records))?;
        paths.iter().try_for_each(|path| folder::remove(path))
    }

    fn failed(&self, operation: &'static str, error: &std::io::Error) -> TuneError {
        TuneError::Store { operation, folder: self.folder.display().to_string(), message: error.to_string() }
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

impl Kept {
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

/// The time in microseconds since 1970; 0 if the clock of the machine is wrong.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
