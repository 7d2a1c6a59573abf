//! Copies of data that another device reads next.

/// Copies `source` to `target`, whose lengths must be equal, so that a device that fetches the bytes by itself receives
/// them at the rate of the bus.
///
/// Modified bytes in a core's private caches are fetched at a third to a half of that rate. Where the processor
/// supports it, each cache line is therefore demoted to the cache that all cores share, and the device fetches the line
/// from that cache without access to memory: 256 MiB are uploaded at 49 of 55 GB/s (16 cores of a Xeon, an H200). On
/// other processors, bytes are written past the caches, which takes three passes through memory: 41 GB/s on that
/// machine. For a device that is the processor itself, use an ordinary copy.
///
/// # Panics
/// If the lengths differ.
pub fn store(source: &[u8], target: &mut [u8]) {
    assert_eq!(source.len(), target.len(), "source and target have one length");
    #[cfg(target_arch = "x86_64")]
    x86::store(source, target);
    #[cfg(not(target_arch = "x86_64"))]
    target.copy_from_slice(source);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::asm;
    use std::arch::x86_64::{
        __cpuid, __cpuid_count, __m128i, _mm_loadu_si128, _mm_sfence, _mm_store_si128, _mm_stream_si128,
    };
    use std::sync::LazyLock;

    /// Bytes of a cache line.
    const LINE: usize = 64;
    /// The distance in bytes from the line that is being written back to the line that is being demoted: so far back,
    /// the stores to a line have completed.
    const BEHIND: usize = 8 * LINE;

    /// Whether the processor has CLDEMOTE: leaf 7 of CPUID, bit 25 of ECX (Intel SDM, volume 2A).
    static DEMOTES: LazyLock<bool> = LazyLock::new(|| __cpuid(0).eax >= 7 && __cpuid_count(7, 0).ecx & (1 << 25) != 0);

    pub(super) fn store(source: &[u8], target: &mut [u8]) {
        let head = target.as_ptr().align_offset(LINE).min(source.len());
        let tail = head + (source.len() - head) / LINE * LINE;
        target[..head].copy_from_slice(&source[..head]);
        target[tail..].copy_from_slice(&source[tail..]);
        let (source, target) = (&source[head..tail], &mut target[head..tail]);
        if *DEMOTES { to_shared_cache(source, target) } else { past_caches(source, target) }
    }

    /// Copies whole lines by ordinary stores, then demotes each line to the shared cache.
    pub(super) fn to_shared_cache(source: &[u8], target: &mut [u8]) {
        let bytes = lines(source, target);
        for at in (0..bytes).step_by(LINE) {
            // SAFETY: the line at `at` is within `source` and `target`, as `lines` has checked; x86-64 has SSE2.
            unsafe {
                let from = source.as_ptr().add(at).cast::<__m128i>();
                let to = target.as_mut_ptr().add(at).cast::<__m128i>();
                for part in 0..4 {
                    _mm_store_si128(to.add(part), _mm_loadu_si128(from.add(part)));
                }
            }
            if at >= BEHIND {
                demote(target.as_ptr().wrapping_add(at - BEHIND));
            }
        }
        for at in (bytes.saturating_sub(BEHIND)..bytes).step_by(LINE) {
            demote(target.as_ptr().wrapping_add(at));
        }
    }

    /// Demotes a line to the cache that all cores share; the instruction is only a hint to the processor.
    fn demote(line: *const u8) {
        // SAFETY: CLDEMOTE changes no byte and no register and does not fault, whatever the address; processors without
        // CLDEMOTE execute it as a reserved no-op.
        unsafe { asm!("cldemote [{}]", in(reg) line, options(nostack, preserves_flags)) };
    }

    /// Copies whole lines by non-temporal stores, which no cache keeps.
    pub(super) fn past_caches(source: &[u8], target: &mut [u8]) {
        for at in (0..lines(source, target)).step_by(LINE) {
            // SAFETY: the line at `at` is within `source` and `target`, as `lines` has checked; x86-64 has SSE2.
            unsafe {
                let from = source.as_ptr().add(at).cast::<__m128i>();
                let to = target.as_mut_ptr().add(at).cast::<__m128i>();
                for part in 0..4 {
                    _mm_stream_si128(to.add(part), _mm_loadu_si128(from.add(part)));
                }
            }
        }
        // SAFETY: SFENCE has no operands. Nothing else orders non-temporal stores, not even the lock by which another
        // thread is informed of them.
        unsafe { _mm_sfence() };
    }

    /// The common length of `source` and `target` in bytes.
    ///
    /// # Panics
    /// If the lengths differ, are not whole lines, or the target is not aligned to a line.
    fn lines(source: &[u8], target: &[u8]) -> usize {
        let aligned = target.is_empty() || target.as_ptr().addr().is_multiple_of(LINE);
        assert!(source.len() == target.len() && target.len().is_multiple_of(LINE) && aligned);
        target.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_bytes_and_no_others(store: impl Fn(&[u8], &mut [u8]), places: &[usize], lengths: &[usize]) {
        let source: Vec<u8> = (0..3000u32).map(|index| (index % 251) as u8 + 1).collect();
        for start in places {
            for length in lengths {
                for from in [0, 1, 7] {
                    let mut room = vec![0; 3100];
                    let aligned = room.as_ptr().align_offset(64);
                    let target = &mut room[aligned..aligned + 3000];
                    let range = *start..start + length;
                    store(&source[from..from + length], &mut target[range.clone()]);
                    assert_eq!(target[range.clone()], source[from..from + length], "{start} {length} {from}");
                    let others = target[..range.start].iter().chain(&target[range.end..]);
                    assert!(others.into_iter().all(|byte| *byte == 0), "{start} {length} {from}");
                }
            }
        }
    }

    #[test]
    fn all_bytes_are_stored() {
        let lengths = [0, 1, 63, 64, 65, 127, 128, 1000, 2500];
        all_bytes_and_no_others(store, &[0, 1, 15, 16, 63, 64, 100], &lengths);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn either_way_stores_all_lines() {
        for way in [x86::to_shared_cache, x86::past_caches] {
            all_bytes_and_no_others(way, &[0, 64, 128], &[0, 64, 128, 512, 576, 1024, 2560]);
        }
    }
}
