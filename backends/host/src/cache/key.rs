//! The key of a cache entry: all inputs that the entry depends on.

use std::fmt;

/// The version of the file format, incremented with every change of the format.
const FORMAT: u32 = 2;

/// All inputs that a cache entry depends on. Files contain the whole key, so that two keys with the same hash are
/// distinguished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    kind: &'static str,
    bytes: Vec<u8>,
}

impl Key {
    /// Returns the key of these parts, in this order. `kind` is one of [`KINDS`](super::KINDS).
    ///
    /// ```
    /// use anywarp_host::cache::Key;
    ///
    /// assert_ne!(Key::new("cuda", ["13.0", "text"]), Key::new("cuda", ["13.0t", "ext"]));
    /// ```
    #[must_use]
    pub fn new<'a>(kind: &'static str, parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut bytes = FORMAT.to_le_bytes().to_vec();
        for part in [kind].into_iter().chain(parts) {
            // The length before each part makes the division into parts unambiguous.
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        Self { kind, bytes }
    }

    /// The bytes of the key, as stored in a file.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The key's kind, which is also the name of a folder inside the cache's folder.
    pub(super) fn kind(&self) -> &'static str {
        self.kind
    }

    /// The name of the key's file, inside the folder of the key's kind.
    pub(super) fn file_name(&self) -> String {
        format!("{:032x}.{EXTENSION}", fnv1a(&self.bytes))
    }
}

const EXTENSION: &str = "anywarp";

/// Whether a file name is that of a cache entry.
pub(super) fn is_entry(name: &str) -> bool {
    let stem = name.strip_suffix(EXTENSION).and_then(|name| name.strip_suffix('.'));
    stem.is_some_and(|stem| stem.len() == 32 && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
}

/// The FNV-1a hash of 128 bits (Fowler, Noll, Vo; draft-eastlake-fnv) of everything that is written to it: a short
/// replacement for long parts of a key, where a collision does no harm.
///
/// ```
/// use std::fmt::Write;
/// use anywarp_host::cache::Fingerprint;
///
/// let mut fingerprint = Fingerprint::default();
/// write!(fingerprint, "{:?}", [1, 2, 3]).unwrap();
/// assert_eq!(fingerprint.to_string().len(), 32);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint(u128);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Fingerprint {
    fn add(&mut self, bytes: &[u8]) {
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(PRIME);
        }
    }
}

impl fmt::Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The hash of some bytes. Every change of a single byte changes the hash.
pub(super) fn fnv1a(bytes: &[u8]) -> u128 {
    let mut hash = Fingerprint::default();
    hash.add(bytes);
    hash.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use fmt::Write;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(fnv1a(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        let mut written = Fingerprint::default();
        written.write_str("foo").and_then(|()| written.write_str("bar")).unwrap();
        assert_eq!(written.to_string(), "343e1662793c64bf6f0d3597ba446f18");
    }

    #[test]
    fn every_part_and_its_ends_change_the_key() {
        let keys = [
            Key::new("cuda", ["a", "b"]),
            Key::new("vulkan", ["a", "b"]),
            Key::new("cuda", ["ab"]),
            Key::new("cuda", ["a", "b", ""]),
            Key::new("cuda", ["", "ab"]),
            Key::new("cuda", ["b", "a"]),
        ];
        for (i, key) in keys.iter().enumerate() {
            for other in &keys[i + 1..] {
                assert_ne!(key, other);
                assert_ne!(key.file_name(), other.file_name());
            }
            assert!(is_entry(&key.file_name()), "{}", key.file_name());
        }
    }

    #[test]
    fn other_files_are_not_entries() {
        for name in ["", ".anywarp", "main.anywarp", "0123456789abcdef0123456789abcdef", "notes.txt"] {
            assert!(!is_entry(name), "{name}");
        }
        assert!(!is_entry(&format!("{}.anywarp", "G".repeat(32))));
    }
}
