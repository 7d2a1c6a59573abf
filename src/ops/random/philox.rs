//! The generator Philox4x32-10, computed on the host.

/// Returns four random words for a counter and a key (Salmon, Moraes, Dror, Shaw, SC 2011).
pub(super) fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    let product = |a: u32, b: u32| {
        let whole = u64::from(a) * u64::from(b);
        ((whole >> 32) as u32, whole as u32)
    };
    for _ in 0..10 {
        let (first, second) = (product(0xd251_1f53, counter[0]), product(0xcd9e_8d57, counter[2]));
        counter = [second.0 ^ counter[1] ^ key[0], second.1, first.0 ^ counter[3] ^ key[1], first.1];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::philox;

    /// The three test vectors that the library Random123 publishes.
    #[test]
    fn known_answers() {
        let digits = [
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
        ];
        for (counter, key, wanted) in digits {
            assert_eq!(philox(counter, key), wanted);
        }
    }
}
