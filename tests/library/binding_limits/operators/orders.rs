//! Operators that move elements: by indices, in another shape, in order of their keys, or those that fulfil a condition.

use anywarp::ops::{
    IsSorted, Join, Merge, OneHot, Pad, Rearrange, RunLengths, Scatter, SearchSorted, Select, Sort, SortBy, Split,
    Take, TopK, nonzero, partition, run_length_decode, select, steps, take_along_axis, unique,
};

use super::{LENGTH, Operator, case, floats, integers, places, ramp, result, words_of};

pub(super) const OPERATORS: &[Operator] = &[
    case!("take", false, f32, LENGTH, |device, y| {
        Take::new([LENGTH], 0).run(&floats(device)?, &places(device)?, &mut y)?;
    }),
    case!("scatter", false, u32, LENGTH, |device, y| {
        Scatter::new([LENGTH], 0).set(&integers(device)?, &places(device)?, &mut y)?;
    }),
    case!("scatter_add", false, u32, LENGTH, |device, y| {
        Scatter::new([LENGTH], 0).add(&integers(device)?, &places(device)?, &mut y)?;
    }),
    case!("scatter_max of longs", false, u64, LENGTH / 2, |device, y| {
        let x = result::<u64>(device, LENGTH / 2)?;
        Scatter::new([LENGTH / 2], 0).max(&x, places(device)?.slice(..LENGTH / 2), &mut y)?;
    }),
    case!("flip", false, u32, LENGTH, |device, y| Rearrange::flip([LENGTH], &[0]).run(&integers(device)?, &mut y)?),
    case!("transpose", false, u32, LENGTH - 7, |device, y| {
        Rearrange::transpose([1 << 10, 1 << 10]).run(integers(device)?.slice(7..), &mut y)?;
    }),
    case!("permutation of axes", false, u32, LENGTH - 7, |device, y| {
        Rearrange::permute([1 << 6, 1 << 4, 1 << 10], &[1, 0, 2]).run(integers(device)?.slice(7..), &mut y)?;
    }),
    case!("roll", false, u32, LENGTH, |device, y| {
        Rearrange::roll([LENGTH], &[(0, 5)]).run(&integers(device)?, &mut y)?;
    }),
    case!("tile", false, u32, 1 << 20, |device, y| {
        Rearrange::tile([1 << 10], &[1 << 10]).run(integers(device)?.slice(..1 << 10), &mut y)?;
    }),
    case!("broadcast", false, u32, 1 << 20, |device, y| {
        Rearrange::broadcast([1 << 10, 1], &[1 << 10, 1 << 10]).run(integers(device)?.slice(..1 << 10), &mut y)?;
    }),
    case!("part in steps", false, u32, LENGTH / 2, |device, y| {
        Rearrange::part([LENGTH], &[steps(..LENGTH as isize - 1, 2)]).run(&integers(device)?, &mut y)?;
    }),
    case!("pad", false, u32, LENGTH + 5, |device, y| {
        Rearrange::pad([LENGTH], &[[2, 3]], Pad::Edge).run(&integers(device)?, &mut y)?;
    }),
    case!("take along an axis", false, f32, LENGTH - 7, |device, y| {
        let at = device.buffer_from(&vec![3u32; 1 << 20])?;
        take_along_axis(floats(device)?.slice(7..), &at, &mut y, [1 << 10, 1 << 10], 0)?;
    }),
    case!("split", true, u32, LENGTH / 2, |device, y, z| {
        let x = integers(device)?;
        let shape = [LENGTH / 2 * 2];
        Split::new(shape, 0).run(x.slice(..shape[0]), &mut [y.slice_mut(..), z.slice_mut(..)])?;
    }),
    case!("split of columns", false, u32, 1 << 19, |device, y, z| {
        let x = integers(device)?;
        Split::new([1 << 10, 1 << 10], 1).run(x.slice(7..), &mut [y.slice_mut(..), z.slice_mut(..)])?;
    }),
    case!("join", true, u32, LENGTH, |device, y| {
        let x = integers(device)?;
        Join::concatenate([LENGTH], 0).run(&[x.slice(5..), x.slice(..5)], &mut y)?;
    }),
    case!("join of columns", false, u32, LENGTH - 7, |device, y| {
        let x = integers(device)?;
        // The operator copies the first part, and moves the other parts by a kernel.
        Join::concatenate([1 << 10, 1 << 10], 1).run(&[x.slice(..1 << 19), x.slice(1 << 19..1 << 20)], &mut y)?;
    }),
    case!("one_hot", false, f32, LENGTH, |device, y| {
        let indices = device.buffer_from(&[1u32; LENGTH / 7])?;
        OneHot::new(7, [0.0, 1.0]).run(&indices, y.slice_mut(..LENGTH / 7 * 7))?;
    }),
    case!("sort", false, u32, LENGTH, |device, y| Sort::new().run(&integers(device)?, &mut y)?),
    case!("sort of pairs", false, u32, LENGTH, |device, y, z| {
        let x = integers(device)?;
        Sort::new().pairs(&x, &places(device)?, &mut y, &mut z)?;
    }),
    case!("argsort", false, u32, LENGTH, |device, y| Sort::new().argsort(&integers(device)?, &mut y)?),
    case!("sort by a comparison", false, u32, LENGTH, |device, y| {
        SortBy::new("x > y").run(&integers(device)?, &mut y)?;
    }),
    case!("merge", false, u32, LENGTH, |device, y| {
        let x = ramp(device)?;
        Merge::new().run(x.slice(..9), x.slice(9..), &mut y)?;
    }),
    case!("is_sorted", false, u32, 1, |device, y| IsSorted::new().run(&ramp(device)?, &mut y)?),
    case!("searchsorted", false, u32, LENGTH, |device, y| {
        SearchSorted::new().run(&ramp(device)?, &integers(device)?, &mut y)?;
    }),
    case!("top_k", false, u32, 10, |device, y| {
        let mut indices = device.buffer::<u32>(10)?;
        TopK::new(10).run(&integers(device)?, &mut y, &mut indices)?;
    }),
    case!("selection", false, u32, LENGTH, |device, y| {
        Select::new("x % 2u == 0u").run(&integers(device)?, &mut y).map(drop)?;
    }),
    case!("selection by flags", false, u32, LENGTH, |device, y| {
        select(&integers(device)?, &ramp(device)?, &mut y).map(drop)?;
    }),
    case!("partition", false, u32, LENGTH, |device, y, z| {
        partition(&integers(device)?, &ramp(device)?, &mut y, &mut z).map(drop)?;
    }),
    case!("unique", false, u32, LENGTH, |device, y| unique(&integers(device)?, &mut y).map(drop)?),
    case!("nonzero", false, u32, LENGTH, |device, y| nonzero(&floats(device)?, &mut y).map(drop)?),
    case!("decoded run lengths", false, u32, LENGTH, |device, y| {
        let (values, lengths) = (integers(device)?, device.buffer_from(&[LENGTH as u32 / 1000; 1000])?);
        run_length_decode(values.slice(..1000), &lengths, &mut y).map(drop)?;
    }),
    case!("run lengths", false, u32, LENGTH, |device, y| {
        let mut lengths = device.buffer::<u32>(LENGTH)?;
        RunLengths::new().encode(&integers(device)?, &mut y, &mut lengths).map(drop)?;
    }),
];
