//! The environment variables of the library: their names and values. The crate's documentation lists them in a table;
//! the CPU backend, the CUDA backend and the cache on disk have further variables of their own.

use anywarp_host::environment;

/// The selection string of the default device.
pub(crate) fn device() -> Option<String> {
    environment::text("ANYWARP_DEVICE")
}

/// The value that determines when variants of kernels are compiled: one of `words`.
pub(crate) fn variants<T: Copy>(words: &[(&str, T)]) -> Option<T> {
    environment::word("ANYWARP_VARIANTS", words)
}

/// The value that determines which results of tuning are used and kept: one of `words`.
pub(crate) fn tune<T: Copy>(words: &[(&str, T)]) -> Option<T> {
    environment::word("ANYWARP_TUNE", words)
}

/// The size in bytes of the memory that the kernels of a device print into.
pub(crate) fn debug_bytes() -> Option<u64> {
    environment::number("ANYWARP_DEBUG_BYTES")
}

/// Whether tests on all devices use those of a backend: `ANYWARP_REQUIRE` names it, or is not set.
#[cfg(test)]
pub(crate) fn requires(backend: &str) -> bool {
    environment::text("ANYWARP_REQUIRE").is_none_or(|names| names.split(',').any(|name| name.trim() == backend))
}
