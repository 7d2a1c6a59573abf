//! Selects a part of the traces, which is the same on every machine and in every run.

use anywarp_testing::random::Random;

use clap::Args;

use super::case_file::Name;

/// The options that choose a sample.
#[derive(Args, Clone, Copy, Debug)]
pub struct SampleOptions {
    /// Run only this percentage of the traces.
    #[arg(long = "sample", value_name = "PERCENT")]
    pub percent: Option<f64>,
    /// The seed that selects the traces.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

impl SampleOptions {
    /// The sample; `None` for all traces.
    pub fn sample(&self) -> Option<Sample> {
        Some(Sample { percent: self.percent?, seed: self.seed })
    }
}

/// A share of all traces, chosen by a seed.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub percent: f64,
    pub seed: u64,
}

impl Sample {
    /// Whether the trace is in the sample; the answer depends only on its name.
    pub fn contains(&self, name: &Name) -> bool {
        let hash = [&name.query, &name.sub].iter().fold(splitmix(self.seed), |hash, text| {
            text.bytes().fold(splitmix(hash), |hash, byte| splitmix(hash ^ u64::from(byte)))
        });
        // The upper 53 bits of the hash, as a number from 0 up to 1.
        ((hash >> 11) as f64 / (1u64 << 53) as f64) < self.percent / 100.0
    }
}

/// The first output of the random generator `SplitMix64` in this state.
fn splitmix(state: u64) -> u64 {
    Random::from_state(state).bits()
}
