//! The passes of a test whether keys are sorted. This module is pure.

use super::super::error::OperationError;
use super::super::ordering::arrays::limit;
use super::super::ordering::keys::KeyOrder;
use super::super::plan::Plan;
use super::OPERATOR;
use crate::device::Device;

/// The sizes of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    length: u64,
    /// The size of a key, in bytes.
    key: u64,
}

impl Shape {
    pub(super) fn of(order: &KeyOrder, length: usize, device: &Device) -> Result<Self, OperationError> {
        let limit = limit(device, order.bytes().max(4));
        if length as u64 > limit {
            return Err(OPERATOR.too_large("the array of keys", vec![length], limit));
        }
        Ok(Self { length: length as u64, key: order.bytes() })
    }
}

/// One command of a test whether keys are sorted: a fill, or the launch of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Sets the result to 1.
    SetResult,
    /// Sets the result to 0 if a pair of neighbours is not in order. Each of `groups` workgroups compares `span` pairs.
    Compare { groups: u64, span: u64 },
}

pub(super) fn plan(Shape { length, key }: Shape) -> Plan<Pass> {
    let mut passes = vec![Pass::SetResult];
    if length > 1 {
        // Each workgroup compares enough pairs that its start costs little, and there are enough workgroups to occupy a
        // large device.
        let span = (length - 1).div_ceil(4096).next_multiple_of(256).max(1024);
        passes.push(Pass::Compare { groups: (length - 1).div_ceil(span), span });
    }
    Plan { passes, scratch: 0, flops: 0, bytes: length.saturating_mul(key).saturating_add(4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_in_one_workgroup() {
        for length in [2, 3, 1024, 1025, 1026, 1 << 22, (1 << 22) + 2, (1 << 32) - (1 << 16)] {
            let Some(Pass::Compare { groups, span }) = plan(Shape { length, key: 4 }).passes.last().copied() else {
                panic!("no pass for {length} keys");
            };
            assert!(groups * span >= length - 1 && (groups - 1) * span < length - 1, "{length}");
            assert!(groups <= 4096 && span.is_multiple_of(256), "{length}");
        }
    }

    #[test]
    fn a_key_alone_is_sorted() {
        for length in [0, 1] {
            assert_eq!(plan(Shape { length, key: 4 }).passes, [Pass::SetResult]);
        }
        assert_eq!(plan(Shape { length: 1000, key: 2 }).bytes, 2004);
        assert_eq!(plan(Shape { length: u64::MAX, key: 8 }).bytes, u64::MAX);
    }
}
