//! The passes of a scatter. This module is pure.

use super::super::moving::indices::Along;
use super::super::plan::Plan;

/// How elements of x are combined with elements of y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combination {
    /// Elements of x replace elements of y; `unique` if the caller states that all positions differ.
    Set { unique: bool },
    /// Elements of x are combined with elements of y in any order.
    Any,
    /// Elements of x are combined with elements of y in the order of their indices.
    Ordered,
}

/// The sizes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) along: Along,
    pub(super) combination: Combination,
    /// The size of an element in bytes.
    pub(super) element: u64,
    /// The size of an index in bytes.
    pub(super) index: u64,
    /// The bytes of their buffers at which x and y begin.
    pub(super) starts: [u64; 2],
}

/// One step of a scatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Sets this many claims of positions to zero.
    Clear { claims: u64 },
    /// Claims each position for the last index that selects it.
    Claim { cell: u64 },
    /// Writes the elements of the last indices, or of all indices, in cells of `cell` bytes.
    Set { cell: u64 },
    /// Combines elements of x with elements of y by atomic operations.
    Combine,
    /// Finds the positions of all elements.
    Find,
    /// Sorts the positions together with the elements, which are numbers of at least 32 bits.
    Sort,
    /// Combines the elements of each position with each other.
    Scan,
    /// Combines these results with the elements of y.
    AddSums,
}

/// The choice of the largest cell, in bytes, in which elements are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) widest: u64,
}

impl Choice {
    /// Returns the default choice.
    pub(super) fn default_for(_: &Shape) -> Self {
        Self { widest: 16 }
    }
}

pub(super) fn plan(shape: &Shape, choice: Choice) -> Plan<Pass> {
    let Shape { along, combination, element, index, starts } = *shape;
    let selected = along.selected();
    if selected == 0 || along.size == 0 {
        return Plan::nothing();
    }
    let indices = if along.shared { along.lines } else { selected };
    let cell = along.cell(element, &starts, choice.widest);
    // Elements of less than 32 bits are combined as numbers of 32 bits.
    let sum = element.max(4);
    let (passes, scratch) = match combination {
        Combination::Set { unique: true } => (vec![Pass::Set { cell }], 0),
        Combination::Set { unique: false } => {
            let claims = if along.shared { along.size } else { along.outer * along.size * along.inner };
            (vec![Pass::Clear { claims }, Pass::Claim { cell }, Pass::Set { cell }], 4 * claims)
        }
        Combination::Any => (vec![Pass::Combine], 0),
        Combination::Ordered => (vec![Pass::Find, Pass::Sort, Pass::Scan, Pass::AddSums], (4 + 2 * sum) * selected),
    };
    let combined = !matches!(combination, Combination::Set { .. });
    // Elements of x are read and elements of y are written; for combinations, elements of y are also read.
    let moved = (2 + u64::from(combined)) * selected;
    let bytes = moved.saturating_mul(element).saturating_add(indices * index);
    Plan { passes, scratch, flops: if combined { selected } else { 0 }, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONG: Along = Along { outer: 2, size: 9, inner: 3, lines: 5, shared: true };
    const SET: Combination = Combination::Set { unique: false };

    fn shape(along: Along, combination: Combination) -> Shape {
        Shape { along, combination, element: 4, index: 4, starts: [0, 0] }
    }

    #[test]
    fn places_are_claimed_unless_all_differ() {
        let passes = |along, combination| plan(&shape(along, combination), Choice { widest: 16 }).passes;
        let three = |claims| vec![Pass::Clear { claims }, Pass::Claim { cell: 4 }, Pass::Set { cell: 4 }];
        assert_eq!(passes(ALONG, SET), three(9));
        assert_eq!(passes(Along { shared: false, ..ALONG }, SET), three(54));
        assert_eq!(passes(ALONG, Combination::Set { unique: true }), [Pass::Set { cell: 4 }]);
        assert_eq!(passes(ALONG, Combination::Any), [Pass::Combine]);
        assert_eq!(passes(ALONG, Combination::Ordered).len(), 4);
        assert!(passes(Along { lines: 0, ..ALONG }, SET).is_empty());
        assert!(passes(Along { size: 0, ..ALONG }, SET).is_empty());
    }

    #[test]
    fn combinations_read_both_arrays() {
        let cost = |combination| plan(&shape(ALONG, combination), Choice { widest: 16 }).cost();
        assert_eq!((cost(SET).flops, cost(SET).bytes, cost(SET).scratch), (0, 2 * 4 * 30 + 4 * 5, 36));
        assert_eq!(cost(Combination::Ordered).scratch, (4 + 2 * 4) * 30);
        let [short, long] = [2, 8].map(|element| {
            plan(&Shape { element, ..shape(ALONG, Combination::Ordered) }, Choice { widest: 16 }).cost().scratch
        });
        assert_eq!([short, long], [12 * 30, 20 * 30]);
        assert_eq!((cost(Combination::Any).flops, cost(Combination::Any).bytes), (30, 3 * 4 * 30 + 4 * 5));
    }
}
