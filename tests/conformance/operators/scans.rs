//! Scans, and operators that are based on them: selections, distinct neighbours, run lengths.

use anywarp::Device;
use anywarp::ops::{Scan, ScanForm, Select, run_length_decode, run_length_encode};

use super::{LENGTHS, floats, holds, unwritten, words};
use crate::suite::case::{Case, cases};
use anywarp_testing_devices::outcome::TestResult;

pub(crate) const CASES: &[Case] = cases![
    sums_up_to_each_element,
    sums_from_the_end_without_the_element,
    every_form_of_a_scan,
    maxima_along_an_axis,
    sums_since_the_last_head,
    selections,
    every_form_of_a_selection,
    partitions,
    run_lengths_both_ways,
];

fn sums(x: &[u32]) -> Vec<u32> {
    let sum = |sum: &mut u32, x: &u32| {
        *sum += x;
        Some(*sum)
    };
    x.iter().scan(0, sum).collect()
}

async fn sums_up_to_each_element(device: &Device) -> TestResult {
    for length in LENGTHS {
        let x = words(length);
        let mut y = unwritten(device, length)?;
        Scan::sum().run(&device.buffer_from(&x)?, &mut y)?;
        holds(&y, &sums(&x), &format!("{length} elements")).await?;
    }
    Ok(())
}

async fn sums_from_the_end_without_the_element(device: &Device) -> TestResult {
    for length in LENGTHS {
        let x = words(length);
        let all: u32 = x.iter().sum();
        let wanted: Vec<u32> = sums(&x).iter().map(|sum| all - sum).collect();
        let mut y = unwritten(device, length)?;
        Scan::sum().exclusive().reverse().run(&device.buffer_from(&x)?, &mut y)?;
        holds(&y, &wanted, &format!("{length} elements")).await?;
    }
    Ok(())
}

async fn every_form_of_a_scan(device: &Device) -> TestResult {
    let x = words(20_011);
    let (on_device, wanted) = (device.buffer_from(&x)?, sums(&x));
    for form in [ScanForm::Chained, ScanForm::Tiles, ScanForm::Lines { parts: 7 }] {
        let mut y = unwritten(device, x.len())?;
        Scan::sum().form(form).run(&on_device, &mut y)?;
        holds(&y, &wanted, &format!("{form:?}")).await?;
    }
    Ok(())
}

async fn maxima_along_an_axis(device: &Device) -> TestResult {
    let (rows, columns) = (37, 301);
    let x = floats(rows * columns);
    let mut wanted = x.clone();
    for at in columns..wanted.len() {
        wanted[at] = wanted[at].max(wanted[at - columns]);
    }
    let mut y = device.buffer::<f32>(x.len())?;
    Scan::max().axis([rows, columns], 0).run(&device.buffer_from(&x)?, &mut y)?;
    holds(&y, &wanted, "columns").await
}

async fn sums_since_the_last_head(device: &Device) -> TestResult {
    let x = words(9000);
    let heads: Vec<u32> = (0..9000).map(|at| u32::from(at % 701 == 3)).collect();
    let mut wanted = x.clone();
    for at in 1..wanted.len() {
        if heads[at] == 0 {
            wanted[at] += wanted[at - 1];
        }
    }
    let mut y = unwritten(device, x.len())?;
    let (x, heads) = (device.buffer_from(&x)?, device.buffer_from(&heads)?);
    Scan::sum().heads(&heads).run(&x, &mut y)?;
    holds(&y, &wanted, "segments").await
}

async fn selections(device: &Device) -> TestResult {
    for length in LENGTHS {
        let x = words(length);
        let wanted: Vec<u32> = x.iter().copied().filter(|x| x % 3 == 0).collect();
        let mut y = unwritten(device, length)?;
        Select::new("x % 3u == 0u").run(&device.buffer_from(&x)?, &mut y)?;
        holds(&y, &wanted, &format!("{length} elements")).await?;
        let mut distinct: Vec<u32> = x.iter().map(|x| x / 1024).collect();
        let x = device.buffer_from(&distinct)?;
        distinct.dedup();
        Select::changes().run(&x, &mut y)?;
        holds(&y, &distinct, &format!("distinct neighbours of {length} elements")).await?;
    }
    Ok(())
}

async fn every_form_of_a_selection(device: &Device) -> TestResult {
    let x = words(20_011);
    let wanted: Vec<u32> = x.iter().copied().filter(|x| *x > 1000).collect();
    let on_device = device.buffer_from(&x)?;
    for form in [ScanForm::Chained, ScanForm::Tiles, ScanForm::Lines { parts: 7 }] {
        let mut y = unwritten(device, x.len())?;
        Select::new("x > 1000u").form(form).run(&on_device, &mut y)?;
        holds(&y, &wanted, &format!("{form:?}")).await?;
    }
    Ok(())
}

async fn partitions(device: &Device) -> TestResult {
    let x = floats(9000);
    let (low, high): (Vec<f32>, Vec<f32>) = x.iter().partition(|x| **x < 0.0);
    let (mut y, mut z) = (device.buffer::<f32>(x.len())?, device.buffer::<f32>(x.len())?);
    Select::new("x < 0.0").partition(&device.buffer_from(&x)?, &mut y, &mut z)?;
    holds(&y, &low, "selected elements").await?;
    holds(&z, &high, "other elements").await
}

async fn run_lengths_both_ways(device: &Device) -> TestResult {
    let lengths: Vec<u32> = words(300).iter().map(|word| word % 50 + 1).collect();
    let values: Vec<u32> = (0..300).collect();
    let runs = values.iter().zip(&lengths).flat_map(|(value, length)| vec![*value; *length as usize]);
    let runs: Vec<u32> = runs.collect();
    let (mut found, mut counts) = (unwritten(device, runs.len())?, unwritten(device, runs.len())?);
    run_length_encode(&device.buffer_from(&runs)?, &mut found, &mut counts)?;
    holds(&found, &values, "values of runs").await?;
    holds(&counts, &lengths, "lengths of runs").await?;
    let mut again = unwritten(device, runs.len())?;
    run_length_decode(&device.buffer_from(&values)?, &device.buffer_from(&lengths)?, &mut again)?;
    holds(&again, &runs, "runs").await
}
