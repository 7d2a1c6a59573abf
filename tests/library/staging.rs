//! Upload memory within a limit: writes beyond the limit wait or bypass it, and all data reaches the device.

use std::time::Duration;

use anywarp::{Device, DeviceOptions, UnifiedBuffer};
use anywarp_testing::hanging;

/// The time after which a test is treated as hanging.
const PATIENCE: Duration = Duration::from_secs(100);
const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Runs `test` on each device with separate host and device memory, and with this limit on upload memory.
fn on_each(limit: u64, test: impl Fn(&Device) + Copy + Send + 'static) {
    let mut any = false;
    for candidate in Device::enumerate() {
        let options = DeviceOptions::default().selector(&candidate.selector).staged(true).staging_limit(limit);
        let Ok(device) = Device::open_with(&options) else { continue };
        any = true;
        hanging::within(PATIENCE, move || test(&device));
    }
    assert!(any || std::env::var_os("ANYWARP_REQUIRE").is_none(), "no device to test with");
}

/// Words that depend on the seed.
fn words(length: usize, seed: u32) -> Vec<u32> {
    (0..length as u32).map(|index| (index ^ seed.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0x9e37_79b9)).collect()
}

/// The device's contents, read through a copy on the device.
fn on_device(device: &Device, buffer: &UnifiedBuffer<u32>) -> Vec<u32> {
    let mut copy = device.buffer(buffer.len()).expect("memory");
    copy.copy_from(buffer).expect("a copy");
    copy.read().expect("the copy").to_vec()
}

#[test]
fn a_limit_below_every_write() {
    on_each(1, |device| {
        for length in [1, 1023, 1024, 1025, 40 * KIB, 5 * MIB / 4] {
            let mut buffer = device.buffer::<u32>(length).expect("memory");
            buffer.copy_from_slice(&words(length, 1)).expect("an upload");
            assert!(on_device(device, &buffer) == words(length, 1), "copy_from_slice of {length} words");
            buffer.write().expect("a guard").copy_from_slice(&words(length, 2));
            assert!(on_device(device, &buffer) == words(length, 2), "write() of {length} words");
            buffer.update().expect("a guard").iter_mut().for_each(|word| *word = word.wrapping_add(1));
            let expected: Vec<u32> = words(length, 2).iter().map(|word| word.wrapping_add(1)).collect();
            assert!(on_device(device, &buffer) == expected, "update() of {length} words");
        }
        let stats = device.stats();
        assert_eq!(stats.staging_in_use, 0, "staging bytes in use at the end");
        assert!(stats.staging_peak <= 4096, "{stats:?}");
        // Three of the six guards bypass the limit: those with 1025 words and more.
        assert_eq!(stats.staging_bypassed, 3, "{stats:?}");
    });
}

#[test]
fn elements_larger_than_the_limit() {
    on_each(4096, |device| {
        let mut buffer = device.buffer::<[u32; 3000]>(3).expect("memory");
        let element = |index: usize| std::array::from_fn(|word| (index * 3000 + word) as u32);
        for (index, slot) in buffer.write().expect("a guard").iter_mut().enumerate() {
            *slot = element(index);
        }
        let mut copy = device.buffer::<[u32; 3000]>(3).expect("memory");
        copy.copy_from(&buffer).expect("a copy");
        for (index, got) in copy.read().expect("the copy").iter().enumerate() {
            assert!(*got == element(index), "element {index}");
        }
    });
}

#[test]
fn guards_that_use_the_whole_limit() {
    on_each(64 * KIB as u64, |device| {
        const LENGTH: usize = 4 * KIB; // a quarter of the limit
        let mut buffers: Vec<_> = (0..10).map(|_| device.buffer::<u32>(LENGTH).expect("memory")).collect();
        let mut guards: Vec<_> = buffers.iter_mut().map(|buffer| buffer.write().expect("a guard")).collect();
        let held = device.stats();
        assert_eq!((held.staging_in_use, held.staging_bypassed), (64 * KIB as u64, 6), "{held:?}");
        for (seed, guard) in guards.iter_mut().enumerate() {
            guard.copy_from_slice(&words(LENGTH, seed as u32));
        }
        // A large copy of another buffer works while the guards use all upload memory that the limit allows.
        let mut other = device.buffer::<u32>(MIB).expect("memory");
        other.copy_from_slice(&words(MIB, 77)).expect("an upload");
        assert!(on_device(device, &other) == words(MIB, 77), "the copy beside the guards");
        drop(guards);
        for (seed, buffer) in buffers.iter().enumerate() {
            assert!(on_device(device, buffer) == words(LENGTH, seed as u32), "buffer {seed}");
        }
        assert_eq!(device.stats().staging_in_use, 0);
    });
}

