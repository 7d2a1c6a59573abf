//! The passes of a scatter. This module is pure.

use super::super::moving::indices::Along;
use super::super::plan::Plan;

/// The way in which elements meet those of y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combination {
    /// Elements replace them; the indices may be different by the caller's word.
    Set { unique: bool },
    /// Elements are combined with them, in any order.
    Any,
    /// Elements are combined with them in one order.
    Ordered,
}

/// The sizes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) along: Along,
    pub(super) combination: Combination,
    /// The size of an element, and of an index, in bytes.
    pub(super) element: u64,
    pub(super) index: u64,
    /// The bytes at which x and y begin.
    pub(super) starts: [u64; 2],
}

/// One command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Zeros in this many claims.
    Clear { claims: u64 },
    /// The number of the last index of each position.
    Claim { cell: u64 },
    /// The elements of the last indices, or of all, in cells of this many bytes.
    Set { cell: u64 },
    /// Atomic operations.
    Combine,
    /// The positions of all elements.
    Find,
    /// Those in order, each with its element in at least 32 bits.
    Sort,
    /// The combination of the elements of each position.
    Scan,
    /// The combination with the elements of y.
    AddSums,
}

/// The largest cell in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) widest: u64,
}

impl Choice {
    /// The choice without tuning.
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
    // Shorter elements are combined as numbers of 32 bits.
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
    // Elements are read and written, and those of y are read if they are combined.
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
