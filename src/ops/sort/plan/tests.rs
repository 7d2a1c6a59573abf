//! Tests of the passes.

use super::*;

fn shape(length: u64, key_bits: u32, values: Values, in_place: bool) -> Shape {
    let (kind, bits) = (Kind::Signed, 0..key_bits);
    Shape { length, key_bits, kind, bits, descending: false, values, in_place }
}

fn by_blocks(shape: &Shape, most: u64) -> Plan<Pass> {
    plan(shape, Choice::Digits { form: Form::Workgroups, most })
}

/// Returns, for each pass, the arrays between which keys are moved, and the arrays between which values are moved.
fn moves(plan: &Plan<Pass>) -> Vec<[[Array; 2]; 2]> {
    let moved = |pass: &Pass| match pass {
        Pass::Scatter { keys, values, .. } | Pass::Small { keys, values, .. } => Some([*keys, *values]),
        _ => None,
    };
    plan.passes.iter().filter_map(moved).collect()
}

#[test]
fn the_last_pass_writes_the_result() {
    use Array::{Given, Result, Spare, Unused};
    let keys = |key_bits, values, in_place| moves(&by_blocks(&shape(10_000, key_bits, values, in_place), 9));
    let pairs = Values::Given { words: 1 };
    let apart = keys(32, pairs, false);
    assert_eq!(apart[0], [[Given, Spare(0)]; 2]);
    assert_eq!(apart[3], [[Spare(0), Result]; 2]);
    assert_eq!(keys(32, pairs, true)[0], [[Result, Spare(0)]; 2]);
    // Short keys are moved within the scratch memory; an odd number of passes begins with a copy of the values.
    let short = by_blocks(&shape(10_000, 8, pairs, true), 9);
    assert_eq!(moves(&short), [[[Spare(0), Spare(1)], [Spare(0), Result]]]);
    assert_eq!(short.passes[..2], [Pass::Unpack, Pass::CopyValues]);
    assert_eq!(short.passes.last(), Some(&Pass::Pack { from: Spare(1) }));
    let argsort = keys(32, Values::Indices, false);
    assert_eq!(argsort[0], [[Given, Spare(0)], [Unused, Spare(0)]]);
    assert_eq!(argsort[3], [[Spare(0), Unused], [Spare(0), Result]]);
    let part = Shape { bits: 0..24, ..shape(10_000, 32, Values::None, true) };
    assert_eq!(by_blocks(&part, 9).passes[0], Pass::CopyKeys);
}

#[test]
fn a_sweep_reads_the_keys_once_more_for_all_digits() {
    let of = |length| plan(&shape(length, 32, Values::None, true), Choice::Sweep { threads: 256 });
    let plan = of(10_000);
    assert_eq!(plan.passes.len(), 3 + 2 * 4);
    assert!(matches!(plan.passes[4], Pass::Sweep { tiles: 3, number: 0, .. }), "{plan:?}");
    // The scratch memory is for one array of keys, the progress of three tiles, and the counts of four digits and their
    // sums.
    assert_eq!(plan.scratch, 4 * (10_000 + 1 + 3 * 256 + 2 * 4 * 256));
    assert!(matches!(of(MAX_SWEPT - 1).passes[4], Pass::Sweep { .. }));
    assert!(matches!(of(MAX_SWEPT).passes[2], Pass::Scatter { .. }));
}

#[test]
fn few_keys_take_one_pass() {
    use Array::{Given, Result, Spare};
    let small = |length, key_bits, in_place| plan(&shape(length, key_bits, Values::None, in_place), Choice::Small);
    assert_eq!(small(TILE, 32, false).passes.len(), 1);
    assert_eq!(moves(&small(TILE, 64, false))[0][0], [Given, Result]);
    assert_eq!(moves(&small(TILE, 64, true))[0][0], [Result, Result]);
    assert_eq!(moves(&small(TILE, 16, true))[0][0], [Spare(0), Spare(0)]);
    assert_eq!(small(TILE, 16, true).passes.len(), 3);
    assert_eq!(small(TILE + 1, 32, true).passes.len(), 12);
    assert_eq!(small(0, 16, true), Plan::nothing());
}

#[test]
fn a_sort_reads_and_writes_each_element() {
    let cost = |values, key_bits| by_blocks(&shape(10_000, key_bits, values, false), 3).cost();
    let keys = cost(Values::None, 32);
    assert_eq!((keys.passes, keys.flops, keys.bytes), (12, 0, 10_000 * 8));
    // The scratch memory is for one array of keys, the counts of two blocks, and the totals of these counts.
    assert_eq!(keys.scratch, 4 * (10_000 + 3 * 256));
    assert_eq!(cost(Values::Given { words: 2 }, 8).bytes, 10_000 * (2 + 16));
    assert_eq!(cost(Values::Indices, 64).bytes, 10_000 * (8 + 4));
    let largest = shape(u64::MAX, 64, Values::Given { words: 2 }, false);
    assert_eq!(by_blocks(&largest, 9).cost().bytes, u64::MAX);
}
