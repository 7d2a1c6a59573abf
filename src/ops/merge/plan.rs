//! The passes of a merge. This module is pure.

use std::fmt;

use super::super::error::OperationError;
use super::super::ordering::arrays::limit;
use super::super::ordering::keys::KeyOrder;
use super::super::plan::Plan;
use super::OPERATOR;
use crate::device::Device;

/// The number of merged keys that one workgroup writes.
const TILE: u64 = 1024;
/// The number of one-byte keys in a word. The length of a piece is a multiple of this number, so that pieces begin with
/// a whole word for keys of every size.
const KEYS_OF_WORD: u64 = 4;

/// The sizes of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of merged keys.
    pub(super) length: u64,
    /// The number of keys that precede the first merged key in its word.
    pub(super) skew: u64,
    /// The size of a key, in bytes.
    pub(super) key: u64,
    /// The size of a value, in words; 0 without values.
    pub(super) words: u64,
}

impl Shape {
    pub(super) fn of(
        order: &KeyOrder,
        length: usize,
        skew: u64,
        words: u64,
        device: &Device,
    ) -> Result<Self, OperationError> {
        let limit = limit(device, order.bytes().max(4 * words).max(4));
        if length as u64 > limit {
            return Err(OPERATOR.too_large("the array of merged keys", vec![length], limit));
        }
        Ok(Self { length: length as u64, skew, key: order.bytes(), words })
    }
}

/// One launch of a merge, with its number of pieces or tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Merges in `pieces` invocations, each of which writes `span` keys.
    Pieces { pieces: u64, span: u64 },
    /// Finds the first key of `a` and of `b` in each tile.
    Split { tiles: u64 },
    /// Merges in workgroups, each of which writes one tile.
    Tiles { tiles: u64 },
}

/// The choice between kernels that write the same results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// At most `most` invocations, each of which merges a piece without workgroup memory.
    Pieces { most: u64 },
    /// Workgroups, each of which merges a tile in workgroup memory.
    Tiles,
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pieces { most } => write!(f, "pieces most={most}"),
            Self::Tiles => f.write_str("tiles"),
        }
    }
}

impl Choice {
    /// The choice that a call uses without tuning.
    pub(super) fn default_for(shape: Shape, processor: bool) -> Self {
        if processor {
            // On the CPU, barriers take longer than reading keys twice. Pieces are long, so that the search for their
            // beginnings costs little.
            return Self::Pieces { most: (shape.length / 1024).clamp(1, 1024) };
        }
        Self::Tiles
    }
}

pub(super) fn plan(shape: Shape, choice: Choice) -> Plan<Pass> {
    let Shape { length, skew, key, words } = shape;
    if length == 0 {
        return Plan::nothing();
    }
    let positions = length + skew;
    let tiles = positions.div_ceil(TILE);
    let (passes, scratch) = match choice {
        Choice::Pieces { most } => {
            let span = positions.div_ceil(most.max(1)).next_multiple_of(KEYS_OF_WORD);
            (vec![Pass::Pieces { pieces: positions.div_ceil(span), span }], 0)
        }
        Choice::Tiles => (vec![Pass::Split { tiles }, Pass::Tiles { tiles }], 4 * (tiles + 1)),
    };
    Plan { passes, scratch, flops: 0, bytes: length.saturating_mul(2 * (key + 4 * words)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(length: u64, skew: u64) -> Shape {
        Shape { length, skew, key: 1, words: 2 }
    }

    #[test]
    fn parts_cover_all_keys() {
        for length in [1, 2, 1023, 1024, 1025, 65_537, (1 << 32) - (1 << 16)] {
            for skew in 0..4 {
                for most in [0, 1, 2, 1000, 1 << 20] {
                    let passes = plan(shape(length, skew), Choice::Pieces { most }).passes;
                    let [Pass::Pieces { pieces, span }] = passes[..] else { panic!("{passes:?}") };
                    assert!(span.is_multiple_of(4) && pieces <= most.max(1), "{length} {skew} {most}");
                    assert!(pieces * span >= length + skew && (pieces - 1) * span < length + skew);
                }
                let tiles = (length + skew).div_ceil(1024);
                let passes = plan(shape(length, skew), Choice::Tiles).passes;
                assert_eq!(passes, [Pass::Split { tiles }, Pass::Tiles { tiles }]);
            }
        }
        assert_eq!(plan(shape(0, 3), Choice::Tiles), Plan::nothing());
    }

    #[test]
    fn each_kind_of_device_has_its_way() {
        let choice = |length, processor| Choice::default_for(shape(length, 0), processor);
        assert_eq!(choice(100, true), Choice::Pieces { most: 1 });
        assert_eq!(choice(1 << 20, true), Choice::Pieces { most: 1024 });
        assert_eq!(choice(100, false), Choice::Tiles);
    }

    #[test]
    fn keys_and_values_are_read_and_written_once() {
        let cost = plan(shape(3000, 1), Choice::Tiles).cost();
        assert_eq!((cost.passes, cost.flops, cost.bytes, cost.scratch), (2, 0, 3000 * 18, 4 * 4));
        assert_eq!(plan(shape(1 << 60, 0), Choice::Pieces { most: 1 }).bytes, u64::MAX);
    }
}
