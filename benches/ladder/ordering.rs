//! Operators on ordered keys: searches, merges, sorts of segments, sorts by a comparison, and the largest elements.

use std::fmt::Debug;

use anywarp::ops::{IsSorted, Merge, SearchSorted, Sort, SortBy, TopK};
use anywarp::{Recording, UnifiedBuffer};

use crate::rungs::{Ladder, is_host};
use crate::shared::Outcome;

/// Keys in an order without a pattern.
fn random(count: usize, seed: u32) -> Vec<u32> {
    (0..count as u32).map(|at| (at ^ seed).wrapping_mul(2_654_435_761).rotate_left(13).wrapping_mul(40_503)).collect()
}

fn sorted(count: usize, seed: u32) -> Vec<u32> {
    let mut keys = random(count, seed);
    keys.sort_unstable();
    keys
}

fn equal<T: PartialEq + Debug>(got: &[T], wanted: &[T]) -> Outcome<()> {
    match got.iter().zip(wanted).position(|(got, wanted)| got != wanted) {
        None if got.len() == wanted.len() => Ok(()),
        None => Err(format!("expected {} elements, got {}", wanted.len(), got.len()).into()),
        Some(at) => Err(format!("element {at} is {:?}, not {:?}", got[at], wanted[at]).into()),
    }
}

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    searches(ladder, elements)?;
    merges(ladder, elements)?;
    segments(ladder, elements)?;
    comparisons(ladder, elements / 4)?;
    largest(ladder, elements)
}

fn searches(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let (keys, values) = (sorted(elements / 16, 1), random(elements / 4, 2));
    let (x, v) = (device.buffer_from(&keys)?, device.buffer_from(&values)?);
    let operator = format!("searchsorted of {} in {} u32", values.len(), keys.len());
    let cost = SearchSorted::new().cost::<u32>(keys.len(), values.len(), &device)?;
    let wanted: Vec<u32> = values.iter().map(|value| keys.partition_point(|key| key < value) as u32).collect();
    let mut places = device.buffer::<u32>(values.len())?;
    let record = |places: &mut UnifiedBuffer<u32>, recording: &mut Recording| {
        Ok(SearchSorted::new().record(recording).run(&x, &v, places)?)
    };
    ladder.rung((&operator, "SearchSorted"), cost, &mut places, record, |places| equal(&places.read()?, &wanted))?;
    if is_host(&device) {
        ladder.host_rung((&operator, "one thread of Rust"), cost, || {
            let places: Vec<u32> = values.iter().map(|value| keys.partition_point(|key| key < value) as u32).collect();
            std::hint::black_box(&places);
            Ok(())
        })?;
    }
    let x = device.buffer_from(&sorted(elements, 3))?;
    let mut result = device.buffer::<u32>(1)?;
    let operator = format!("is_sorted of {elements} u32");
    let record = |result: &mut UnifiedBuffer<u32>, recording: &mut Recording| {
        Ok(IsSorted::new().record(recording).run(&x, result)?)
    };
    let cost = IsSorted::new().cost::<u32>(elements, &device)?;
    ladder.rung((&operator, "IsSorted"), cost, &mut result, record, |result| equal(&result.read()?, &[1]))
}

fn merges(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let (a, b) = (sorted(elements / 2, 1), sorted(elements / 2, 2));
    let mut wanted = [&a[..], &b].concat();
    wanted.sort_unstable();
    let (x, y) = (device.buffer_from(&a)?, device.buffer_from(&b)?);
    let mut merged = device.buffer::<u32>(wanted.len())?;
    let operator = format!("merge to {} u32", wanted.len());
    let cost = Merge::new().cost::<u32>(wanted.len(), &device)?;
    let record = |merged: &mut UnifiedBuffer<u32>, recording: &mut Recording| {
        Ok(Merge::new().record(recording).run(&x, &y, merged)?)
    };
    ladder.rung((&operator, "Merge"), cost, &mut merged, record, |merged| equal(&merged.read()?, &wanted))?;
    if !is_host(&device) {
        return Ok(());
    }
    ladder.host_rung((&operator, "one thread of Rust"), cost, || {
        let (mut i, mut j) = (0, 0);
        for to in &mut wanted {
            let from_a = j == b.len() || (i < a.len() && a[i] <= b[j]);
            *to = if from_a { a[i] } else { b[j] };
            if from_a { i += 1 } else { j += 1 }
        }
        std::hint::black_box(&wanted);
        Ok(())
    })
}

