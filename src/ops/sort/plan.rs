//! The passes of a sort. This module is pure.

use std::ops::Range;

use super::super::ordering::keys::Kind;
use super::super::plan::Plan;
use super::choice::{Blocks, Choice, Form, MAX_SWEPT, TILE};
use super::digits::{Digit, digits};

/// The number of values of a digit.
pub(super) const RADIX: u64 = 256;
/// The number of invocations of a workgroup in kernels with one invocation for each element.
const WORKGROUP: u64 = 256;

/// The values that are moved with the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    None,
    /// Values of the caller, of this many words each.
    Given {
        words: u32,
    },
    /// The indices of the keys; the sorted keys are not written.
    Indices,
}

impl Values {
    pub(super) fn words(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Given { words } => words,
            Self::Indices => 1,
        }
    }
}

/// The sizes and the order of a sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of keys.
    pub(super) length: u64,
    /// The size of a key in bits.
    pub(super) key_bits: u32,
    /// The kind of number that a key is.
    pub(super) kind: Kind,
    /// The range of bits by which keys are compared.
    pub(super) bits: Range<u32>,
    pub(super) descending: bool,
    pub(super) values: Values,
    /// Whether the results replace the keys and values.
    pub(super) in_place: bool,
}

impl Shape {
    /// Whether several keys share a word.
    pub(super) fn is_packed(&self) -> bool {
        self.key_bits < 32
    }

    /// Returns the number of words of a key in scratch memory between passes.
    pub(super) fn key_words(&self) -> u32 {
        self.key_bits.div_ceil(32)
    }
}

/// An array of keys or an array of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Array {
    Given,
    Result,
    /// An array of scratch memory, by its number.
    Spare(usize),
    /// An array that is not accessed.
    Unused,
}

/// One launch, copy or fill of a sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Copies the keys from the result's array to the first array of the scratch memory.
    CopyKeys,
    /// Copies the values from the result's array to the first array of the scratch memory.
    CopyValues,
    /// Unpacks keys of less than 32 bits to the first array of the scratch memory.
    Unpack,
    /// Packs the sorted keys of the array `from`, which have less than 32 bits, into the result.
    Pack { from: Array },
    /// Sorts by all digits in one launch of one workgroup.
    Small { digits: Vec<Digit>, keys: [Array; 2], values: [Array; 2] },
    /// Counts the keys of each block by a digit.
    Count { blocks: Blocks, digit: Digit, keys: Array },
    /// Adds up the counts of the blocks, which determines where each block writes its keys.
    Place { blocks: Blocks },
    /// Counts the keys by all digits.
    CountAll { blocks: Blocks, digits: Vec<Digit>, keys: Array },
    /// Adds up the counts of each of this many digits.
    PlaceAll { digits: u64 },
    /// Sets the counts of all digits to zero.
    ClearTotals,
    /// Clears the memory in which the workgroups of a sweep publish their progress.
    ClearProgress,
    /// Moves the keys and values from one array to another, ordered by a digit, in one launch; `number` is the index of
    /// the digit.
    Sweep { threads: u32, tiles: u64, digit: Digit, number: usize, keys: [Array; 2], values: [Array; 2] },
    /// Moves the keys and values from one array to another, ordered by a digit.
    Scatter { blocks: Blocks, digit: Digit, keys: [Array; 2], values: [Array; 2] },
}

/// The arrays of the keys and of the values, before the first pass and after each pass.
#[derive(Debug)]
struct Arrays {
    keys: Vec<Array>,
    values: Vec<Array>,
}

