//! The cache's folder: looking up, storing and evicting files.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::contents::{abandoned, files, is_gone, unfinished};
use super::key::Key;
use super::{KINDS, entry};

anywarp_backend::debug_as_display!(NotKept);

/// The number of waits for a file that another process replaces, which only Windows needs, and the time of each.
const WAITS: u32 = if cfg!(windows) { 500 } else { 0 };
const WAIT: Duration = Duration::from_millis(2);

/// A folder of files that are found by their keys, which several threads and processes may use at the same time.
///
/// A file is written under another name and then renamed, so that no process reads a half-written file. The
/// modification time of a file is the time of its last use. When the files of all kinds exceed the limit, the least
/// recently used files are removed until a quarter of the limit is free. A process counts the files that other
/// processes have stored only when it stores its first file and when it removes files, so that between these times all
/// files together can exceed the limit.
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
    /// The total size in bytes of all files that this process has counted; `None` until it stores a file.
    bytes: Mutex<Option<u64>>,
    /// Whether storing a file has failed once: storing is not tried again.
    pub(super) given_up: AtomicBool,
}

/// The reason why compiled kernels are not kept on disk.
#[derive(thiserror::Error)]
#[error(
    "compiled kernels are not kept on disk: {}: {error} (set ANYWARP_CACHE to another folder, or to 'off')",
    folder.display()
)]
pub struct NotKept {
    /// The cache's folder.
    pub folder: PathBuf,
    /// The error of the first file that could not be written.
    pub error: io::Error,
}

impl DiskCache {
    /// Returns a cache in this folder, which need not exist yet. The total size of its files is at most `limit` bytes.
    #[must_use]
    pub fn open(folder: impl Into<PathBuf>, limit: u64) -> Self {
        Self { folder: folder.into(), limit, bytes: Mutex::new(None), given_up: AtomicBool::new(false) }
    }

    /// The cache's folder. It has one subfolder for each kind of file.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The largest total size of the files of all kinds, in bytes.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns the bytes stored under this key, if the file exists and is undamaged.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.path(key);
        let mut bytes = Vec::new();
        File::open(&path).and_then(|mut file| file.read_to_end(&mut bytes)).ok()?;
        // A file that is damaged, or belongs to another key with the same hash, is ignored; `put` will replace it.
        let content = entry::content(&bytes, key)?.len();
        // An error is ignored: a cache without write access cannot record the times of uses.
        let _ = File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        bytes.drain(..bytes.len() - content);
        Some(bytes)
    }

    /// Stores `content` under the key and replaces an earlier entry. An entry larger than the cache's size limit is not
    /// stored.
    ///
    /// # Errors
    /// [`NotKept`] for the first file that cannot be written; later calls store nothing and succeed.
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
        // The number of bytes is valid even if the lock is poisoned.
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let all = || KINDS.iter().flat_map(|kind| files(&self.folder.join(kind))).map(|file| file.bytes).sum();
        let total = bytes.map_or_else(all, |bytes| bytes + size);
        *bytes = Some(if total > self.limit { self.evict() } else { total });
        Ok(())
    }

    pub(super) fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(key.kind()).join(key.file_name())
    }

    /// Removes the least recently used files of any kind until at most three quarters of the limit are in use; returns
    /// the remaining size in bytes.
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

/// Renames a file. Windows denies that for a moment while another thread or process replaces the target; then the target
/// has the same content, and needs no replacement.
fn renamed(from: &Path, to: &Path) -> io::Result<()> {
    let mut waits = WAITS;
    loop {
        match fs::rename(from, to) {
            Err(error) if waits > 0 && error.kind() == io::ErrorKind::PermissionDenied && !to.is_file() => {
                waits -= 1;
                std::thread::sleep(WAIT);
            }
            renamed => return renamed,
        }
    }
}

/// Writes a file under another name first, and renames it when it is complete.
fn write(target: &Path, bytes: &[u8]) -> io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let folder = target.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    let unfinished = folder.join(unfinished(NEXT.fetch_add(1, Ordering::Relaxed)));
    let written = File::create(&unfinished)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| renamed(&unfinished, target));
    if written.is_err() {
        // An error is ignored: the unfinished file may not exist.
        let _ = fs::remove_file(&unfinished);
        // Windows cannot replace a file that is being read; the file at `target` has the same content.
        if cfg!(windows) && target.is_file() {
            return Ok(());
        }
    }
    written
}
