//! The passes of operators on rows: each row first needs a sum over all of its elements, from which the results are
//! computed. This module is pure.

use std::fmt;

use super::super::choices::powers;
use super::super::plan::Plan;

/// The number of invocations of a workgroup, except for strips.
const GROUP: u64 = 256;
/// The number of invocations of a strip: as many as the CPU runs together.
const LANES: u64 = 8;
/// The greatest number of units (elements or vectors) in the registers of an invocation.
const MAX_HELD: u64 = 8;
/// The number of elements of a vector.
const VECTOR: u64 = 4;
/// The size of a partial result in bytes.
const PART: u64 = 8;

/// The sizes of an array whose rows an operator computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The number of rows.
    pub(crate) rows: u64,
    /// The number of elements of a row.
    pub(crate) length: u64,
    /// The distance between the elements of a row, in elements.
    pub(crate) inner: u64,
    /// Whether elements have 16 bits.
    pub(crate) halves: bool,
    /// Whether all arrays can be read four elements at a time.
    pub(crate) aligned: bool,
}

/// The properties of a device on which a choice depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Whether the device is a processor, which runs barriers slowly.
    pub(crate) software: bool,
    /// Whether the device is the CPU backend of this project, which runs eight invocations at a time.
    pub(crate) strips: bool,
}

impl Target {
    /// The greatest number of iterations that all loops of an invocation may make together. llvmpipe ends loops after
    /// 65,535, without an error; other devices have no such limit.
    pub(crate) fn max_iterations(self) -> u64 {
        if self.software && !self.strips { 60_000 } else { u64::MAX }
    }
}

/// The assignment of invocations to rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// A team, which is a part of a workgroup, computes a row and keeps the row in registers.
    Held,
    /// A workgroup computes one of `parts` parts of a row, and reads this part twice.
    Groups { parts: u64 },
    /// As `Groups`, but with workgroups of eight invocations.
    Strips { parts: u64 },
    /// An invocation computes one of `parts` parts of a row, and reads this part twice.
    Lines { parts: u64 },
}

/// One launch of a kernel on rows, with its number of workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    Teams { groups: u64 },
    PartsOfRows { groups: u64 },
    RowsFromParts { groups: u64 },
    WholeRows { groups: u64 },
    PartsOfLines { groups: u64 },
    LinesFromParts { groups: u64 },
    WholeLines { groups: u64 },
}

/// A plan with the numbers that kernels need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Planned {
    pub(crate) plan: Plan<Pass>,
    /// Whether the units that kernels read are vectors of four elements; otherwise units are elements.
    pub(crate) vectors: bool,
    /// The number of invocations of a workgroup.
    pub(crate) group: u64,
    /// The number of invocations that compute a row together.
    pub(crate) width: u64,
    /// The number of units of a row in the registers of an invocation.
    pub(crate) held: u64,
    /// The number of parts of a row.
    pub(crate) parts: u64,
    /// The number of units of a part.
    pub(crate) chunk: u64,
}

impl Planned {
    /// The plan of a call without elements.
    fn nothing() -> Self {
        let (group, width, held) = (GROUP, GROUP, VECTOR);
        Self { plan: Plan::nothing(), vectors: false, group, width, held, parts: 1, chunk: 0 }
    }
}

impl Choice {
    /// Returns all choices; the plan replaces one that does not fit the shape.
    pub(crate) fn all(shape: Shape, target: Target) -> Vec<Self> {
        let Shape { length, inner, .. } = shape;
        let rows = shape.rows.max(1);
        let most = (4096 / rows).min(length / 32).clamp(1, 256);
        // Loops of software are limited, see below.
        let least = if target.software && !target.strips { length.div_ceil(1 << 15) } else { 1 };
        let mut all = Vec::new();
        if target.software || inner > 1 || rows >= 256 {
            all.extend(powers(most).filter(|parts| *parts >= least).map(|parts| Self::Lines { parts }));
        }
        if target.strips && inner == 1 {
            all.extend(powers(most.min(64)).map(|parts| Self::Strips { parts }));
        }
        if !target.software && inner == 1 {
            if shape.units() <= GROUP * MAX_HELD {
                all.push(Self::Held);
            }
            all.extend(powers((shape.units() / GROUP).clamp(1, 256)).map(|parts| Self::Groups { parts }));
        }
        all
    }

    /// Whether the choice, which was made for another shape, keeps to the limits of software.
    pub(crate) fn is_possible(self, shape: Shape, target: Target) -> bool {
        match self {
            Self::Lines { parts } if target.software => shape.length.div_ceil(parts.max(1)) <= 1 << 15,
            _ => true,
        }
    }