#[test]
fn a_guard_that_is_never_dropped() {
    on_each(MIB as u64, |device| {
        let mut kept = device.buffer::<u32>(MIB / 4).expect("memory");
        std::mem::forget(kept.write().expect("a guard"));
        let mut buffer = device.buffer::<u32>(4 * MIB).expect("memory");
        for seed in 0..4 {
            buffer.copy_from_slice(&words(4 * MIB, seed)).expect("an upload");
            buffer.slice_mut(..KIB).write().expect("a guard").fill(seed);
            let mut expected = words(4 * MIB, seed);
            expected[..KIB].fill(seed);
            assert!(on_device(device, &buffer) == expected, "round {seed}");
        }
    });
}

#[test]
fn many_writes_wait_instead_of_growing() {
    on_each(MIB as u64, |device| {
        const LENGTH: usize = 64 * KIB; // a quarter of the limit
        let mut buffers: Vec<_> = (0..4).map(|_| device.buffer::<u32>(LENGTH).expect("memory")).collect();
        let mut sum = device.buffer::<u32>(LENGTH).expect("memory");
        for round in 0..100u32 {
            let buffer = &mut buffers[round as usize % 4];
            buffer.write().expect("a guard").fill(round);
            // The copy is recorded, and submitted when the limit is reached.
            sum.copy_from(&*buffer).expect("a copy");
        }
        assert!(*sum.read().expect("the last") == vec![99; LENGTH][..]);
        let stats = device.stats();
        assert!(stats.staging_peak <= MIB as u64, "{stats:?}");
        assert_eq!(stats.staging_bypassed, 0, "{stats:?}");
        // A device that is faster than the host causes no waits.
        assert_eq!(stats.staging_waits > 0, !stats.staging_waited.is_zero(), "{stats:?}");
    });
}

/// Reads do not count for the limit: their guards delay neither other reads nor writes.
#[test]
fn reads_are_not_limited() {
    on_each(1, |device| {
        const LENGTH: usize = 16 * KIB;
        const BYTES: u64 = 4 * LENGTH as u64;
        let mut buffers: Vec<_> =
            (0..8).map(|seed| device.buffer_from(&words(LENGTH, seed)).expect("memory")).collect();
        let guards: Vec<_> = buffers.iter().map(|buffer| buffer.read().expect("a guard")).collect();
        let mut other = device.buffer_from(&words(MIB, 77)).expect("an upload beside the guards");
        assert!(on_device(device, &other) == words(MIB, 77));
        for (seed, guard) in guards.iter().enumerate() {
            assert!(**guard == words(LENGTH, seed as u32), "buffer {seed}");
        }
        drop(guards);
        device.trim();
        let kept = device.stats();
        assert!(kept.staging_bytes >= 8 * BYTES && kept.staging_peak <= 4096, "each keeps its copy: {kept:?}");
        // The next read uses the host's copy, which is freed with the buffer.
        assert!(*buffers[7].read().expect("a guard") == words(LENGTH, 7));
        assert_eq!(device.stats().bytes_downloaded, kept.bytes_downloaded);
        buffers.truncate(1);
        other.fill(0).expect("a fill");
        device.trim();
        assert!(device.stats().staging_bytes <= kept.staging_bytes - 7 * BYTES);
    });
}

/// Words written all over a buffer reach the device, while the device has newer contents of some of them and between
/// them.
#[test]
fn scattered_writes() {
    on_each(MIB as u64, |device| {
        const LENGTH: usize = MIB;
        const WORDS: usize = 5000;
        let mut buffer = device.buffer_from(&words(LENGTH, 1)).expect("memory");
        let mut expected = words(LENGTH, 1);
        let mut state = 54_321u32;
        let mut next = |below: usize| {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (state >> 8) as usize % below
        };
        for round in 0..6 {
            if round % 2 == 1 {
                drop(buffer.read().expect("the contents of both sides"));
            }
            for _ in 0..20 {
                let at = next(LENGTH - 100);
                buffer.slice_mut(at..at + 100).fill(round).expect("a fill");
                expected[at..at + 100].fill(round);
            }
            let before = buffer.stats();
            for word in 0..WORDS {
                let (at, length) = (next(LENGTH / 4) * 4, 1 + next(3));
                buffer.slice_mut(at..at + length).write().expect("a guard").fill(word as u32);
                expected[at..at + length].fill(word as u32);
            }
            assert!(on_device(device, &buffer) == expected, "round {round}");
            let uploads = buffer.stats().uploads - before.uploads;
            assert!((1..=WORDS as u64).contains(&uploads), "{uploads} uploads");
        }
        let stats = device.stats();
        assert_eq!(stats.staging_in_use, 0, "{stats:?}");
        assert!(stats.staging_peak <= MIB as u64, "{stats:?}");
    });
}

