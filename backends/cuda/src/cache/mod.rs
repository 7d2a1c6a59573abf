//! Compiled kernels in the cache on disk: their keys and stored form.

mod image;
mod key;
#[cfg(test)]
mod tests;

use anywarp_host::cache::DiskCache;

use crate::nvrtc::{Compiled, Nvrtc, NvrtcError, Output, Source};

/// Returns a compiled kernel from the cache; if the cache does not have the kernel, compiles and stores it.
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
    let key = key::key(source, &job, nvrtc.version());
    if let Some(found) = cache.get(&key).and_then(|bytes| image::kernel(&bytes)) {
        return Ok(found);
    }
    let compiled = nvrtc.run(source, &job)?;
    if let Err(error) = cache.put(&key, &image::of_kernel(&compiled)) {
        log::warn!("{error}");
    }
    Ok(compiled)
}
