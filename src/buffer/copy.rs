//! Copies within the host's memory.

use anywarp_host::threads;

/// The least number of bytes that are copied by several threads; one thread copies so many in 0.1 ms.
const SHARED_FROM: usize = 1 << 20;
/// Bytes that one thread copies at a time.
const PIECE: usize = 64 << 10;
/// The approximate time in nanoseconds that one thread takes for a piece; it determines how many threads take part.
const COST: f64 = 6_000.0;

/// Copies `source` to `target`, whose lengths are equal, on several threads where that is faster: one core cannot
/// saturate the memory or the bus.
pub(super) fn copy(source: &[u8], target: &mut [u8]) {
    copy_by(source, target, &copy_alone);
}

/// [`copy`] with the function `way` for copying a piece.
pub(super) fn copy_by(source: &[u8], target: &mut [u8], way: &(dyn Fn(&[u8], &mut [u8]) + Sync)) {
    if source.len() < SHARED_FROM || threads::count() == 1 {
        return way(source, target);
    }
    threads::copy_pieces(source, target, PIECE, COST, way);
}

/// [`copy`] on this thread.
///
/// When the target's offset within its page is 1 to 63 bytes greater than the source's, glibc copies 4 to 512 KiB on
/// AMD processors with the slow form of `rep movsb`: 3 GB/s, against 45 GB/s in pieces too short for it (256 KiB, glibc
/// 2.36, EPYC). A large `Vec` begins 16 bytes after the start of a page, and mapped memory at the start of a page, so
/// most readbacks are such copies.
pub(super) fn copy_alone(source: &[u8], target: &mut [u8]) {
    const SHORT: usize = 2 << 10;
    const LONGEST: usize = 1 << 20;
    let further = target.as_ptr().addr().wrapping_sub(source.as_ptr().addr()) % (4 << 10);
    if !(1..64).contains(&further) || source.len() > LONGEST {
        return target.copy_from_slice(source);
    }
    for (target, source) in target.chunks_mut(SHORT).zip(source.chunks(SHORT)) {
        target.copy_from_slice(source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offset_and_length_is_copied_whole() {
        let source: Vec<u8> = (0..20_000u32).map(|index| (index % 251) as u8).collect();
        let mut target = vec![0; 30_000];
        for further in [0, 1, 16, 63, 64, 4095] {
            for length in [0, 1, 2047, 2048, 2049, 10_000] {
                // Sets the target's offset within its page to `further` beyond the source's.
                let apart = target.as_ptr().addr().wrapping_sub(source.as_ptr().addr()) % 4096;
                let start = (further + 4096 - apart) % 4096;
                target.fill(255);
                copy(&source[..length], &mut target[start..start + length]);
                assert_eq!(target[start..start + length], source[..length], "{further} {length}");
                assert!(target[..start].iter().chain(&target[start + length..]).all(|byte| *byte == 255));
            }
        }
    }

    #[test]
    fn large_copies_are_whole_too() {
        for length in [SHARED_FROM - 1, SHARED_FROM, SHARED_FROM + 1, 5 * SHARED_FROM + 12_345] {
            let word = |index: usize| (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
            let source: Vec<u8> = (0..length.div_ceil(8)).flat_map(word).take(length).collect();
            let mut target = vec![0; length];
            copy(&source, &mut target);
            assert!(source == target, "{length} bytes");
        }
    }
}
