//! The folder of kept results.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anywarp_host::cache::cache;

use super::{Kept, Record, folder, record};
use crate::error::{Classified, Error, ErrorClass};

anywarp_backend::debug_as_display!(StoreError);

/// The folder of kept results cannot be used.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
#[error("{operation} the results of tuning in {folder} failed: {message}")]
pub struct StoreError {
    /// The operation that failed.
    pub operation: &'static str,
    /// The folder.
    pub folder: String,
    /// The message of the operating system.
    pub message: String,
}

impl Classified for StoreError {
    fn class(&self) -> ErrorClass {
        ErrorClass::Resource
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::part(error)
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
/// # Ok::<(), anywarp::tune::StoreError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    folder: PathBuf,
}

/// The number of files from which they are merged.
pub(super) const MANY: usize = 32;

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
    /// A [`StoreError`] if the folder exists and cannot be read.
    pub fn read(&self) -> Result<Kept, StoreError> {
        let texts = folder::read(&self.folder).map_err(|error| self.failed("reading", &error))?;
        Ok(Kept::merge(texts.iter().map(|(path, text)| (path.display().to_string(), text.as_str()))))
    }

    /// Adds results.
    ///
    /// # Errors
    /// A [`StoreError`] if they cannot be written.
    pub fn add(&self, records: &[Record]) -> Result<(), StoreError> {
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
    /// A [`StoreError`] if they cannot be written.
    pub fn import(&self, text: &str) -> Result<Kept, StoreError> {
        let kept = Kept::merge([("the imported text".to_owned(), text)]);
        self.add(&kept.records)?;
        Ok(kept)
    }

    /// Removes all results; returns the number of files. Other files in the folder are left alone.
    ///
    /// # Errors
    /// A [`StoreError`] for the first file that cannot be removed.
    pub fn clear(&self) -> Result<usize, StoreError> {
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

    fn failed(&self, operation: &'static str, error: &std::io::Error) -> StoreError {
        StoreError { operation, folder: self.folder.display().to_string(), message: error.to_string() }
    }
}

/// The time in microseconds since 1970; 0 if the clock of the machine is wrong.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