    /// Returns the default choice for this shape and device.
    pub(crate) fn default_for(shape: Shape, target: Target) -> Self {
        let Shape { length, inner, .. } = shape;
        let rows = shape.rows.max(1);
        if target.strips && inner == 1 && length >= 4 * LANES {
            // Parts have at least 4 096 elements. All rows together have up to 64 parts, enough for every thread of the
            // CPU.
            return Self::Strips { parts: (64 / rows).min(length / 4096).max(1) };
        }
        if target.software {
            // All rows together have up to 4 096 parts, enough for every thread of the processor. Parts have at most
            // 32 768 elements, as llvmpipe ends loops after 65 535 iterations.
            let parts = (4096 / rows).min(length / 512).max(length.div_ceil(1 << 15));
            return Self::Lines { parts: parts.max(1) };
        }
        if inner > 1 {
            // 2^16 invocations fill a large device. Each invocation reads all partial results of its row, so there are
            // at most 256.
            return Self::Lines { parts: ((1 << 16) / rows).min(length / 32).clamp(1, 256) };
        }
        if shape.units() <= GROUP * MAX_HELD {
            return Self::Held;
        }
        // 1 024 workgroups fill a large device; parts of at least 2 048 units are worth a second pass.
        Self::Groups { parts: (1024 / rows).min(shape.units() / 2048).clamp(1, 256) }
    }
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held => f.write_str("held"),
            Self::Groups { parts } => write!(f, "groups parts={parts}"),
            Self::Strips { parts } => write!(f, "strips parts={parts}"),
            Self::Lines { parts } => write!(f, "lines parts={parts}"),
        }
    }
}

impl Shape {
    /// Returns the number of units of a row if kernels read vectors wherever arrays permit vectors.
    fn units(&self) -> u64 {
        if self.aligned { self.length / VECTOR } else { self.length }
    }
}