#[test]
fn chunks_stay_within_any_limit() {
    for limit in [2, 3, 4, 6, 8, 12, 15, 32] {
        let test = move |device: &Device| {
            let expected = words(6 * MIB, 3);
            let mut buffer = device.buffer::<u32>(expected.len()).expect("memory");
            buffer.copy_from_slice(&expected).expect("an upload");
            assert!(on_device(device, &buffer) == expected, "within {limit} MiB");
            let stats = device.stats();
            assert!(stats.staging_peak <= limit * MIB as u64, "{limit} MiB: {stats:?}");
            assert_eq!(stats.staging_bypassed, 0, "{limit} MiB: {stats:?}");
        };
        on_each(limit * MIB as u64, test);
    }
}

#[test]
fn large_slices_both_ways() {
    on_each(8 * MIB as u64, |device| {
        let length = 5 * MIB + 123;
        let mut expected = words(length, 1);
        let mut buffer = device.buffer_from(&expected).expect("memory");
        let inner = 1001..length - 77;
        let new = words(inner.len(), 2);
        buffer.slice_mut(inner.clone()).copy_from_slice(&new).expect("an upload");
        expected[inner.clone()].copy_from_slice(&new);
        let mut got = vec![0; inner.len()];
        buffer.slice(inner.clone()).copy_to_slice(&mut got).expect("a download");
        assert!(got == new, "the slice");
        let mut got = vec![0; length];
        buffer.copy_to_slice(&mut got).expect("a download");
        assert!(got == expected, "all of it");
        // The elements that were read before are not downloaded again.
        drop(buffer.read().expect("a guard"));
        let before = device.stats().bytes_downloaded;
        buffer.copy_to_slice(&mut got).expect("a copy of the host's");
        assert_eq!(device.stats().bytes_downloaded, before);
        assert!(got == expected, "from the host's copy");
    });
}

#[test]
fn threads_share_the_limit() {
    on_each(2 * MIB as u64, |device| {
        std::thread::scope(|scope| {
            for thread in 0..6u32 {
                scope.spawn(move || {
                    let mut buffer = device.buffer::<u32>(MIB).expect("memory");
                    let mut got = vec![0; MIB];
                    for round in 0..4 {
                        let seed = 10 * thread + round;
                        buffer.copy_from_slice(&words(MIB, seed)).expect("an upload");
                        buffer.slice_mut(..64 * KIB).write().expect("a guard").fill(seed);
                        buffer.copy_to_slice(&mut got).expect("a download");
                        let mut expected = words(MIB, seed);
                        expected[..64 * KIB].fill(seed);
                        assert!(got == expected, "thread {thread}, round {round}");
                    }
                });
            }
        });
        assert_eq!(device.stats().staging_in_use, 0);
    });
}

/// A read returns the elements that the device wrote and those that the host wrote, in any pattern.
#[test]
fn scattered_reads() {
    on_each(MIB as u64, |device| {
        const LENGTH: usize = 64 * KIB;
        let mut buffer = device.buffer_from(&words(LENGTH, 1)).expect("memory");
        let mut expected = words(LENGTH, 1);
        drop(buffer.read().expect("the first"));
        let mut state = 12_345u32;
        for round in 0..30 {
            for _ in 0..10 {
                state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                let start = (state >> 8) as usize % LENGTH;
                let end = LENGTH.min(start + 1 + (state >> 24) as usize);
                if state & 1 == 0 {
                    buffer.slice_mut(start..end).fill(state).expect("a fill");
                } else {
                    buffer.slice_mut(start..end).write().expect("a guard").fill(state);
                }
                expected[start..end].fill(state);
            }
            assert!(*buffer.read().expect("a guard") == expected[..], "round {round}");
        }
    });
}
