//! The pass of a pooling. This module is pure.

use std::fmt;

use super::super::plan::Plan;
use super::super::rows::plan::Target;

/// The sizes of a pooling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of examples times the number of channels.
    pub(super) planes: u64,
    /// The numbers of positions of y along depth, height and width.
    pub(super) output: [u64; 3],
    /// Whether elements have 16 bits, and whether y begins with the second half of a word.
    pub(super) halves: bool,
    pub(super) odd: bool,
}

/// The assignment of invocations to results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// One invocation for each result.
    Elements,
    /// One invocation for each result, with neighbouring invocations along a row of positions; f32 only.
    Rows,
}

/// One dispatch of a pooling, with the size of its grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    Elements { threads: u64 },
    Rows { threads: [u64; 3] },
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elements => f.write_str("elements"),
            Self::Rows => f.write_str("rows"),
        }
    }
}

impl Choice {
    /// The choice that a call uses without tuning.
    pub(super) fn default_for(shape: Shape, target: Target) -> Self {
        // A row of fewer than 4 positions occupies less than half of the 8 invocations that the CPU runs together.
        if target.strips && !shape.halves && shape.output[2] >= 4 { Self::Rows } else { Self::Elements }
    }
}

pub(super) fn plan(shape: Shape, choice: Choice, [flops, bytes]: [u64; 2]) -> Plan<Pass> {
    let Shape { planes, output: [depth, height, width], halves, odd } = shape;
    let results = planes * depth * height * width;
    if results == 0 {
        return Plan::nothing();
    }
    let pass = match choice {
        Choice::Rows if !halves => Pass::Rows { threads: [width, depth * height, planes] },
        _ if halves => Pass::Elements { threads: (u64::from(odd) + results).div_ceil(2) },
        _ => Pass::Elements { threads: results },
    };
    Plan { passes: vec![pass], scratch: 0, flops, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_cover_the_results() {
        let shape = Shape { planes: 6, output: [2, 3, 5], halves: false, odd: false };
        let pass = |shape, choice| plan(shape, choice, [7, 9]).passes;
        assert_eq!(pass(shape, Choice::Elements), [Pass::Elements { threads: 180 }]);
        assert_eq!(pass(shape, Choice::Rows), [Pass::Rows { threads: [5, 6, 6] }]);
        let halves = Shape { halves: true, odd: true, ..shape };
        assert_eq!(pass(halves, Choice::Rows), [Pass::Elements { threads: 91 }]);
        assert_eq!(plan(Shape { planes: 0, ..shape }, Choice::Rows, [7, 9]), Plan::nothing());
        assert_eq!(plan(shape, Choice::Rows, [7, 9]).cost().bytes, 9);
    }

    #[test]
    fn the_table_uses_both_choices() {
        let shape = Shape { planes: 6, output: [2, 3, 5], halves: false, odd: false };
        let (gpu, processor) = (Target { software: false, strips: false }, Target { software: true, strips: true });
        assert_eq!(Choice::default_for(shape, gpu), Choice::Elements);
        assert_eq!(Choice::default_for(shape, processor), Choice::Rows);
        assert_eq!(Choice::default_for(Shape { output: [9, 9, 3], ..shape }, processor), Choice::Elements);
        assert_eq!(Choice::default_for(Shape { halves: true, ..shape }, processor), Choice::Elements);
    }
}
