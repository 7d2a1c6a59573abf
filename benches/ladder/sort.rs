//! Sorts of keys and of pairs: each way of `Sort`, and the sorts of Rust.

use anywarp::ops::{Sort, SortKey, SortWay};
use anywarp::{Recording, UnifiedBuffer};
use rayon::slice::ParallelSliceMut;

use crate::rungs::{Ladder, is_host};
use crate::shared::Outcome;

struct Arrays<K> {
    x: UnifiedBuffer<K>,
    y: UnifiedBuffer<K>,
    values: UnifiedBuffer<u32>,
    sorted_values: UnifiedBuffer<u32>,
}

/// Keys in an order without a pattern.
fn random(count: usize) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    (0..count).map(next).collect()
}

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let most = 3328;
    for count in [most, elements / 64, elements] {
        keys(ladder, &random(count).into_iter().map(|bits| bits as u32).collect::<Vec<_>>(), "u32")?;
    }
    let keys_of_64 = random(elements / 2);
    keys(ladder, &keys_of_64, "u64")?;
    pairs(ladder, &random(elements).into_iter().map(|bits| bits as u32).collect::<Vec<_>>())
}

fn equal<T: PartialEq + std::fmt::Debug>(got: &[T], wanted: &[T]) -> Outcome<()> {
    match got.iter().zip(wanted).position(|(got, wanted)| got != wanted) {
        None if got.len() == wanted.len() => Ok(()),
        None => Err(format!("expected {} elements, got {}", wanted.len(), got.len()).into()),
        Some(at) => Err(format!("element {at} is {:?}, not {:?}", got[at], wanted[at]).into()),
    }
}

/// The ways to measure on a device; a small sort is possible for few keys only.
fn ways(ladder: &Ladder, count: usize) -> Vec<(&'static str, Option<SortWay>)> {
    let mut ways = vec![("Sort", None), ("workgroup memory", Some(SortWay::Workgroups))];
    if Sort::new().way(SortWay::Subgroups).cost::<u32>(1, &ladder.device).is_ok() {
        ways.extend([("subgroups", Some(SortWay::Subgroups)), ("sweep", Some(SortWay::Sweep))]);
    }
    if count <= 3328 {
        ways.push(("one workgroup", Some(SortWay::Small)));
    }
    if is_host(&ladder.device) {
        ways.push(("pieces", Some(SortWay::Pieces)));
    }
    ways
}

fn new<'r>(way: Option<SortWay>) -> Sort<'r> {
    way.map_or_else(Sort::new, |way| Sort::new().way(way))
}

fn keys<K: SortKey + Ord + radsort::Key + std::fmt::Debug>(ladder: &mut Ladder, keys: &[K], name: &str) -> Outcome<()> {
    let device = ladder.device.clone();
    let operator = format!("sort {name}, {} keys", keys.len());
    let cost = Sort::new().cost::<K>(keys.len(), &device)?;
    let mut wanted = keys.to_vec();
    wanted.sort_unstable();
    let (x, y) = (device.buffer_from(keys)?, device.buffer::<K>(keys.len())?);
    let mut arrays = Arrays { x, y, values: device.buffer(0)?, sorted_values: device.buffer(0)? };
    for (what, way) in ways(ladder, keys.len()) {
        arrays.y.copy_from_slice(keys)?;
        let record = |Arrays { x, y, .. }: &mut Arrays<K>, recording: &mut Recording| {
            Ok(new(way).record(recording).run(&*x, y)?)
        };
        ladder.rung((&operator, what), cost, &mut arrays, record, |arrays| equal(&arrays.y.read()?, &wanted))?;
    }
    if is_host(&device) {
        // The time includes a copy of the keys, as the times of the other rungs do.
        let mut sorted = keys.to_vec();
        ladder.host_rung((&operator, "sort_unstable"), cost, || {
            sorted.copy_from_slice(keys);
            sorted.sort_unstable();
            std::hint::black_box(&sorted);
            Ok(())
        })?;
        ladder.host_rung((&operator, "rayon, unstable"), cost, || {
            sorted.copy_from_slice(keys);
            sorted.par_sort_unstable();
            std::hint::black_box(&sorted);
            Ok(())
        })?;
        ladder.host_rung((&operator, "radsort"), cost, || {
            sorted.copy_from_slice(keys);
            radsort::sort(&mut sorted);
            std::hint::black_box(&sorted);
            Ok(())
        })?;
    }
    Ok(())
}

fn pairs(ladder: &mut Ladder, keys: &[u32]) -> Outcome<()> {
    let device = ladder.device.clone();
    let operator = format!("sort u32 pairs, {} keys", keys.len());
    let cost = Sort::new().cost_of_pairs::<u32, u32>(keys.len(), &device)?;
    let values: Vec<u32> = (0..keys.len() as u32).collect();
    let mut wanted: Vec<(u32, u32)> = keys.iter().copied().zip(values.iter().copied()).collect();
    wanted.sort_unstable();
    let wanted: Vec<u32> = wanted.into_iter().map(|(_, value)| value).collect();
    let (x, y) = (device.buffer_from(keys)?, device.buffer::<u32>(keys.len())?);
    let sorted_values = device.buffer(keys.len())?;
    let mut arrays = Arrays { x, y, values: device.buffer_from(&values)?, sorted_values };
    for (what, way) in ways(ladder, keys.len()) {
        arrays.sorted_values.fill(0)?;
        let record = |Arrays { x, y, values, sorted_values }: &mut Arrays<u32>, recording: &mut Recording| {
            Ok(new(way).record(recording).pairs(&*x, &*values, y, sorted_values)?)
        };
        let check = |arrays: &Arrays<u32>| equal(&arrays.sorted_values.read()?, &wanted);
        ladder.rung((&operator, what), cost, &mut arrays, record, check)?;
    }
    if is_host(&device) {
        let given: Vec<(u32, u32)> = keys.iter().copied().zip(values).collect();
        let mut sorted = given.clone();
        ladder.host_rung((&operator, "radsort"), cost, || {
            sorted.copy_from_slice(&given);
            radsort::sort_by_key(&mut sorted, |pair| pair.0);
            std::hint::black_box(&sorted);
            Ok(())
        })?;
    }
    Ok(())
}
