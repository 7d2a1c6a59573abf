//! The passes of a search. This module is pure.

use super::super::error::OperationError;
use super::super::ordering::arrays::limit;
use super::super::ordering::keys::KeyOrder;
use super::super::plan::Plan;
use super::OPERATOR;
use crate::device::Device;

/// The sizes of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of values.
    count: u64,
    /// The size of a value, in bytes.
    key: u64,
}

impl Shape {
    pub(super) fn of(order: &KeyOrder, length: usize, count: usize, device: &Device) -> Result<Self, OperationError> {
        let limit = limit(device, order.bytes().max(4));
        for (argument, length) in [("the array of keys", length), ("the array of values", count)] {
            if length as u64 > limit {
                return Err(OPERATOR.too_large(argument, vec![length], limit));
            }
        }
        Ok(Self { count: count as u64, key: order.bytes() })
    }
}

/// One launch of a search, with its number of invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// One invocation for each value.
    Search { threads: u64 },
}

pub(super) fn plan(Shape { count, key }: Shape) -> Plan<Pass> {
    if count == 0 {
        return Plan::nothing();
    }
    let bytes = count.saturating_mul(key + 4);
    Plan { passes: vec![Pass::Search { threads: count }], scratch: 0, flops: 0, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_read_and_each_place_written() {
        let plan_of = |count| plan(Shape { count, key: 8 });
        assert_eq!(plan_of(0), Plan::nothing());
        assert_eq!(plan_of(1000).passes, [Pass::Search { threads: 1000 }]);
        assert_eq!((plan_of(1000).bytes, plan_of(1000).scratch, plan_of(u64::MAX).bytes), (12_000, 0, u64::MAX));
    }
}
