//! The passes of a fill with a pattern. This module is pure.

use super::super::plan::Plan;

/// The number of invocations of a workgroup, and of words in a row: an invocation writes one word of each row.
const WORKGROUP: u32 = 256;
/// The number of rows that one workgroup fills.
const ROWS: u64 = 16;

/// The sizes of a fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of elements to fill, of one word each.
    pub(super) length: u64,
    /// The number of elements of the pattern: 1 to 16.
    pub(super) period: u32,
    /// Whether all elements of the pattern have the same bits.
    pub(super) uniform: bool,
}

/// One command of a fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// A fill command of the device, with one word.
    Word,
    /// The kernel in `groups` workgroups, whose rows are `span` words apart.
    Kernel { span: u32, groups: u64 },
}

/// The choice between commands that write the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The device's fill command, if all words of the pattern are equal; otherwise the kernel.
    Word,
    Kernel,
}

impl Choice {
    /// The choice that a call uses without tuning.
    pub(super) fn default_for(shape: Shape) -> Self {
        if shape.uniform { Self::Word } else { Self::Kernel }
    }
}

pub(super) fn plan(shape: Shape, choice: Choice) -> Plan<Pass> {
    if shape.length == 0 {
        return Plan::nothing();
    }
    let pass = match choice {
        Choice::Word if shape.uniform => Pass::Word,
        _ => {
            // The rows of a workgroup begin at the same word of the pattern if their distance is a multiple of the
            // pattern's length. A row of 256 words is a multiple of the length's power of two, so that the odd part of
            // the length suffices as a factor.
            let patterns = shape.period >> shape.period.trailing_zeros();
            let span = WORKGROUP * patterns;
            Pass::Kernel { span, groups: shape.length.div_ceil(u64::from(span) * ROWS) * u64::from(patterns) }
        }
    };
    Plan { passes: vec![pass], scratch: 0, flops: 0, bytes: shape.length * 4 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_is_the_devices_own_fill() {
        let passes = |uniform, choice| plan(Shape { length: 12_289, period: 6, uniform }, choice).passes;
        assert_eq!(passes(true, Choice::Word), [Pass::Word]);
        assert_eq!(passes(false, Choice::Word), [Pass::Kernel { span: 768, groups: 6 }]);
        assert_eq!(passes(true, Choice::Kernel), [Pass::Kernel { span: 768, groups: 6 }]);
    }

    #[test]
    fn a_fill_writes_each_word_once_and_computes_nothing() {
        let shape = Shape { length: 257, period: 5, uniform: false };
        let cost = plan(shape, Choice::default_for(shape)).cost();
        assert_eq!((cost.passes, cost.scratch, cost.flops, cost.bytes), (1, 0, 0, 4 * 257));
    }

    #[test]
    fn nothing_to_fill_takes_no_pass() {
        assert_eq!(plan(Shape { length: 0, period: 5, uniform: false }, Choice::Kernel), Plan::nothing());
    }
}
