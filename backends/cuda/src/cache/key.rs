//! What an image depends on.

use crate::nvrtc::{Job, Source};

/// Changes whenever the format of files, or the meaning of a key, does.
const FORMAT: u32 = 1;

/// All that an image depends on. Files hold it whole, so that two keys with one hash are still told
/// apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(Vec<u8>);

impl Key {
    /// The key of a source that is compiled so by an NVRTC of this version.
    #[must_use]
    pub fn new(source: &Source<'_>, job: &Job, version: (u32, u32)) -> Self {
        let (major, minor) = version;
        let mut key = Vec::with_capacity(source.text.len() + 512);
        let first = format!("{FORMAT} {major}.{minor} {:?}", job.output);
        let parts = [first.as_str(), source.name].into_iter();
        for part in parts.chain(job.options.iter().map(String::as_str)).chain([source.text]) {
            // With its length before it no part can be taken for two.
            key.extend_from_slice(&(part.len() as u64).to_le_bytes());
            key.extend_from_slice(part.as_bytes());
        }
        Self(key)
    }

    /// The bytes, as a file holds them.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The name of its file, without the folder.
    pub(super) fn file_name(&self) -> String {
        format!("{:032x}.{EXTENSION}", fnv1a(&[&self.0]))
    }
}

const EXTENSION: &str = "kernel";

/// Whether a file is one of the cache's by its name.
pub(super) fn is_entry(name: &str) -> bool {
    let stem = name.strip_suffix(EXTENSION).and_then(|name| name.strip_suffix('.'));
    stem.is_some_and(|stem| stem.len() == 32 && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
}

/// FNV-1a of 128 bits (Fowler, Noll, Vo; draft-eastlake-fnv), of these bytes one after the other. It
/// changes with every change of a single byte.
pub(super) fn fnv1a(parts: &[&[u8]]) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for byte in parts.iter().copied().flatten() {
        hash = (hash ^ u128::from(*byte)).wrapping_mul(PRIME);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::{Key, fnv1a, is_entry};
    use crate::nvrtc::{Job, Output, Source};

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a(&[]), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(fnv1a(&[b"a"]), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(fnv1a(&[b"foo", b"bar"]), 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }

    #[test]
    fn whatever_an_image_depends_on_changes_the_key() {
        let source =
            Source { name: "a.wgsl:main", text: "text", architecture: 90, fast_math: false, defines: &[("N", "1")] };
        let options = vec!["--gpu-architecture=sm_90".to_owned(), "--fmad=true".to_owned()];
        let job = Job { output: Output::Cubin, architecture: "sm_90".to_owned(), options };
        let other = |options: &[&str]| {
            let options = options.iter().map(|option| (*option).to_owned()).collect();
            Job { options, ..job.clone() }
        };
        let keys = [
            Key::new(&source, &job, (13, 5)),
            Key::new(&source, &job, (13, 0)),
            Key::new(&source, &job, (1, 35)),
            Key::new(&Source { text: "text ", ..source }, &job, (13, 5)),
            Key::new(&Source { name: "b.wgsl:main", ..source }, &job, (13, 5)),
            Key::new(&source, &Job { output: Output::Ptx, ..job.clone() }, (13, 5)),
            Key::new(&source, &other(&["--gpu-architecture=sm_80", "--fmad=true"]), (13, 5)),
            Key::new(&source, &other(&["--gpu-architecture=sm_90", "--use_fast_math"]), (13, 5)),
            Key::new(&source, &other(&["--gpu-architecture=sm_90"]), (13, 5)),
            Key::new(&source, &other(&["--gpu-architecture=sm_90", "--fmad=", "true"]), (13, 5)),
        ];
        for (i, key) in keys.iter().enumerate() {
            for other in &keys[i + 1..] {
                assert_ne!(key, other);
                assert_ne!(key.file_name(), other.file_name());
            }
            assert!(is_entry(&key.file_name()), "{}", key.file_name());
        }
        assert_eq!(keys[0], Key::new(&source, &job, (13, 5)));
    }

    #[test]
    fn other_files_are_not_entries() {
        for name in ["", ".kernel", "main.kernel", "0123456789abcdef0123456789abcdef", "notes.txt"] {
            assert!(!is_entry(name), "{name}");
        }
        assert!(!is_entry(&format!("{}.kernel", "G".repeat(32))));
    }
}
