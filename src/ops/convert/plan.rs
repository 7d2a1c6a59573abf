//! The passes of a conversion. This module is pure.

use super::super::plan::Plan;

/// The sizes of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) length: u64,
    /// The size of an element of x and of y in bytes.
    pub(super) sizes: [u64; 2],
    /// The byte of its buffer at which y begins.
    pub(super) start: u64,
    /// The greatest number of elements that one launch converts; `None` if each array fits into one binding.
    pub(super) window: Option<u64>,
}

/// One launch of the kernel, for `count` elements from `begin` on. The launch has at least one invocation for each word
/// that it writes; for elements of two words, one for each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) begin: u64,
    pub(super) count: u64,
    pub(super) threads: u64,
}

pub(super) fn plan(Shape { length, sizes: [from, to], start, window }: Shape) -> Plan<Pass> {
    if length == 0 {
        return Plan::nothing();
    }
    let most = window.unwrap_or(length);
    // An invocation writes one word; the first and the last word may contain other bytes than those of y. The byte
    // lengths of windows are multiples of 4, so all windows begin at the same byte of a word.
    let threads = |count: u64| if to >= 4 { count } else { (start % 4 + count * to).div_ceil(4) };
    let begins = (0..length).step_by(usize::try_from(most).unwrap_or(usize::MAX).max(1));
    let counts = begins.map(|begin| (begin, most.min(length - begin)));
    let passes = counts.map(|(begin, count)| Pass { begin, count, threads: threads(count) }).collect();
    Plan { passes, scratch: 0, flops: 0, bytes: length * (from + to) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_has_an_invocation() {
        let threads = |length, to, start| plan(Shape { length, sizes: [4, to], start, window: None }).passes[0].threads;
        assert_eq!([threads(5, 8, 0), threads(5, 4, 4), threads(5, 2, 0), threads(5, 2, 2)], [5, 5, 3, 3]);
        assert_eq!([threads(4, 1, 0), threads(4, 1, 3), threads(5, 1, 3), threads(6, 1, 7)], [1, 2, 2, 3]);
        assert_eq!(plan(Shape { length: 0, sizes: [1, 1], start: 3, window: None }), Plan::nothing());
        let windows = plan(Shape { length: 2500, sizes: [4, 1], start: 3, window: Some(1024) }).passes;
        let of = |pass: &Pass| [pass.begin, pass.count, pass.threads];
        let wanted = [[0, 1024, 257], [1024, 1024, 257], [2048, 452, 114]];
        assert_eq!(windows.iter().map(of).collect::<Vec<_>>(), wanted);
        assert_eq!(plan(Shape { length: 10, sizes: [8, 2], start: 0, window: None }).cost().bytes, 100);
    }
}
