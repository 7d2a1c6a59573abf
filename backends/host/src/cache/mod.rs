//! The results of compilers, on disk, so that a program compiles its kernels once and not each time it runs.
//!
//! | file | what is in it |
//! |---|---|
//! | `key` | what an entry depends on |
//! | `entry` | the bytes of one file |
//! | `disk` | the folder: look up, store, evict |
//! | `contents` | what lies in the folder, and clearing it |
//! | `place` | which folder: `ANYWARP_CACHE` |
//!
//! A cache that cannot be used is one that is empty: nothing that compiles fails because of it. All
//! kinds of entries share one bound, and whichever was used longest ago goes first.

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

/// The kinds of entries, each a folder of its own inside the cache's.
pub const KINDS: &[&str] = &["cuda", "vulkan"];

/// Bytes that the entries of all kinds may take together.
const MOST_BYTES: u64 = 256 << 20;

/// The process's cache, where `ANYWARP_CACHE` says; `None` if that is `off`, if no folder is known, and
/// in a browser.
#[must_use]
pub fn cache() -> Option<&'static DiskCache> {
    static CACHE: OnceLock<Option<DiskCache>> = OnceLock::new();
    let open = || Some(DiskCache::open(place::folder(&crate::environment::raw)?, MOST_BYTES));
    CACHE.get_or_init(open).as_ref()
}
