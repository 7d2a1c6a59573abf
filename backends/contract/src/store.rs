//! Copies of what another device will read next.

/// Copies `source` to `target`, whose lengths agree, past the caches where the processor can.
///
/// A device that fetches by itself gets bytes from memory at the rate of the bus. Bytes that lie changed in
/// some core's cache come at half of that (25 against 54 GB/s: a Xeon with 16 cores and an H200). So what is
/// staged for such a device should not stay in caches; for one that is the processor itself, it should.
///
/// # Panics
/// If the lengths differ.
pub fn store(source: &[u8], target: &mut [u8]) {
    assert_eq!(source.len(), target.len(), "as much is stored as there is room for");
    #[cfg(target_arch = "x86_64")]
    past_caches(source, target);
    #[cfg(not(target_arch = "x86_64"))]
    target.copy_from_slice(source);
}

#[cfg(target_arch = "x86_64")]
fn past_caches(source: &[u8], target: &mut [u8]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};

    /// Bytes of a cache line, which are written together.
    const LINE: usize = 64;
    let head = target.as_ptr().align_offset(LINE).min(source.len());
    let lines = (source.len() - head) / LINE;
    let tail = head + lines * LINE;
    target[..head].copy_from_slice(&source[..head]);
    target[tail..].copy_from_slice(&source[tail..]);
    for at in (head..tail).step_by(LINE) {
        // SAFETY: `at + LINE` is at most `tail`, which is within both; the target's line is aligned, and
        // SSE2 is part of x86-64.
        unsafe {
            let from = source.as_ptr().add(at).cast::<__m128i>();
            let to = target.as_mut_ptr().add(at).cast::<__m128i>();
            let line = [0, 1, 2, 3].map(|part| _mm_loadu_si128(from.add(part)));
            for (part, value) in line.into_iter().enumerate() {
                _mm_stream_si128(to.add(part), value);
            }
        }
    }
    // SAFETY: an instruction without operands. Such stores are ordered by nothing else, not even by the lock
    // through which another thread hears of them.
    unsafe { _mm_sfence() };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_and_no_others() {
        let source: Vec<u8> = (0..3000u32).map(|index| (index % 251) as u8 + 1).collect();
        for start in [0, 1, 15, 16, 63, 64, 100] {
            for length in [0, 1, 63, 64, 65, 127, 128, 1000, 2500] {
                for from in [0, 1, 7] {
                    let mut target = vec![0; 3000];
                    store(&source[from..from + length], &mut target[start..start + length]);
                    assert_eq!(target[start..start + length], source[from..from + length], "{start} {length} {from}");
                    let others = target[..start].iter().chain(&target[start + length..]);
                    assert!(others.into_iter().all(|byte| *byte == 0), "{start} {length} {from}");
                }
            }
        }
    }
}
