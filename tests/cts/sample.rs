//! Selects a part of the traces, which is the same on every machine and in every run.

use super::case_file::Name;

/// A share of all traces, chosen by a seed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) percent: f64,
    pub(crate) seed: u64,
}

impl Sample {
    /// Whether the trace is in the sample; the answer depends only on its name.
    pub(crate) fn contains(&self, name: &Name) -> bool {
        let hash = [&name.query, &name.sub].iter().fold(splitmix(self.seed), |hash, text| {
            text.bytes().fold(splitmix(hash), |hash, byte| splitmix(hash ^ u64::from(byte)))
        });
        // The upper 53 bits as a fraction of one.
        ((hash >> 11) as f64 / (1u64 << 53) as f64) < self.percent / 100.0
    }
}

/// One step of `SplitMix64` (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
fn splitmix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
