//! Sorts, merges, searches, and the largest elements.

use anywarp::Device;
use anywarp::ops::{IsSorted, Merge, SearchSorted, Sort, SortBy, TopK};

use super::{LENGTHS, floats, holds, unwritten, words};
use crate::suite::case::{Case, cases};
use anywarp_testing_devices::outcome::TestResult;

pub(crate) const CASES: &[Case] = cases![
    sorted_words,
    sorted_floats_from_the_largest,
    sorted_longs,
    pairs_keep_the_order_of_equal_keys,
    sorted_segments,
    sorted_by_a_comparison,
    merged_runs,
    places_in_sorted_keys,
    whether_keys_are_sorted,
    largest_elements,
];

async fn sorted_words(device: &Device) -> TestResult {
    for length in LENGTHS {
        let x = words(length);
        let mut wanted = x.clone();
        wanted.sort_unstable();
        let mut y = unwritten(device, length)?;
        Sort::new().run(&device.buffer_from(&x)?, &mut y)?;
        holds(&y, &wanted, &format!("{length} keys")).await?;
    }
    Ok(())
}

async fn sorted_floats_from_the_largest(device: &Device) -> TestResult {
    let x = floats(9000);
    let mut wanted = x.clone();
    wanted.sort_unstable_by(|a, b| b.total_cmp(a));
    let mut y = device.buffer::<f32>(x.len())?;
    Sort::new().descending().run(&device.buffer_from(&x)?, &mut y)?;
    holds(&y, &wanted, "descending floats").await
}

/// Sorts work on 64-bit keys also on devices without 64-bit integers, where the keys are pairs of words.
async fn sorted_longs(device: &Device) -> TestResult {
    let x: Vec<u64> = words(5000).iter().map(|word| u64::from(*word) << 40 | u64::from(word % 7)).collect();
    let mut wanted = x.clone();
    wanted.sort_unstable();
    let mut y = device.buffer::<u64>(x.len())?;
    Sort::new().run(&device.buffer_from(&x)?, &mut y)?;
    holds(&y, &wanted, "longs").await
}

async fn pairs_keep_the_order_of_equal_keys(device: &Device) -> TestResult {
    let keys: Vec<u32> = words(9000).iter().map(|word| word % 5).collect();
    let mut wanted: Vec<u32> = (0..9000).collect();
    wanted.sort_by_key(|at| keys[*at as usize]);
    let (mut keys, mut values) = (device.buffer_from(&keys)?, device.buffer_from(&(0..9000).collect::<Vec<u32>>())?);
    Sort::new().pairs_in_place(&mut keys, &mut values)?;
    holds(&values, &wanted, "places of keys").await
}

async fn sorted_segments(device: &Device) -> TestResult {
    let x = words(9000);
    let offsets = [0u32, 0, 3, 40, 1000, 1001, 9000];
    let mut wanted = x.clone();
    offsets.windows(2).for_each(|pair| wanted[pair[0] as usize..pair[1] as usize].sort_unstable());
    let mut y = unwritten(device, x.len())?;
    Sort::new().segments(&offsets).run(&device.buffer_from(&x)?, &mut y)?;
    holds(&y, &wanted, "segments").await
}

async fn sorted_by_a_comparison(device: &Device) -> TestResult {
    for length in LENGTHS {
        let x = words(length);
        let mut wanted = x.clone();
        wanted.sort_by_key(|x| x % 100);
        let mut y = unwritten(device, length)?;
        SortBy::new("x % 100u < y % 100u").run(&device.buffer_from(&x)?, &mut y)?;
        holds(&y, &wanted, &format!("{length} elements")).await?;
    }
    Ok(())
}

async fn merged_runs(device: &Device) -> TestResult {
    for [first, second] in [[0, 5], [257, 1], [3329, 5000]] {
        let (mut a, mut b) = (words(first), words(second));
        a.sort_unstable();
        b.sort_unstable();
        let mut wanted = [a.as_slice(), &b].concat();
        wanted.sort_unstable();
        let mut y = unwritten(device, wanted.len())?;
        Merge::new().run(&device.buffer_from(&a)?, &device.buffer_from(&b)?, &mut y)?;
        holds(&y, &wanted, &format!("{first} and {second} keys")).await?;
    }
    Ok(())
}

async fn places_in_sorted_keys(device: &Device) -> TestResult {
    let mut keys = words(5000);
    keys.sort_unstable();
    let values = words(700);
    let wanted: Vec<u32> = values.iter().map(|value| keys.partition_point(|key| key < value) as u32).collect();
    let mut y = unwritten(device, values.len())?;
    SearchSorted::new().run(&device.buffer_from(&keys)?, &device.buffer_from(&values)?, &mut y)?;
    holds(&y, &wanted, "places").await
}

async fn whether_keys_are_sorted(device: &Device) -> TestResult {
    let mut keys: Vec<u32> = (0..9000).collect();
    for wanted in [1, 0] {
        let mut y = unwritten(device, 1)?;
        IsSorted::new().run(&device.buffer_from(&keys)?, &mut y)?;
        holds(&y, &[wanted], "the verdict").await?;
        keys.swap(4000, 4001);
    }
    Ok(())
}

async fn largest_elements(device: &Device) -> TestResult {
    let x = floats(20_011);
    let mut places: Vec<u32> = (0..x.len() as u32).collect();
    places.sort_by(|a, b| x[*b as usize].total_cmp(&x[*a as usize]));
    for k in [1, 10, 300] {
        let (mut y, mut found) = (device.buffer::<f32>(k)?, unwritten(device, k)?);
        TopK::new(k).run(&device.buffer_from(&x)?, &mut y, &mut found)?;
        holds(&found, &places[..k], &format!("places of {k}")).await?;
        let wanted: Vec<f32> = places[..k].iter().map(|at| x[*at as usize]).collect();
        holds(&y, &wanted, &format!("{k} elements")).await?;
    }
    Ok(())
}
