//! The bytes of one file: magic, checksum of all that follows, length of the key, length of the
//! content, key, content. Numbers are little-endian.

use super::key::{Key, fnv1a};
use crate::nvrtc::{Compiled, Output};
use crate::resources::Usage;

const MAGIC: &[u8; 8] = b"awkernel";
/// Magic and checksum.
const SEAL: usize = 8 + 16;
/// The two lengths.
const LENGTHS: usize = 8 + 8;

/// The file of a key and its content.
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
    let checksum = fnv1a(&[&file[SEAL..]]);
    file[8..SEAL].copy_from_slice(&checksum.to_le_bytes());
    file
}

/// The content of a file, if the file is whole and belongs to this key.
pub(super) fn content<'a>(file: &'a [u8], key: &Key) -> Option<&'a [u8]> {
    let (magic, rest) = file.split_at_checked(MAGIC.len())?;
    let (checksum, sealed) = rest.split_first_chunk::<16>()?;
    if magic != MAGIC || u128::from_le_bytes(*checksum) != fnv1a(&[sealed]) {
        return None;
    }
    let (key_length, rest) = sealed.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let (found, content) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*key_length)).ok()?)?;
    let whole = u64::from_le_bytes(*length) == content.len() as u64;
    (whole && found == key.bytes()).then_some(content)
}

/// A compiled kernel as content: what the image is, whether its usage is known, the usage, the image.
pub(super) fn of_kernel(compiled: &Compiled) -> Vec<u8> {
    let output = match compiled.output {
        Output::Cubin => 0,
        Output::Ptx => 1,
    };
    let mut bytes = Vec::with_capacity(2 + 6 * 4 + compiled.image.len());
    bytes.extend_from_slice(&[output, u8::from(compiled.usage.is_some())]);
    for word in compiled.usage.unwrap_or_default().to_words() {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(&compiled.image);
    bytes
}

/// What [`of_kernel`] gave.
pub(super) fn kernel(bytes: &[u8]) -> Option<Compiled> {
    let (&[output, known], mut rest) = bytes.split_first_chunk()?;
    let output = match output {
        0 => Output::Cubin,
        1 => Output::Ptx,
        _ => return None,
    };
    let mut words = [0; 6];
    for word in &mut words {
        let (bytes, after) = rest.split_first_chunk()?;
        (*word, rest) = (u32::from_le_bytes(*bytes), after);
    }
    let usage = (known == 1).then(|| Usage::from_words(words));
    Some(Compiled { image: rest.to_vec(), output, usage, log: String::new(), cached: true })
}
