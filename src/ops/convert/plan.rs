//! The pass of a conversion. This module is pure.

use super::super::plan::Plan;

/// The sizes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) length: u64,
    /// The size of an element of x and of y in bytes.
    pub(super) sizes: [u64; 2],
    /// The byte at which y begins.
    pub(super) start: u64,
}

/// One command: the kernel, in at least as many invocations as it writes words, or elements of two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) threads: u64,
}

pub(super) fn plan(Shape { length, sizes: [from, to], start }: Shape) -> Plan<Pass> {
    if length == 0 {
        return Plan::nothing();
    }
    // Words that y has a part of.
    let threads = if to >= 4 { length } else { (start % 4 + length * to).div_ceil(4) };
    Plan { passes: vec![Pass { threads }], scratch: 0, flops: 0, bytes: length * (from + to) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_has_an_invocation() {
        let threads = |length, to, start| plan(Shape { length, sizes: [4, to], start }).passes[0].threads;
        assert_eq!([threads(5, 8, 0), threads(5, 4, 4), threads(5, 2, 0), threads(5, 2, 2)], [5, 5, 3, 3]);
        assert_eq!([threads(4, 1, 0), threads(4, 1, 3), threads(5, 1, 3), threads(6, 1, 7)], [1, 2, 2, 3]);
        assert_eq!(plan(Shape { length: 0, sizes: [1, 1], start: 3 }), Plan::nothing());
        assert_eq!(plan(Shape { length: 10, sizes: [8, 2], start: 0 }).cost().bytes, 100);
    }
}
