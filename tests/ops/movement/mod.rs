//! Operators that move elements: rearrangements, joins, selections and scatters by indices, conversions, sequences.

mod combined;
mod indices;
mod numbers;
mod rearrange;

use anywarp::Element;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::{Alone, Case};

pub(crate) fn cases() -> Vec<Case> {
    rearrange::cases().into_iter().chain(indices::cases()).chain(combined::cases()).chain(numbers::cases()).collect()
}

pub(crate) fn checked() -> Alone {
    let all = || {
        rearrange::clean()
            .and_then(|()| indices::clean())
            .and_then(|()| combined::clean())
            .and_then(|()| numbers::clean())
    };
    ("cpu:checked::movement".to_owned(), Box::new(all))
}

/// Elements with different bits, the same in every run.
fn elements<T: Element>(count: usize, seed: usize) -> Vec<T> {
    let size = size_of::<T>();
    let byte = |at: usize| ((at + seed).wrapping_mul(0x9e37_79b9) >> 13) as u8;
    (0..count)
        .map(|at| bytemuck::pod_read_unaligned(&(0..size).map(|k| byte(at * size + k)).collect::<Vec<u8>>()))
        .collect()
}

/// A runner with the same random cases in every run.
fn runner() -> TestRunner {
    let config = Config { cases: 128, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}
