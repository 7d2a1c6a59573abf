//! The passes of a call that draws random numbers. This module is pure.

use super::super::plan::Plan;

/// The least number of words that are written as vectors of four. For fewer words vectors save no time, and the words
/// before and after them would be further launches.
const MIN_FOR_VECTORS: u64 = 1 << 14;

/// The words that a call writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of words to write.
    pub(super) words: u64,
    /// The index in the buffer of the first word to write.
    pub(super) start: u64,
    /// The index in the stream of the first word to write.
    pub(super) number: u64,
}

/// One launch, which writes a part of the words of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The index of the launch's first word, counted from the first word of the output.
    pub(super) begin: u64,
    /// The number of words of the launch.
    pub(super) words: u64,
    /// Whether each invocation writes one vector of four words.
    pub(super) vectors: bool,
}

/// The choice between kernels that write the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Whether four words are written as one vector where both the buffer and the counters permit it.
    pub(super) vectors: bool,
}

impl Choice {
    /// The choice that a call uses without tuning.
    pub(super) fn default_for(shape: Shape) -> Self {
        Self { vectors: shape.words >= MIN_FOR_VECTORS }
    }
}

pub(super) fn plan(shape: Shape, choice: Choice) -> Plan<Part> {
    let Shape { words, start, number } = shape;
    if words == 0 {
        return Plan::nothing();
    }
    let scalar = |begin, words| Part { begin, words, vectors: false };
    let before = number.wrapping_neg() % 4;
    let passes = if choice.vectors && start % 4 == number % 4 && words >= before + 4 {
        let vectors = (words - before) / 4 * 4;
        let whole = Part { begin: before, words: vectors, vectors: true };
        let ends = [scalar(0, before), whole, scalar(before + vectors, words - before - vectors)];
        ends.into_iter().filter(|part| part.words > 0).collect()
    } else {
        vec![scalar(0, words)]
    };
    Plan { passes, scratch: 0, flops: 0, bytes: words * 4 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(words: u64, start: u64, number: u64, vectors: bool) -> Vec<(u64, u64, bool)> {
        let plan = plan(Shape { words, start, number }, Choice { vectors });
        plan.passes.iter().map(|part| (part.begin, part.words, part.vectors)).collect()
    }

    #[test]
    fn vectors_begin_at_whole_counters() {
        assert_eq!(parts(16, 0, 0, true), [(0, 16, true)]);
        assert_eq!(parts(17, 8, 4, true), [(0, 16, true), (16, 1, false)]);
        assert_eq!(parts(17, 3, 7, true), [(0, 1, false), (1, 16, true)]);
        assert_eq!(parts(18, 1, 1, true), [(0, 3, false), (3, 12, true), (15, 3, false)]);
        assert_eq!(parts(16, 0, u64::MAX, true), [(0, 16, false)]);
        assert_eq!(parts(16, 3, u64::MAX, true), [(0, 1, false), (1, 12, true), (13, 3, false)]);
    }

    #[test]
    fn counters_between_the_cells_of_vectors_write_words() {
        assert_eq!(parts(16, 0, 1, true), [(0, 16, false)]);
        assert_eq!(parts(16, 0, 0, false), [(0, 16, false)]);
        assert_eq!(parts(3, 0, 0, true), [(0, 3, false)]);
        assert_eq!(parts(6, 1, 1, true), [(0, 6, false)]);
    }

    #[test]
    fn long_arrays_take_vectors() {
        let vectors = |words| Choice::default_for(Shape { words, start: 0, number: 0 }).vectors;
        assert_eq!((vectors((1 << 14) - 1), vectors(1 << 14)), (false, true));
    }

    #[test]
    fn every_word_is_written_once_and_nothing_computed() {
        let shape = Shape { words: 1 << 20, start: 0, number: 0 };
        let cost = plan(shape, Choice::default_for(shape)).cost();
        assert_eq!((cost.passes, cost.scratch, cost.flops, cost.bytes), (1, 0, 0, 4 << 20));
        assert_eq!(plan(Shape { words: 0, ..shape }, Choice { vectors: true }), Plan::nothing());
    }
}
