//! Requests against a count by definition, and the division of accesses.

use std::collections::BTreeSet;

use super::requests::{Request, parts};

/// The units of `size` bytes that accesses touch, byte by byte.
fn units(addresses: &[u64], bytes: u32, size: u64) -> u64 {
    let all = addresses.iter().flat_map(|address| (0..u64::from(bytes)).map(move |byte| (address + byte) / size));
    all.collect::<BTreeSet<u64>>().len() as u64
}

#[test]
fn sectors_are_those_of_all_bytes() {
    let mut room = Vec::new();
    for stride in [0, 1, 2, 3, 4, 5, 8, 12, 16, 20, 31, 32, 33, 64, 100, 128, 4096] {
        for bytes in [1, 2, 4, 8, 16] {
            for lanes in [1, 2, 7, 8, 16, 31, 32, 64] {
                for start in [0, 4, 28, 60] {
                    let addresses: Vec<u64> = (0..lanes).map(|lane| start + lane * stride).collect();
                    let request = Request { addresses: &addresses, bytes, is_atomic: false };
                    let counts = request.of_buffer(&mut room);
                    let at = format!("stride {stride}, {bytes} bytes, {lanes} lanes, start {start}");
                    assert_eq!(counts.sectors, units(&addresses, bytes, 32), "{at}");
                    assert_eq!(counts.ideal_sectors, units(&addresses, bytes, 1).div_ceil(32), "{at}");
                    assert_eq!((counts.requests, counts.lanes), (1, lanes), "{at}");
                    assert_eq!(counts.uniform == 1, stride == 0 && lanes > 1, "{at}");
                }
            }
        }
    }
}

#[test]
fn wavefronts_of_known_patterns() {
    let mut room = Vec::new();
    let mut wavefronts = |stride: u64, bytes: u32| {
        let addresses: Vec<u64> = (0..32).map(|lane| lane * stride).collect();
        let counts = Request { addresses: &addresses, bytes, is_atomic: false }.of_workgroup(&mut room);
        (counts.wavefronts, counts.ideal_wavefronts)
    };
    assert_eq!(wavefronts(0, 4), (1, 1), "all lanes read one word");
    assert_eq!(wavefronts(4, 4), (1, 1), "a row");
    assert_eq!(wavefronts(8, 4), (2, 1), "every other word");
    assert_eq!(wavefronts(128, 4), (32, 1), "a column of 32 words");
    assert_eq!(wavefronts(132, 4), (1, 1), "a column of 33 words");
    assert_eq!(wavefronts(8, 8), (2, 2), "a row of pairs");
    assert_eq!(wavefronts(16, 16), (4, 4), "a row of quadruples");
    assert_eq!(wavefronts(16, 8), (4, 2), "every other pair");
    assert_eq!(wavefronts(32, 16), (8, 4), "every other quadruple");
    assert_eq!(wavefronts(2, 2), (1, 1), "halves of words");
}

#[test]
fn atomics_on_one_word_follow_each_other() {
    let mut room = Vec::new();
    let addresses: Vec<u64> = (0..32).map(|lane| lane % 4 * 4).collect();
    let counts = Request { addresses: &addresses, bytes: 4, is_atomic: true }.of_workgroup(&mut room);
    assert_eq!((counts.contention, counts.wavefronts), (8, 8));
    let counts = Request { addresses: &addresses, bytes: 4, is_atomic: false }.of_workgroup(&mut room);
    assert_eq!((counts.contention, counts.wavefronts), (0, 1));
}

#[test]
fn parts_are_aligned_powers_of_two() {
    let all = |offset, bytes, align| parts(offset, bytes, align).collect::<Vec<_>>();
    assert_eq!(all(0, 4, 4), [(0, 4)]);
    assert_eq!(all(0, 12, 16), [(0, 8), (8, 4)]);
    assert_eq!(all(4, 12, 16), [(4, 4), (8, 8)]);
    assert_eq!(all(0, 64, 16), [(0, 16), (16, 16), (32, 16), (48, 16)]);
    assert_eq!(all(0, 8, 4), [(0, 4), (4, 4)]);
    assert_eq!(all(2, 2, 2), [(2, 2)]);
    assert_eq!(all(0, 0, 4), []);
}
