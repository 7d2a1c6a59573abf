//! Compiled kernels on disk, so that a program compiles its kernels once and not each time it runs.
//!
//! | file | what is in it |
//! |---|---|
//! | `key` | what an image depends on |
//! | `entry` | the bytes of one file, and of a compiled kernel inside it |
//! | `disk` | the folder: look up, store, evict |
//! | `place` | which folder: `ANYWARP_CACHE` |
//!
//! Nothing here fails: a cache that cannot be used is one that is empty, and the log says why once.

mod disk;
mod entry;
mod key;
mod place;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

pub use disk::DiskCache;
pub use key::Key;

use crate::nvrtc::{Compiled, Nvrtc, NvrtcError, Output, Source};

/// What the images of one cache may take together.
const MOST_BYTES: u64 = 256 << 20;

/// The process's cache, where `ANYWARP_CACHE` says; `None` if that is `off`, or no folder is known.
pub fn cache() -> Option<&'static DiskCache> {
    static CACHE: OnceLock<Option<DiskCache>> = OnceLock::new();
    let open = || Some(DiskCache::open(place::folder(&|name| std::env::var_os(name))?, MOST_BYTES));
    CACHE.get_or_init(open).as_ref()
}

/// Takes a compiled kernel from the cache or, if it is not there, compiles it and puts it there.
///
/// # Errors
/// As [`Nvrtc::compile`].
pub fn compiled(
    nvrtc: &Nvrtc,
    cache: Option<&DiskCache>,
    source: &Source<'_>,
    output: Output,
) -> Result<Compiled, NvrtcError> {
    let job = nvrtc.job(source, output)?;
    let Some(cache) = cache else { return nvrtc.run(source, &job) };
    let key = Key::new(source, &job, nvrtc.version());
    if let Some(found) = cache.get(&key).and_then(|bytes| entry::kernel(&bytes)) {
        return Ok(found);
    }
    let compiled = nvrtc.run(source, &job)?;
    cache.put(&key, &entry::of_kernel(&compiled));
    Ok(compiled)
}
