//! Listing and clearing the cache's folder. Only files with the cache's own names are read or removed, and no symbolic
//! link is followed: other files in the folder are kept.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::key::is_entry;
use super::{DiskCache, KINDS};

/// A summary of the cache's entries of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The kind of the entries, one of [`KINDS`].
    pub kind: &'static str,
    /// The number of files.
    pub files: u64,
    /// The total size of the files in bytes.
    pub bytes: u64,
    /// The time of the least recent use of a file; `None` without files.
    pub oldest: Option<SystemTime>,
    /// The time of the most recent use of a file; `None` without files.
    pub newest: Option<SystemTime>,
}

/// The result of clearing the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// The number of files removed.
    pub files: u64,
    /// The total size of the removed files in bytes.
    pub bytes: u64,
    /// The number of files that could not be removed.
    pub left: u64,
}

impl DiskCache {
    /// Returns a summary of the entries of each kind.
    #[must_use]
    pub fn contents(&self) -> Vec<Contents> {
        let of = |kind: &&'static str| {
            let files = files(&self.folder().join(kind));
            Contents {
                kind,
                files: files.len() as u64,
                bytes: files.iter().map(|file| file.bytes).sum(),
                oldest: files.iter().map(|file| file.used).min(),
                newest: files.iter().map(|file| file.used).max(),
            }
        };
        KINDS.iter().map(of).collect()
    }

    /// Removes all files of one kind, or of every kind, and half-written files of processes that ended.
    pub fn clear(&self, kind: Option<&str>) -> Removed {
        let mut removed = Removed::default();
        for known in KINDS.iter().filter(|known| kind.is_none_or(|kind| kind == **known)) {
            let folder = self.folder().join(known);
            let whole = files(&folder).into_iter().map(|file| (is_gone(&file.path), file));
            for (gone, file) in whole.chain(abandoned(&folder)) {
                removed.files += u64::from(gone);
                removed.bytes += if gone { file.bytes } else { 0 };
                removed.left += u64::from(!gone);
            }
        }
        removed
    }
}

/// One file of the cache, with its size and the time of its last use.
pub(super) struct Stored {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    pub(super) used: SystemTime,
}

/// The cache entries in `folder`, without files that another process removes meanwhile.
pub(super) fn files(folder: &Path) -> Vec<Stored> {
    named(folder, is_entry)
}

/// Removes a file; returns whether the file no longer exists, which is also true if another process removed it.
pub(super) fn is_gone(path: &Path) -> bool {
    fs::remove_file(path).map_or_else(|error| error.kind() == ErrorKind::NotFound, |()| true)
}

const UNFINISHED: &str = ".unfinished-";

/// The age above which a half-written file is taken to be left by a process that ended.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The name of a file that is not completely written yet.
pub(super) fn unfinished(number: u64) -> String {
    format!("{UNFINISHED}{}-{number}.anywarp", std::process::id())
}

/// Removes the half-written files of processes that ended; returns each file, and whether it no longer exists.
pub(super) fn abandoned(folder: &Path) -> Vec<(bool, Stored)> {
    let old = |file: &Stored| file.used.elapsed().is_ok_and(|age| age > ABANDONED);
    let unfinished = named(folder, |name| name.starts_with(UNFINISHED) && name.ends_with(".anywarp"));
    unfinished.into_iter().filter(old).map(|file| (is_gone(&file.path), file)).collect()
}

fn named(folder: &Path, is_ours: impl Fn(&str) -> bool) -> Vec<Stored> {
    // A symbolic link may point to a folder that does not belong to the cache.
    if !fs::symlink_metadata(folder).is_ok_and(|about| about.is_dir()) {
        return Vec::new();
    }
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    all.filter(|entry| is_ours(&entry.file_name().to_string_lossy()))
        .filter_map(|entry| {
            let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some(Stored { path: entry.path(), bytes: about.len(), used: about.modified().ok()? })
        })
        .collect()
}