impl Arrays {
    fn of(shape: &Shape, passes: usize) -> Self {
        // Arrays are chosen backwards from the result, so that the last pass writes the result.
        let towards_result = |given: Array| {
            let array = |at: usize| if (passes - at).is_multiple_of(2) { Array::Result } else { Array::Spare(0) };
            let first = if shape.in_place { array(0) } else { given };
            std::iter::once(first).chain((1..=passes).map(array)).collect::<Vec<_>>()
        };
        let between = |first: Array, from: usize| {
            std::iter::once(first).chain((1..=passes).map(|at| Array::Spare((at + from) % 2))).collect::<Vec<_>>()
        };
        let mut keys = match (shape.is_packed(), shape.values) {
            (true, _) => between(Array::Spare(0), 0),
            (false, Values::Indices) => between(Array::Given, 1),
            (false, _) => towards_result(Array::Given),
        };
        if let (Values::Indices, Some(last)) = (shape.values, keys.last_mut()) {
            *last = Array::Unused;
        }
        let values = match shape.values {
            Values::None => vec![Array::Unused; passes + 1],
            Values::Given { .. } => towards_result(Array::Given),
            Values::Indices => towards_result(Array::Unused),
        };
        Self { keys, values }
    }

    /// Returns the arrays between which pass `at` moves keys, and the arrays between which it moves values.
    fn moved(&self, at: usize) -> [[Array; 2]; 2] {
        [[self.keys[at], self.keys[at + 1]], [self.values[at], self.values[at + 1]]]
    }

    /// Returns the number of scratch arrays that `arrays`, either of keys or of values, refers to.
    fn spares(arrays: &[Array]) -> u64 {
        let number = |array: &Array| if let Array::Spare(number) = array { *number as u64 + 1 } else { 0 };
        arrays.iter().map(number).max().unwrap_or(0)
    }
}

pub(super) fn plan(shape: &Shape, choice: Choice) -> Plan<Pass> {
    let length = shape.length;
    if length == 0 {
        return Plan::nothing();
    }
    let digits = digits(&shape.bits, shape.key_bits, shape.kind, shape.descending);
    let small = choice == Choice::Small && length <= TILE;
    let arrays = Arrays::of(shape, if small { 1 } else { digits.len() });
    let mut passes = Vec::new();
    if shape.is_packed() {
        passes.push(Pass::Unpack);
    }
    if small {
        passes.push(small_pass(shape, digits));
    } else {
        passes.extend(copies(shape, &arrays));
        match choice {
            Choice::Sweep { threads } if length < MAX_SWEPT => {
                passes.extend(by_sweeps(length, threads, digits, &arrays));
            }
            _ => passes.extend(by_digits(&digits, &arrays, Blocks::of(length, choice))),
        }
    }
    if shape.is_packed() && shape.values != Values::Indices {
        passes.push(Pass::Pack { from: sorted(&passes) });
    }
    let spares = spares_of(&passes);
    let words_of_keys = length.saturating_mul(u64::from(shape.key_words()));
    let words_of_values = length.saturating_mul(u64::from(shape.values.words()));
    let counters = counters_of(&passes).into_iter().sum();
    let words = spares[0]
        .saturating_mul(words_of_keys)
        .saturating_add(spares[1].saturating_mul(words_of_values))
        .saturating_add(counters);
    let key = u64::from(shape.key_bits / 8);
    let moved = match shape.values {
        Values::None => 2 * key,
        Values::Given { words } => 2 * key + 8 * u64::from(words),
        Values::Indices => key + 4,
    };
    Plan { passes, scratch: words.saturating_mul(4), flops: 0, bytes: length.saturating_mul(moved) }
}

/// Returns the numbers of scratch arrays for keys and for values that all passes need.
pub(super) fn spares_of(passes: &[Pass]) -> [u64; 2] {
    passes.iter().map(spares).fold([0, 0], |most, one| [most[0].max(one[0]), most[1].max(one[1])])
}

fn spares(pass: &Pass) -> [u64; 2] {
    match pass {
        Pass::CopyKeys | Pass::Unpack => [1, 0],
        Pass::CopyValues => [0, 1],
        Pass::Small { keys, values, .. } | Pass::Scatter { keys, values, .. } | Pass::Sweep { keys, values, .. } => {
            [Arrays::spares(keys), Arrays::spares(values)]
        }
        _ => [0, 0],
    }
}

