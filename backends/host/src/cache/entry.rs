//! The bytes of one file: magic, checksum of all that follows, length of the key, length of the
//! content, key, content. Numbers are little-endian.

use super::key::{Key, fnv1a};

const MAGIC: &[u8; 8] = b"anywarpc";
/// The length in bytes of the magic number and the checksum.
const SEAL: usize = 8 + 16;
/// The length in bytes of the two length fields.
const LENGTHS: usize = 8 + 8;

/// The bytes of the file for a key and its content.
pub(super) fn file(key: &Key, content: &[u8]) -> Vec<u8> {
    let key = key.bytes();
    let mut file = Vec::with_capacity(SEAL + LENGTHS + key.len() + content.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&[0; 16]);
    for length in [key.len(), content.len()] {
        file.extend_from_slice(&(length as u64).to_le_bytes());
    }
    file.extend_from_slice(key);
    file.extend_from_slice(content);
    let checksum = fnv1a(&file[SEAL..]);
    file[8..SEAL].copy_from_slice(&checksum.to_le_bytes());
    file
}

/// The content of a file, if the file is undamaged and belongs to this key.
pub(super) fn content<'a>(file: &'a [u8], key: &Key) -> Option<&'a [u8]> {
    let (magic, rest) = file.split_at_checked(MAGIC.len())?;
    let (checksum, sealed) = rest.split_first_chunk::<16>()?;
    if magic != MAGIC || u128::from_le_bytes(*checksum) != fnv1a(sealed) {
        return None;
    }
    let (key_length, rest) = sealed.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let (found, content) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*key_length)).ok()?)?;
    let whole = u64::from_le_bytes(*length) == content.len() as u64;
    (whole && found == key.bytes()).then_some(content)
}
