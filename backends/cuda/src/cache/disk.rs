//! The folder: look up, store, evict.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use super::entry;
use super::key::{Key, is_entry};

/// Half-written files of processes that ended are told by their age.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder of files by key, which threads and processes may use at once.
///
/// A file is written under another name and then renamed, so that nobody sees half of one; its time
/// of change is that of its last use. When the files take more than they may, the ones that were
/// used longest ago go, until a quarter of the room is free. What other processes store meanwhile is
/// noticed only then, so the bound holds within what they store.
#[derive(Debug)]
pub struct DiskCache {
    folder: PathBuf,
    most_bytes: u64,
    /// What the files take, as far as this process knows; `None` until something is stored.
    bytes: Mutex<Option<u64>>,
    /// Storing failed once: it is not tried again.
    pub(super) given_up: AtomicBool,
}

impl DiskCache {
    /// A cache in this folder, which need not be there yet, for files of `most_bytes` together.
    #[must_use]
    pub fn open(folder: impl Into<PathBuf>, most_bytes: u64) -> Self {
        Self { folder: folder.into(), most_bytes, bytes: Mutex::new(None), given_up: AtomicBool::new(false) }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was stored under this key, if it is there and whole.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.folder.join(key.file_name());
        let mut bytes = Vec::new();
        match File::open(&path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Ok(_) => {}
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    log::debug!("{}: {error}", path.display());
                }
                return None;
            }
        }
        let Some(content) = entry::content(&bytes, key) else {
            log::debug!("{} is damaged, or of another key: it is ignored", path.display());
            return None;
        };
        // A cache that may only be read has no order in which files go.
        let _ = File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(content.to_vec())
    }

    /// Stores this under the key, in place of what was there.
    pub fn put(&self, key: &Key, content: &[u8]) {
        if self.given_up.load(Ordering::Relaxed) {
            return;
        }
        let file = entry::file(key, content);
        let size = file.len() as u64;
        if size > self.most_bytes {
            log::debug!("a kernel of {size} bytes is not kept: the cache holds {}", self.most_bytes);
            return;
        }
        if let Err(error) = self.write(&key.file_name(), &file) {
            if !self.given_up.swap(true, Ordering::Relaxed) {
                log::warn!(
                    "compiled kernels are not kept on disk: {}: {error} (ANYWARP_CACHE names another folder, or is 'off')",
                    self.folder.display()
                );
            }
            return;
        }
        // A poisoned lock holds a number all the same.
        let mut bytes = self.bytes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let total = bytes.map_or_else(|| self.entries().iter().map(|entry| entry.bytes).sum(), |bytes| bytes + size);
        *bytes = Some(if total > self.most_bytes { self.evict() } else { total });
    }

    /// Writes a file under another name first, and renames it when it is whole.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        fs::create_dir_all(&self.folder)?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let unfinished = self.folder.join(format!("{UNFINISHED}{}-{number}", std::process::id()));
        let target = self.folder.join(name);
        let written = File::create(&unfinished)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| fs::rename(&unfinished, &target));
        if written.is_err() {
            // It may not even be there.
            let _ = fs::remove_file(&unfinished);
            // On Windows a file that somebody reads cannot be replaced, and need not be.
            if cfg!(windows) && target.is_file() {
                return Ok(());
            }
        }
        written
    }

    /// The cache's files. Those that vanish meanwhile are left out.
    fn entries(&self) -> Vec<Entry> {
        let all = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        all.filter(|entry| is_entry(&entry.file_name().to_string_lossy()))
            .filter_map(|entry| Entry::of(&entry))
            .collect()
    }

    /// Removes what was used longest ago, until three quarters of the room are taken; returns what
    /// the rest takes.
    fn evict(&self) -> u64 {
        self.remove_abandoned();
        let mut entries = self.entries();
        entries.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        for entry in &entries {
            if total <= self.most_bytes / 4 * 3 {
                break;
            }
            match fs::remove_file(&entry.path) {
                Ok(()) => total -= entry.bytes,
                // Another process was faster.
                Err(error) if error.kind() == io::ErrorKind::NotFound => total -= entry.bytes,
                Err(error) => log::debug!("{}: {error}", entry.path.display()),
            }
        }
        total
    }

    fn remove_abandoned(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let old = || Entry::of(&entry).is_some_and(|entry| entry.used.elapsed().is_ok_and(|age| age > ABANDONED));
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) && old() {
                // Whoever else removes it is welcome.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

const UNFINISHED: &str = ".unfinished-";

/// One file of the folder.
struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl Entry {
    fn of(entry: &fs::DirEntry) -> Option<Self> {
        let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(Self { path: entry.path(), bytes: about.len(), used: about.modified().ok()? })
    }
}