/// Returns the numbers of words that all passes need for the counts by block or tile, for the counts by digit, and for
/// the sums of the counts by digit.
pub(super) fn counters_of(passes: &[Pass]) -> [u64; 3] {
    let mut words = [0; 3];
    for pass in passes {
        match pass {
            Pass::Count { blocks, .. } => words = [blocks.count * RADIX, RADIX, 0],
            Pass::Sweep { tiles, .. } => words[0] = 1 + tiles * RADIX,
            Pass::PlaceAll { digits } => words = [words[0], digits * RADIX, digits * RADIX],
            _ => {}
        }
    }
    words
}

/// Returns the array of the sorted keys after the last of these passes.
fn sorted(passes: &[Pass]) -> Array {
    match passes.last() {
        Some(Pass::Small { keys, .. } | Pass::Scatter { keys, .. } | Pass::Sweep { keys, .. }) => keys[1],
        _ => Array::Spare(0),
    }
}

fn small_pass(shape: &Shape, digits: Vec<Digit>) -> Pass {
    let given = if shape.in_place { Array::Result } else { Array::Given };
    let keys = match (shape.is_packed(), shape.values) {
        (true, Values::Indices) => [Array::Spare(0), Array::Unused],
        // The kernel sorts either both keys and values in place, or neither.
        (true, _) if shape.in_place => [Array::Spare(0), Array::Spare(0)],
        (true, _) => [Array::Spare(0), Array::Spare(1)],
        (false, Values::Indices) => [Array::Given, Array::Unused],
        (false, _) => [given, Array::Result],
    };
    let values = match shape.values {
        Values::None => [Array::Unused, Array::Unused],
        Values::Given { .. } => [given, Array::Result],
        Values::Indices => [Array::Unused, Array::Result],
    };
    Pass::Small { digits, keys, values }
}

/// Returns the copies before the first digit: a sort in place with an odd number of passes has to begin in scratch
/// memory.
fn copies(shape: &Shape, arrays: &Arrays) -> Vec<Pass> {
    let is_moved = |arrays: &[Array]| shape.in_place && arrays[0] == Array::Spare(0);
    let mut passes = Vec::new();
    if !shape.is_packed() && is_moved(&arrays.keys) {
        passes.push(Pass::CopyKeys);
    }
    if matches!(shape.values, Values::Given { .. }) && is_moved(&arrays.values) {
        passes.push(Pass::CopyValues);
    }
    passes
}

fn by_digits(digits: &[Digit], arrays: &Arrays, blocks: Blocks) -> Vec<Pass> {
    let mut passes = Vec::new();
    for (at, digit) in digits.iter().copied().enumerate() {
        let [keys, values] = arrays.moved(at);
        passes.push(Pass::Count { blocks, digit, keys: keys[0] });
        passes.push(Pass::Place { blocks });
        passes.push(Pass::Scatter { blocks, digit, keys, values });
    }
    passes
}

fn by_sweeps(length: u64, threads: u32, digits: Vec<Digit>, arrays: &Arrays) -> Vec<Pass> {
    let blocks = Blocks::of(length, Choice::Sweep { threads });
    let tiles = length.div_ceil(Form::Subgroups { threads }.tile());
    let counted = Pass::CountAll { blocks, digits: digits.clone(), keys: arrays.keys[0] };
    let mut passes = vec![Pass::ClearTotals, counted, Pass::PlaceAll { digits: digits.len() as u64 }];
    for (number, digit) in digits.into_iter().enumerate() {
        let [keys, values] = arrays.moved(number);
        passes.push(Pass::ClearProgress);
        passes.push(Pass::Sweep { threads, tiles, digit, number, keys, values });
    }
    passes
}

/// Returns the number of workgroups of a kernel with one invocation for each of `count` elements.
pub(super) fn groups(count: u64) -> u64 {
    count.div_ceil(WORKGROUP)
}

#[cfg(test)]
mod tests;
