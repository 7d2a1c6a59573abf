//! The results of compilers, on disk, so that a program compiles its kernels once and not each time it runs.
//!
//! | file | content |
//! |---|---|
//! | `key` | the inputs that an entry depends on |
//! | `entry` | the bytes of one file |
//! | `disk` | the folder: look up, store, evict |
//! | `contents` | listing and clearing the folder |
//! | `place` | the choice of the folder: `ANYWARP_CACHE` |
//!
//! A cache that cannot be used behaves like an empty one: no compilation fails because of it. All kinds of entries
//! share one size limit, and the least recently used entries are removed first.

mod contents;
mod disk;
mod entry;
mod key;
mod place;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

pub use contents::{Contents, Removed};
pub use disk::{DiskCache, NotKept};
pub use key::{Fingerprint, Key};

/// The kinds of entries, each with a folder of its own inside the cache's folder.
pub const KINDS: &[&str] = &["cpu", "cuda", "vulkan"];

/// The largest total size of the entries of all kinds, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// The process's cache in the folder that `ANYWARP_CACHE` names; `None` if the variable is `off`, if no folder is
/// known, and in a browser.
#[must_use]
pub fn cache() -> Option<&'static DiskCache> {
    static CACHE: OnceLock<Option<DiskCache>> = OnceLock::new();
    let open = || Some(DiskCache::open(place::folder(&crate::environment::raw)?, MAX_BYTES));
    CACHE.get_or_init(open).as_ref()
}