fn segments(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let keys = random(elements, 4);
    let x = device.buffer_from(&keys)?;
    for length in [32, 1000, elements / 4] {
        let offsets: Vec<u32> = (0..elements).step_by(length).map(|at| at as u32).collect();
        let mut wanted = keys.clone();
        wanted.chunks_mut(length).for_each(<[u32]>::sort_unstable);
        let mut y = device.buffer::<u32>(elements)?;
        let operator = format!("sort of {elements} u32 in segments of {length}");
        let cost = Sort::new().cost::<u32>(elements, &device)?;
        let record = |y: &mut UnifiedBuffer<u32>, recording: &mut Recording| {
            Ok(Sort::new().segments(&offsets).record(recording).run(&x, y)?)
        };
        ladder.rung((&operator, "Sort::segments"), cost, &mut y, record, |y| equal(&y.read()?, &wanted))?;
        if is_host(&device) {
            ladder.host_rung((&operator, "one thread of Rust"), cost, || {
                wanted.copy_from_slice(&keys);
                wanted.chunks_mut(length).for_each(<[u32]>::sort_unstable);
                std::hint::black_box(&wanted);
                Ok(())
            })?;
        }
    }
    Ok(())
}

fn comparisons(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let keys: Vec<[u32; 2]> = random(elements, 5).iter().enumerate().map(|(at, key)| [*key >> 8, at as u32]).collect();
    let mut wanted = keys.clone();
    wanted.sort_by_key(|key| key[0]);
    let x = device.buffer_from(&keys)?;
    let mut y = device.buffer::<[u32; 2]>(elements)?;
    let operator = format!("sort by a comparison of {elements} vec2<u32>");
    let cost = SortBy::new("x.x < y.x").cost::<[u32; 2]>(elements, &device)?;
    let record = |y: &mut UnifiedBuffer<[u32; 2]>, recording: &mut Recording| {
        Ok(SortBy::new("x.x < y.x").record(recording).run(&x, y)?)
    };
    ladder.rung((&operator, "SortBy"), cost, &mut y, record, |y| equal(&y.read()?, &wanted))?;
    if !is_host(&device) {
        return Ok(());
    }
    ladder.host_rung((&operator, "one thread of Rust"), cost, || {
        wanted.copy_from_slice(&keys);
        wanted.sort_by_key(|key| key[0]);
        std::hint::black_box(&wanted);
        Ok(())
    })
}

fn largest(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let keys = random(elements, 6);
    let x = device.buffer_from(&keys)?;
    for (rows, k) in [(1, 100), (elements / 1000, 10), (16, 1000)] {
        let length = elements / rows;
        let x = x.slice(..rows * length);
        let of_row = |row: &[u32]| {
            let mut order: Vec<u32> = (0..row.len() as u32).collect();
            order.sort_unstable_by_key(|at| (!row[*at as usize], *at));
            order.truncate(k);
            order
        };
        let wanted: Vec<u32> = keys[..rows * length].chunks(length).flat_map(of_row).collect();
        let mut outputs = (device.buffer::<u32>(rows * k)?, device.buffer::<u32>(rows * k)?);
        let operator = format!("top {k} of {rows} x {length} u32");
        let cost = TopK::new(k).rows(rows).cost::<u32>(rows * length, &device)?;
        let record = |outputs: &mut (UnifiedBuffer<u32>, UnifiedBuffer<u32>), recording: &mut Recording| {
            Ok(TopK::new(k).rows(rows).record(recording).run(x, &mut outputs.0, &mut outputs.1)?)
        };
        ladder.rung((&operator, "TopK"), cost, &mut outputs, record, |outputs| equal(&outputs.1.read()?, &wanted))?;
    }
    Ok(())
}
