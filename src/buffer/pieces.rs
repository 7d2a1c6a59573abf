//! The division of large copies into chunks and pieces, which several threads copy.

use std::ops::Range;

use anywarp_backend::BackendError;
use anywarp_host::threads;

/// The number of bytes that a thread copies at a time.
pub(super) const PIECE: usize = 256 << 10;
/// The time in nanoseconds that is assumed for copying a piece. The assumption is a slow case, so that each thread
/// begins with a single piece and the first chunk is complete early.
const COST: f64 = 100_000.0;

/// Calls `work` for every piece in order, on as many threads as are worthwhile.
pub(super) fn for_each(
    pieces: usize,
    work: impl Fn(usize) -> Result<(), BackendError> + Sync,
) -> Result<(), BackendError> {
    if threads::count() == 1 {
        return (0..pieces).try_for_each(work);
    }
    threads::spread(pieces as u64, Some(COST), &|range| range.map(|index| index as usize).try_for_each(&work))?;
    Ok(())
}

/// Divides a number of bytes into chunks of this length; the last one may be shorter.
pub(super) fn chunks(bytes: usize, length: usize) -> impl Iterator<Item = Range<usize>> {
    (0..bytes).step_by(length).map(move |start| start..bytes.min(start + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_all_of_it_in_order() {
        for bytes in [0, 1, 4096, PIECE, PIECE + 1, 100_000_000] {
            for length in [4 << 10, 5000, 1 << 20] {
                let mut end = 0;
                for chunk in chunks(bytes, length) {
                    assert_eq!(chunk.start, end);
                    assert!(chunk.len() <= length && !chunk.is_empty());
                    end = chunk.end;
                }
                assert_eq!(end, bytes, "in pieces of {length}");
            }
        }
    }
}
