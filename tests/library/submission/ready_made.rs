//! Operators that move, order, search and make elements, on slices that begin and end inside their buffers.

use anywarp::Error;
use anywarp::ops::{
    Cast, FillPattern, Full, Histogram, IsSorted, Join, Merge, OneHot, Pad, Random, Rearrange, RunLengths, Scan,
    Scatter, SearchSorted, Select, Sequence, Sort, SortBy, Split, Take, TopK,
};

use super::operators::{Data, Operator, Way};

/// An operator with its commands in one of the three destinations.
macro_rules! by {
    ($way:expr, $call:expr) => {
        match $way {
            Way::Own => $call,
            Way::Stream(stream) => $call.on(stream),
            Way::Recording(recording) => $call.record(recording),
        }
    };
}

/// The expected element: the number inside the slice, and the unchanged -1 outside.
fn inside(at: usize, number: usize) -> f32 {
    if (1..63).contains(&at) { number as f32 } else { -1.0 }
}

/// The descending numbers inside the slice.
fn falling(at: usize) -> f32 {
    inside(at, 63 - at.min(63))
}

/// The ascending numbers inside the slice.
fn rising(at: usize) -> f32 {
    inside(at, at)
}

pub(crate) const READY_MADE: &[Operator] = &[
    Operator {
        name: "rearrangement",
        run: |data, way| Ok(by!(way, Rearrange::flip([62], &[0])).run(data.x.slice(1..63), data.y.slice_mut(1..63))?),
        expected: falling,
    },
    Operator {
        name: "rearrangement",
        run: |data, way| {
            let pad = Rearrange::pad([60], &[[1, 1]], Pad::Constant(9.0));
            Ok(by!(way, pad).run(data.x.slice(2..62), data.y.slice_mut(1..63))?)
        },
        expected: |at| if at == 1 || at == 62 { 9.0 } else { rising(at) },
    },
    Operator {
        name: "join",
        run: |data, way| {
            let parts = [data.x.slice(32..63), data.x.slice(1..32)];
            Ok(by!(way, Join::concatenate([62], 0)).run(&parts, data.y.slice_mut(1..63))?)
        },
        expected: |at| inside(at, if at < 32 { at + 31 } else { at - 31 }),
    },
    Operator {
        name: "split",
        run: |data, way| {
            let (left, right) = data.y.slice_mut(1..63).split_at_mut(31);
            Ok(by!(way, Split::new([62], 0)).run(data.x.slice(1..63), &mut [left, right])?)
        },
        expected: rising,
    },
    Operator {
        name: "take",
        run: |data, way| {
            let take = by!(way, Take::new([64], 0));
            Ok(take.run(&data.x, data.reversed.slice(1..63), data.y.slice_mut(1..63))?)
        },
        expected: falling,
    },
    Operator {
        name: "scatter",
        run: |data, way| {
            let scatter = by!(way, Scatter::new([62], 0));
            Ok(scatter.set(data.x.slice(1..63), data.reversed.slice(2..64), data.y.slice_mut(1..63))?)
        },
        expected: falling,
    },
    Operator {
        name: "cast",
        run: |data, way| Ok(by!(way, Cast::new()).run(data.reversed.slice(1..63), data.y.slice_mut(1..63))?),
        expected: falling,
    },
    Operator {
        name: "sequence",
        run: |data, way| Ok(by!(way, Sequence::arange(2.0, 2.0)).run(data.y.slice_mut(1..63))?),
        expected: |at| inside(at, 2 * at),
    },
    Operator {
        name: "full",
        run: |data, way| Ok(by!(way, Full::new(7.0)).run(data.y.slice_mut(1..63))?),
        expected: |at| inside(at, 7),
    },
    Operator {
        name: "one-hot",
        // The first index belongs to no class.
        run: |data, way| {
            let rows = by!(way, OneHot::new(7, [0.0, 1.0]));
            Ok(rows.run(data.reversed.slice(56..64), data.y.slice_mut(1..57))?)
        },
        expected: |at| match at {
            0 | 57.. => -1.0,
            _ => f32::from((at - 1) % 7 == 7 - (at - 1) / 7),
        },
    },
    Operator {
        name: "searchsorted",
        run: |data, mut way| {
            let search = by!(way.reborrow(), SearchSorted::new());
            search.run(&data.x, data.x.slice(1..63), data.words.slice_mut(1..63))?;
            as_floats(data, way, 1..63)
        },
        expected: rising,
    },
    Operator {
        name: "is_sorted",
        run: |data, mut way| {
            by!(way.reborrow(), IsSorted::new()).run(&data.x, data.words.slice_mut(..1))?;
            as_floats(data, way, 0..1)
        },
        expected: |at| if at == 0 { 1.0 } else { -1.0 },
    },
    Operator {
        name: "merge",
        run: |data, way| {
            Ok(by!(way, Merge::new()).run(data.x.slice(33..63), data.x.slice(1..33), data.y.slice_mut(1..63))?)
        },
        expected: rising,
    },
    Operator {
        name: "top_k",
        run: |data, way| {
            let top = by!(way, TopK::new(62));
            Ok(top.run(data.x.slice(1..63), data.y.slice_mut(1..63), data.words.slice_mut(1..63))?)
        },
        expected: falling,
    },
    Operator {
        name: "sort by a comparison",
        run: |data, way| Ok(by!(way, SortBy::new("x > y")).run(data.x.slice(1..63), data.y.slice_mut(1..63))?),
        expected: falling,
    },
    Operator {
        name: "sort",
        run: |data, way| {
            let sort = by!(way, Sort::new()).descending().segments(&[31]);
            Ok(sort.run(data.x.slice(1..63), data.y.slice_mut(1..63))?)
        },
        expected: |at| inside(at, if at < 32 { 32 - at } else { 94 - at.min(94) }),
    },
    Operator {
        name: "scan",
        run: |data, way| Ok(by!(way, Scan::sum()).run(data.x.slice(1..63), data.y.slice_mut(1..63))?),
        expected: |at| inside(at, at * (at + 1) / 2),
    },
    Operator {
        name: "selection",
        run: |data, way| Ok(by!(way, Select::new("x >= 32.0")).run(&data.x, data.y.slice_mut(1..)).map(drop)?),
        expected: |at| if (1..33).contains(&at) { (31 + at) as f32 } else { -1.0 },
    },
    Operator {
        name: "run lengths",
        run: |data, way| {
            let lengths = by!(way, RunLengths::new());
            let Data { x, y, words, .. } = data;
            Ok(lengths.encode(x.slice(1..63), y.slice_mut(1..63), words.slice_mut(1..63)).map(drop)?)
        },
        expected: rising,
    },
    Operator {
        name: "histogram",
        run: |data, mut way| {
            by!(way.reborrow(), Histogram::even(2, 0.0..48.0)).run(&data.x, data.words.slice_mut(..2))?;
            as_floats(data, way, 0..2)
        },
        expected: |at| [24.0, 25.0].get(at).copied().unwrap_or(-1.0),
    },
    Operator {
        name: "fill with a pattern",
        run: |data, way| Ok(by!(way, FillPattern::new(&[1.0, 2.0])).run(data.y.slice_mut(1..63))?),
        expected: |at| inside(at, 2 - at % 2),
    },
    Operator {
        name: "random numbers",
        run: |data, way| Ok(by!(way, Random::new(1)).bernoulli(1.0, data.y.slice_mut(1..63))?),
        expected: |at| inside(at, 1),
    },
];

/// Converts a part of the words to floats, in the same part of `y`.
fn as_floats(data: &mut Data, way: Way<'_>, part: std::ops::Range<usize>) -> Result<(), Error> {
    Ok(by!(way, Cast::new()).run(data.words.slice(part.clone()), data.y.slice_mut(part))?)
}