/// Plans the passes of a choice, or of another choice if the shape does not permit the first. `flops` and `bytes` are
/// the costs of the operator.
pub(crate) fn plan(shape: Shape, choice: Choice, [flops, bytes]: [u64; 2]) -> Planned {
    let Shape { rows, length, inner, halves, aligned } = shape;
    if rows == 0 || length == 0 {
        return Planned::nothing();
    }
    let planned = |passes: Vec<Pass>, [group, width, held]: [u64; 3], vectors, [parts, chunk]: [u64; 2]| {
        let scratch = if parts > 1 { PART * rows * parts } else { 0 };
        Planned { plan: Plan { passes, scratch, flops, bytes }, vectors, group, width, held, parts, chunk }
    };
    let units = shape.units();
    let split = |units: u64, parts: u64, step: u64| {
        let chunk = units.div_ceil(parts.clamp(1, units)).next_multiple_of(step);
        [units.div_ceil(chunk), chunk]
    };
    match choice {
        Choice::Held if inner == 1 && units <= GROUP * MAX_HELD => {
            let held = if units <= GROUP * VECTOR { VECTOR } else { MAX_HELD };
            let width = units.div_ceil(held).next_power_of_two();
            let groups = rows.div_ceil(GROUP / width);
            planned(vec![Pass::Teams { groups }], [GROUP, width, held], aligned, [1, units])
        }
        Choice::Held if inner == 1 => plan(shape, Choice::Groups { parts: 1 }, [flops, bytes]),
        Choice::Groups { parts } | Choice::Strips { parts } if inner == 1 => {
            let strips = matches!(choice, Choice::Strips { .. });
            // On the CPU, the eight invocations of a strip already load neighbouring `f32` elements as one vector.
            let vectors = aligned && (halves || !strips);
            let group = if strips { LANES } else { GROUP };
            let units = if vectors { units } else { length };
            let [parts, chunk] = split(units, parts, 4 * group);
            let groups = rows * parts;
            let passes = match parts {
                1 => vec![Pass::WholeRows { groups }],
                _ => vec![Pass::PartsOfRows { groups }, Pass::RowsFromParts { groups }],
            };
            planned(passes, [group, group, VECTOR], vectors, [parts, chunk])
        }
        Choice::Lines { parts } => {
            let [parts, chunk] = split(length, parts, 1);
            let groups = (rows * parts).div_ceil(GROUP);
            let passes = match parts {
                1 => vec![Pass::WholeLines { groups }],
                _ => vec![Pass::PartsOfLines { groups }, Pass::LinesFromParts { groups }],
            };
            planned(passes, [GROUP, 1, VECTOR], false, [parts, chunk])
        }
        Choice::Held | Choice::Groups { .. } | Choice::Strips { .. } => {
            plan(shape, Choice::Lines { parts: 1 }, [flops, bytes])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Target = Target { software: false, strips: false };
    const CPU: Target = Target { software: true, strips: true };
    const LLVMPIPE: Target = Target { software: true, strips: false };

    fn shape(rows: u64, length: u64, inner: u64) -> Shape {
        Shape { rows, length, inner, halves: false, aligned: inner == 1 && length.is_multiple_of(4) }
    }

    fn passes(shape: Shape, choice: Choice) -> Vec<Pass> {
        plan(shape, choice, [0; 2]).plan.passes
    }

    #[test]
    fn the_choice_depends_on_the_device_and_the_row() {
        let of = |rows, length, inner, target| Choice::default_for(shape(rows, length, inner), target);
        assert_eq!([of(9, 8192, 1, GPU), of(9, 2048, 1, GPU), of(9, 2047, 1, GPU)], [Choice::Held; 3]);
        assert_eq!(of(9, 2049, 1, GPU), Choice::Groups { parts: 1 });
        assert_eq!(of(2, 1 << 22, 1, GPU), Choice::Groups { parts: 256 });
        assert_eq!(of(4096, 1 << 14, 1, GPU), Choice::Groups { parts: 1 });
        assert_eq!(of(9, 64, 3, GPU), Choice::Lines { parts: 2 });
        assert_eq!([of(9, 31, 1, CPU), of(9, 64, 8, CPU)], [Choice::Lines { parts: 1 }; 2]);
        assert_eq!([of(9, 32, 1, CPU), of(1, 8192, 1, CPU)], [1, 2].map(|parts| Choice::Strips { parts }));
        assert_eq!(of(1 << 13, 1 << 16, 1, LLVMPIPE), Choice::Lines { parts: 2 });
        assert_eq!(of(9, 64, 1, LLVMPIPE), Choice::Lines { parts: 1 });
    }

    #[test]
    fn a_row_fits_into_its_registers() {
        for length in (1..2050).chain([4096, 4100, 8188, 8192]) {
            let planned = plan(shape(1000, length, 1), Choice::Held, [0; 2]);
            let [Pass::Teams { groups }] = planned.plan.passes[..] else {
                assert!(length == 2049, "{length}");
                continue;
            };
            let units = if planned.vectors { length / 4 } else { length };
            assert!(planned.width * planned.held >= units && planned.width <= 256, "{length}");
            assert!(planned.held == 4 || (planned.held == 8 && units > 1024), "{length}");
            assert!(groups * (256 / planned.width) >= 1000 && planned.group == 256, "{length}");
        }
    }

    #[test]
    fn parts_cover_a_row() {
        for length in [1, 7, 8, 33, 4096, 100_003, (1 << 31) - (1 << 16)] {
            for parts in [0, 1, 2, 3, 100, 256, u64::MAX] {
                let ways = [Choice::Groups { parts }, Choice::Strips { parts }, Choice::Lines { parts }];
                for choice in ways {
                    let Planned { parts, chunk, vectors, .. } = plan(shape(3, length, 1), choice, [0; 2]);
                    let units = if vectors { length / 4 } else { length };
                    assert!(parts * chunk >= units && (parts - 1) * chunk < units, "{length} {choice:?}");
                }
            }
        }
    }

    #[test]
    fn a_choice_that_does_not_fit_walks_lines() {
        let lines = [Pass::WholeLines { groups: 2 }];
        for choice in [Choice::Held, Choice::Groups { parts: 3 }, Choice::Strips { parts: 3 }] {
            assert_eq!(passes(shape(300, 5000, 2), choice), lines);
        }
        assert_eq!(passes(shape(3, 1 << 20, 1), Choice::Held), [Pass::WholeRows { groups: 3 }]);
        assert_eq!(passes(shape(0, 5, 1), Choice::Held), []);
        assert_eq!(passes(shape(5, 0, 1), Choice::Held), []);
        let halves = Shape { halves: true, ..shape(3, 4096, 1) };
        assert!(plan(halves, Choice::Strips { parts: 1 }, [0; 2]).vectors);
        assert!(!plan(shape(3, 4096, 1), Choice::Strips { parts: 1 }, [0; 2]).vectors);
    }

    #[test]
    fn partial_results_are_scratch() {
        let planned = plan(shape(2, 1 << 20, 1), Choice::Groups { parts: 4 }, [7, 9]);
        assert_eq!(planned.plan.passes, [Pass::PartsOfRows { groups: 8 }, Pass::RowsFromParts { groups: 8 }]);
        let cost = planned.plan.cost();
        assert_eq!((cost.passes, cost.scratch, cost.flops, cost.bytes), (2, 8 * 2 * 4, 7, 9));
    }
}
