//! The folder: look up, store, evict.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use super::contents::{abandoned, files, is_gone, unfinished};
use super::key::Key;
use super::{KINDS, entry};

anywarp_backend::debug_as_display!(NotKept);

/// A folder of files by key, which threads and processes may use at once.
///
/// A file is written under another name and then renamed, so that no process sees half of one; its time
/// of change is that of its last use. When the files of all kinds take more than they may, the ones
/// that were used longest ago go, until a quarter of the room is free. Files that other processes store
/// meanwhile is noticed only then, so the bound holds within what they store.
///
/// ```
/// use anywarp_host::cache::{DiskCache, Key};
///
/// # let folder = std::env::temp_dir().join(format!("anywarp-cache-example-{}", std::process::id()));
/// let cache = DiskCache::open(&folder, 1 << 20);
/// let key = Key::new("cuda", ["version of the compiler", "text"]);
/// cache.put(&key, b"machine code")?;
/// assert_eq!(cache.get(&key).as_deref(), Some(&b"machine code"[..]));
/// # std::fs::remove_dir_all(&folder).ok();
/// # Ok::<(), anywarp_host::cache::NotKept>(())
/// ```
#[derive(Debug)]
pub struct DiskCache {
    folder: PathBuf,
    limit: u64,
    /// The bytes that the files take, as far as this process knows; `None` until something is stored.
    bytes: Mutex<Option<u64>>,
    /// Storing failed once: it is not tried again.
    pub(super) given_up: AtomicBool,
}

/// Why nothing is kept on disk.
#[derive(thiserror::Error)]
#[error(
    "compiled kernels are not kept on disk: {}: {error} (ANYWARP_CACHE names another folder, or is 'off')",
    folder.display()
)]
pub struct NotKept {
    /// The cache's folder.
    pub folder: PathBuf,
    /// The first error.
    pub error: io::Error,
}

impl DiskCache {
    /// A cache in this folder, which need not be there yet, for files of `limit` bytes together.
    #[must_use]
    pub fn open(folder: impl Into<PathBuf>, limit: u64) -> Self {
        Self { folder: folder.into(), limit, bytes: Mutex::new(None), given_up: AtomicBool::new(false) }
    }

    /// The folder. The files lie in one folder for each kind, inside of it.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many bytes the files of all kinds may take together.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns the bytes stored under this key, if it is there and whole.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.path(key);
        let mut bytes = Vec::new();
        File::open(&path).and_then(|mut file| file.read_to_end(&mut bytes)).ok()?;
        // One that is damaged, or of another key with this hash, will be replaced.
        let content = entry::content(&bytes, key)?.len();
        // A cache that may only be read has no order in which files go.
        let _ = File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        bytes.drain(..bytes.len() - content);
        Some(bytes)
    }

    /// Stores this under the key, in place of what was there. More than the whole cache may hold is
    /// not stored.
    ///
    /// # Errors
    /// [`NotKept`], once: from then on nothing is stored.
    pub fn put(&self, key: &Key, content: &[u8]) -> Result<(), NotKept> {
        if self.given_up.load(Ordering::Relaxed) {
            return Ok(());
        }
        let file = entry::file(key, content);
        let size = file.len() as u64;
        if size > self.limit {
            return Ok(());
        }
        if let Err(error) = write(&self.path(key), &file) {
            let said = self.given_up.swap(true, Ordering::Relaxed);
            return if said { Ok(()) } else { Err(NotKept { folder: self.folder.clone(), error }) };
        }
        // A poisoned lock holds a number all the same.
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let all = || KINDS.iter().flat_map(|kind| files(&self.folder.join(kind))).map(|file| file.bytes).sum();
        let total = bytes.map_or_else(all, |bytes| bytes + size);
        *bytes = Some(if total > self.limit { self.evict() } else { total });
        Ok(())
    }

    pub(super) fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(key.kind()).join(key.file_name())
    }

    /// Removes what was used longest ago, whatever its kind, until three quarters of the room are
    /// taken; returns what the rest takes.
    fn evict(&self) -> u64 {
        let folders = KINDS.iter().map(|kind| self.folder.join(kind));
        let mut files: Vec<_> =
            folders.inspect(|folder| _ = abandoned(folder)).flat_map(|folder| files(&folder)).collect();
        files.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
        let mut total: u64 = files.iter().map(|file| file.bytes).sum();
        for file in &files {
            if total <= self.limit / 4 * 3 {
                break;
            }
            if is_gone(&file.path) {
                total -= file.bytes;
            }
        }
        total
    }
}

/// Writes a file under another name first, and renames it when it is whole.
fn write(target: &Path, bytes: &[u8]) -> io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let folder = target.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    let unfinished = folder.join(unfinished(NEXT.fetch_add(1, Ordering::Relaxed)));
    let written = File::create(&unfinished)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&unfinished, target));
    if written.is_err() {
        // It may not even be there.
        let _ = fs::remove_file(&unfinished);
        // On Windows a file that is being read cannot be replaced, and need not be.
        if cfg!(windows) && target.is_file() {
            return Ok(());
        }
    }
    written
}
