//! The parts of an array that a device can bind, for operators whose elements do not depend on each other.

use std::ops::Range;

use anywarp_backend::Caps;

/// The number of elements in a part is a multiple of this one, so that parts begin at whole words and vectors if the
/// array does.
const MULTIPLE: usize = 64;

/// Divides `length` elements of `size` bytes into ranges that a binding can hold, wherever the array begins in its
/// buffer. Without elements there is one empty range.
pub(crate) fn parts(caps: &Caps, length: usize, size: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    // A binding begins at a multiple of the alignment, up to which it holds other bytes.
    let room = caps.limits.storage_binding_size.saturating_sub(u64::from(caps.limits.storage_offset_alignment).max(16));
    let most = usize::try_from(room).unwrap_or(usize::MAX) / size.max(1) / MULTIPLE * MULTIPLE;
    let most = most.max(MULTIPLE);
    (0..length.div_ceil(most).max(1)).map(move |part| part * most..length.min((part + 1) * most))
}

#[cfg(test)]
mod tests {
    use anywarp_backend::BackendKind;

    use super::*;

    fn of(limit: u64, alignment: u32, length: usize, size: usize) -> Vec<Range<usize>> {
        let mut caps = Caps::new(BackendKind::Cpu, "a device");
        caps.limits.storage_binding_size = limit;
        caps.limits.storage_offset_alignment = alignment;
        parts(&caps, length, size).collect()
    }

    #[test]
    fn parts_fit_with_the_bytes_before_them() {
        let whole = |length| of(1 << 20, 256, length, 4) == std::slice::from_ref(&(0..length));
        assert!(whole(1000) && whole(0));
        let parts = of(1 << 20, 256, 600_000, 4);
        assert_eq!(parts, [0..262_080, 262_080..524_160, 524_160..600_000]);
        assert!(parts.iter().all(|part| part.len() as u64 * 4 + 256 <= 1 << 20));
        assert_eq!(of(1024, 256, 200, 8), [0..64, 64..128, 128..192, 192..200]);
    }
}
