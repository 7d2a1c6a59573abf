//! The constants behind the code of a function.

use rustc_hash::FxHashMap;

/// Constants, each aligned to its size.
#[derive(Debug, Default)]
pub(super) struct Pool {
    pub(super) bytes: Vec<u8>,
    places: FxHashMap<Vec<u8>, u32>,
}

/// The alignment of the pool in bytes.
pub(super) const ALIGNMENT: usize = 64;

impl Pool {
    /// Returns the offset of a constant, whose size is a power of two.
    pub(super) fn place(&mut self, constant: &[u8]) -> u32 {
        if let Some(place) = self.places.get(constant) {
            return *place;
        }
        let start = self.bytes.len().next_multiple_of(constant.len().clamp(1, ALIGNMENT));
        self.bytes.resize(start, 0);
        self.bytes.extend_from_slice(constant);
        // The start of a constant is a constant, too.
        let mut length = constant.len();
        while length >= 4 {
            self.places.entry(constant[..length].to_vec()).or_insert(start as u32);
            length /= 2;
        }
        start as u32
    }
}
