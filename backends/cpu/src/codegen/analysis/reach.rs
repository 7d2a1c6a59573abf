//! The lane groups of a workgroup for which a condition may hold.

use std::ops::Range;

use crate::ir::optimise::{Folded, fold};
use crate::ir::{Function, Input, Inst, Value};

/// The largest depth of an expression that is evaluated for every invocation.
const MAX_DEPTH: u32 = 5;

/// Returns the smallest range of lane groups outside of which `condition` is false. A condition that does not follow
/// from the position of the invocation in its workgroup may hold for all groups.
pub(crate) fn groups_where(function: &Function, condition: Value, lanes: usize) -> Range<u32> {
    let lanes = lanes as u32;
    let invocations = function.invocations();
    let groups = invocations.div_ceil(lanes);
    let may_hold = |group: &u32| {
        let first = group * lanes;
        let mut invocations = first..(first + lanes).min(invocations);
        invocations.any(|invocation| known(function, condition, invocation, MAX_DEPTH) != Some(0))
    };
    let Some(first) = (0..groups).find(may_hold) else { return 0..0 };
    let last = (first..groups).rev().find(may_hold).unwrap_or(first);
    first..last + 1
}

/// The bits of a value in one invocation, if they follow from the invocation's position in its workgroup.
fn known(function: &Function, value: Value, invocation: u32, depth: u32) -> Option<u64> {
    let inst = function.inst(value);
    if let Inst::Input(input) = inst {
        return position(function, *input, invocation).map(u64::from);
    }
    let less = depth.checked_sub(1)?;
    match fold(function, inst, |operand| known(function, operand, invocation, less))? {
        Folded::Bits(bits) => Some(bits),
        Folded::Same(value) => known(function, value, invocation, less),
    }
}

fn position(function: &Function, input: Input, invocation: u32) -> Option<u32> {
    let [x, y, _] = function.workgroup_size;
    Some(match input {
        Input::LocalIndex => invocation,
        Input::LocalId(0) => invocation % x,
        Input::LocalId(1) => invocation / x % y,
        Input::LocalId(_) => invocation / x / y,
        Input::Lane | Input::SubgroupId | Input::WorkgroupId(_) | Input::NumWorkgroups(_) | Input::ArrayLength(_) => {
            return None;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::groups_where;
    use crate::ir::{BinaryOp, Builder, CompareOp, Input, Value};

    fn range(size: [u32; 3], condition: impl Fn(&mut Builder) -> Value) -> std::ops::Range<u32> {
        let mut b = Builder::new(size);
        let condition = condition(&mut b);
        groups_where(&b.finish(), condition, 8)
    }

    #[test]
    fn conditions_on_the_local_index() {
        let index = |b: &mut Builder| b.input(Input::LocalIndex);
        let below = |limit: i32| {
            move |b: &mut Builder| {
                let (index, limit) = (index(b), b.i32(limit));
                b.compare(CompareOp::LtU, index, limit)
            }
        };
        assert_eq!(range([256, 1, 1], below(16)), 0..2);
        assert_eq!(range([256, 1, 1], below(17)), 0..3);
        assert_eq!(range([256, 1, 1], below(1000)), 0..32);
        assert_eq!(range([20, 1, 1], below(1000)), 0..3);
        assert_eq!(range([256, 1, 1], below(0)), 0..0);
        let from = |b: &mut Builder| {
            let (index, first) = (index(b), b.i32(17));
            b.compare(CompareOp::LeU, first, index)
        };
        assert_eq!(range([256, 1, 1], from), 2..32);
    }

    #[test]
    fn conditions_on_rows_and_on_data() {
        let row = |b: &mut Builder| {
            let (row, one) = (b.input(Input::LocalId(1)), b.i32(1));
            b.compare(CompareOp::Eq, row, one)
        };
        assert_eq!(range([16, 4, 1], row), 2..4);
        let with_data = |b: &mut Builder| {
            let (group, zero) = (b.input(Input::WorkgroupId(0)), b.i32(0));
            let here = b.compare(CompareOp::Eq, group, zero);
            let row = row(b);
            b.binary(BinaryOp::And, here, row)
        };
        assert_eq!(range([16, 4, 1], with_data), 2..4);
        let data = |b: &mut Builder| {
            let (group, zero) = (b.input(Input::WorkgroupId(0)), b.i32(0));
            b.compare(CompareOp::Eq, group, zero)
        };
        assert_eq!(range([16, 4, 1], data), 0..8);
    }
}
