//! Keys for sorts, merges and searches.

use anywarp::ops::SortKey;
use anywarp_testing::random::Random;

#[path = "../../src/ops/sort/reference.rs"]
mod reference;

pub(crate) use reference::argsort;

/// The cases of a test for each type of keys, named by the type: `each_key!(types)` is `("u8", types::<u8>)` and so on.
macro_rules! each_key {
    ($test:ident) => {
        $crate::keys::each_key!($test: u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64)
    };
    ($test:ident: $($key:ident)*) => {{
        let cases: [$crate::Unnamed; 12] = [$((stringify!($key), $test::<$key>)),*];
        cases
    }};
}

pub(crate) use each_key;

/// Random bits, the same for each seed.
pub(crate) fn random(count: usize, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.bits()).collect()
}

/// The keys that consist of the upper bits of each number.
pub(crate) fn keys_of<K: SortKey>(numbers: &[u64]) -> Vec<K> {
    let key = |bits: &u64| {
        let upper = bits >> (64 - 8 * size_of::<K>());
        bytemuck::pod_read_unaligned(&upper.to_le_bytes()[..size_of::<K>()])
    };
    numbers.iter().map(key).collect()
}

/// Random keys: half of them are one of 16 keys, so that some are equal. Some floats are NaN.
pub(crate) fn mixed<K: SortKey>(count: usize, seed: u64) -> Vec<K> {
    let few = |bits: u64| if bits & 1 == 0 { bits & 0xf000_0000_0000_0000 } else { bits };
    let nan = |bits: u64| if bits & 0x3e == 0x3e { bits | 0x7fff << 48 } else { bits };
    keys_of(&random(count, seed).into_iter().map(|bits| nan(few(bits))).collect::<Vec<_>>())
}

/// The keys of [`mixed`], sorted.
pub(crate) fn sorted<K: SortKey + PartialOrd>(count: usize, seed: u64, descending: bool) -> Vec<K> {
    let keys = mixed::<K>(count, seed);
    argsort(&keys, descending).iter().map(|at| keys[*at as usize]).collect()
}
