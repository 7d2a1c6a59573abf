//! The pass of a selection by indices. This module is pure.

use super::super::moving::indices::Along;
use super::super::plan::Plan;

/// The sizes of a selection by indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) along: Along,
    /// The size of an element in bytes.
    pub(super) element: u64,
    /// The size of an index in bytes.
    pub(super) index: u64,
    /// The byte offsets at which x and y begin in their buffers.
    pub(super) starts: [u64; 2],
}

/// One launch of the kernel, which moves cells of `cell` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) cell: u64,
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
    let Shape { along, element, index, starts } = *shape;
    let selected = along.selected();
    if selected == 0 {
        return Plan::nothing();
    }
    let indices = if along.shared { along.lines } else { selected };
    let bytes = (2 * selected).saturating_mul(element).saturating_add(indices * index);
    Plan { passes: vec![Pass { cell: along.cell(element, &starts, choice.widest) }], scratch: 0, flops: 0, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_elements_and_indices() {
        let along = Along { outer: 2, size: 9, inner: 3, lines: 5, shared: true };
        let shape = Shape { along, element: 4, index: 8, starts: [0, 0] };
        let cost = plan(&shape, Choice::default_for(&shape)).cost();
        assert_eq!((cost.passes, cost.flops, cost.bytes), (1, 0, 2 * 4 * 30 + 8 * 5));
        let nothing = Shape { along: Along { lines: 0, ..along }, ..shape };
        assert_eq!(plan(&nothing, Choice { widest: 16 }), Plan::nothing());
    }
}
