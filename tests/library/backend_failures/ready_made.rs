//! Calls of operators that move, order, search and make elements.

use anywarp::ops::{
    self, Cast, Histogram, IsSorted, Merge, Pad, Rearrange, Scatter, SearchSorted, Select, Sort, SortBy, Take, TopK,
};

use super::operators::{Arrays, Called, LENGTH};

const HALF: usize = LENGTH / 2;

pub(super) const READY_MADE: &[Called] = &[
    ("transpose", "rearrangement", |_, Arrays { x, y, .. }| Ok(ops::transpose(&*x, y, [200, 100])?)),
    ("roll", "rearrangement", |_, Arrays { x, y, .. }| Ok(ops::roll(&*x, y, [LENGTH], &[(0, 3)])?)),
    ("pad", "rearrangement", |_, Arrays { x, y, .. }| {
        Ok(Rearrange::pad([LENGTH - 2], &[[1, 1]], Pad::Edge).run(x.slice(1..LENGTH - 1), y)?)
    }),
    ("concatenate", "join", |_, Arrays { x, z, y, .. }| {
        Ok(ops::concatenate(&[x.slice(..HALF), z.slice(..HALF)], y, [LENGTH], 0)?)
    }),
    ("stack", "join", |_, Arrays { x, z, y, .. }| Ok(ops::stack(&[x.slice(..HALF), z.slice(..HALF)], y, [HALF], 1)?)),
    ("split", "split", |_, Arrays { x, z, y, .. }| {
        Ok(ops::split(&*x, &mut [y.slice_mut(..HALF), z.slice_mut(..HALF)], [LENGTH], 0)?)
    }),
    ("gather", "take", |_, Arrays { x, y, keys, .. }| Ok(ops::gather(&*x, &*keys, y)?)),
    ("take_along_axis", "take", |_, Arrays { x, y, keys, .. }| {
        Ok(Take::along([200, 100], 1).keep().run(&*x, &*keys, y)?)
    }),
    ("scatter", "scatter", |_, Arrays { x, y, keys, .. }| Ok(ops::scatter(&*x, &*keys, y)?)),
    ("unique scatter", "scatter", |_, Arrays { x, y, keys, .. }| {
        Ok(Scatter::new([LENGTH], 0).unique().set(&*x, &*keys, y)?)
    }),
    ("scatter_add", "scatter", |_, Arrays { x, y, keys, .. }| Ok(ops::scatter_add(&*x, &*keys, y)?)),
    ("ordered scatter", "scatter", |_, Arrays { x, y, keys, .. }| {
        Ok(Scatter::new([LENGTH], 0).ordered().multiply(&*x, &*keys, y)?)
    }),
    ("cast", "cast", |_, Arrays { x, halves, .. }| Ok(Cast::new().run(x.slice(1..), halves.slice_mut(1..))?)),
    ("arange", "sequence", |_, arrays| Ok(ops::arange(0, 3, arrays.halves.slice_mut(1..))?)),
    ("linspace", "sequence", |_, arrays| Ok(ops::linspace(0.0, 1.0, &mut arrays.y)?)),
    ("full", "full", |_, arrays| Ok(ops::full(1, arrays.halves.slice_mut(1..))?)),
    ("one_hot", "one-hot", |_, Arrays { keys, y, .. }| Ok(ops::one_hot(keys.slice(..200), y, 100, [0.0, 1.0])?)),
    ("is_sorted", "is_sorted", |_, arrays| Ok(ops::is_sorted(&arrays.keys).map(drop)?)),
    ("is_sorted on the device", "is_sorted", |_, Arrays { keys, places, .. }| {
        Ok(IsSorted::new().run(&*keys, places.slice_mut(..1))?)
    }),
    ("searchsorted", "searchsorted", |_, Arrays { keys, places, .. }| {
        Ok(SearchSorted::new().run(&*keys, &*keys, places)?)
    }),
    ("merge", "merge", |_, Arrays { keys, places, .. }| {
        Ok(ops::merge(keys.slice(..HALF), keys.slice(HALF..), places)?)
    }),
    ("merge of pairs", "merge", |_, Arrays { keys, places, x, y, .. }| {
        let (a, b) = ((keys.slice(..HALF), x.slice(..HALF)), (keys.slice(HALF..), x.slice(HALF..)));
        Ok(Merge::new().pairs(a, b, (places, y))?)
    }),
    ("sort of segments", "sort", |_, Arrays { x, y, .. }| Ok(Sort::new().segments(&[10, 5000]).run(&*x, y)?)),
    ("sort of device segments", "sort", |_, Arrays { y, offsets, places, .. }| {
        Ok(Sort::new().device_segments(&*offsets).pairs_in_place(y, places)?)
    }),
    ("sort_by", "sort by a comparison", |_, Arrays { x, y, .. }| Ok(SortBy::new("x < y").run(&*x, y)?)),
    ("sort_by in place", "sort by a comparison", |_, arrays| Ok(SortBy::new("x < y").in_place(&mut arrays.y)?)),
    ("top_k", "top_k", |_, Arrays { x, y, places, .. }| {
        Ok(ops::top_k(&*x, y.slice_mut(..100), places.slice_mut(..100), 100)?)
    }),
    ("top_k of rows", "top_k", |_, Arrays { x, y, places, .. }| {
        Ok(TopK::new(10).rows(200).run(&*x, y.slice_mut(..2000), places.slice_mut(..2000))?)
    }),
    ("select with indices", "selection", |_, Arrays { x, y, places, .. }| {
        Ok(Select::new("x > 1").run_with_indices(&*x, y, places).map(drop)?)
    }),
    ("histogram of channels", "histogram", |_, Arrays { x, places, .. }| {
        Ok(Histogram::even(50, 0.0..1.0).channels(2).run(&*x, places.slice_mut(..100))?)
    }),
];

/// The operators that allocate no memory.
pub(super) const WITHOUT_MEMORY: &[&str] = &["concatenate", "stack", "split", "cast", "arange", "linspace", "one_hot"];
