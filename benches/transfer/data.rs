//! Words that identify their position.

use crate::shared::Outcome;

/// The word at `index`: distinct within a seed, and different for each seed.
fn word(seed: u32, index: usize) -> u32 {
    (index as u32 ^ seed).wrapping_mul(0x9e37_79b9)
}

pub(crate) fn fill(target: &mut [u32], seed: u32) {
    for (index, value) in target.iter_mut().enumerate() {
        *value = word(seed, index);
    }
}

pub(crate) fn sum(words: &[u32]) -> u64 {
    words.iter().fold(0, |sum, word| sum + u64::from(*word))
}

pub(crate) fn check(what: &str, got: &[u32], seed: u32) -> Outcome<()> {
    match got.iter().enumerate().find(|(index, got)| **got != word(seed, *index)) {
        None => Ok(()),
        Some((index, got)) => Err(format!("wrong result: {what}: word {index} is {got:#x}").into()),
    }
}
