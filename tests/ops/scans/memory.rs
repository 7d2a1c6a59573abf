//! Slices, scans in place, recordings, streams, and data that the host writes.

use anywarp::Device;
use anywarp::ops::{Scan, ScanForm, cumulative_sum};

use super::{FORMS, numbers, reference};
use crate::outcome::{TestResult, ensure, same, skip};

/// Slices at any offset work; elements around them are unchanged.
pub(super) fn slices(device: &Device) -> TestResult {
    let all = numbers(12_000);
    let x = device.buffer_from(&all)?;
    for (from, to, length) in [(1, 3, 5), (3, 1, 1000), (64, 65, 3328), (7, 7, 0), (130, 9, 10_007), (132, 8, 10_004)] {
        for form in FORMS {
            let mut wanted = vec![99u32; 11_000];
            let mut y = device.buffer_from(&wanted)?;
            let (source, target) = (from..from + length, to..to + length);
            Scan::sum().form(form).run(x.slice(source.clone()), y.slice_mut(target.clone()))?;
            let sums = reference::scan(&all[source], [1, length, 1], [false; 2], |_| false, 0, u32::wrapping_add);
            wanted[target].copy_from_slice(&sums);
            same(&y.read()?, &wanted, &format!("{length} elements from {from} to {to}, {form:?}"))?;
        }
    }
    Ok(())
}

/// Scans are right for more lines than one dimension of a grid has workgroups.
pub(super) fn many_tiles(device: &Device) -> TestResult {
    let shape = [17_000_000usize, 1];
    let all: Vec<u32> = (0..shape[0] as u32).collect();
    let x = device.buffer_from(&all)?;
    let mut y = device.buffer::<u32>(shape[0])?;
    // Each line is one element, so that an inclusive scan is a copy.
    Scan::sum().axis(shape, 1).form(ScanForm::Lines { parts: 1 }).run(&x, &mut y)?;
    ensure(*y.read()? == *all, || "more than 65 535 workgroups of lines".to_owned())?;
    y.fill(7)?;
    Scan::max().run(&x, &mut y)?;
    ensure(*y.read()? == *all, || "a long scan".to_owned())
}

pub(super) fn in_place(device: &Device) -> TestResult {
    let all = numbers(30_011);
    for form in FORMS {
        let mut x = device.buffer_from(&all)?;
        Scan::sum().form(form).run_in_place(x.slice_mut(5..30_000))?;
        let mut wanted = all.clone();
        let sums = reference::scan(&all[5..30_000], [1, 29_995, 1], [false; 2], |_| false, 0, u32::wrapping_add);
        wanted[5..30_000].copy_from_slice(&sums);
        same(&x.read()?, &wanted, &format!("{form:?}"))?;
    }
    let mut x = device.buffer_from(&all[..6000])?;
    Scan::sum().axis([100, 60], 0).exclusive().reverse().run_in_place(&mut x)?;
    let wanted = reference::scan(&all[..6000], [60, 100, 60], [true, true], |_| false, 0, u32::wrapping_add);
    same(&x.read()?, &wanted, "along an axis")
}

pub(super) fn recorded(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&numbers(9000))?;
    for form in FORMS {
        let mut y = device.buffer::<u32>(9000)?;
        let mut recording = device.recording();
        Scan::sum().form(form).record(&mut recording).run(&x, &mut y)?;
        y.fill(0)?;
        ensure(y.read()?.iter().all(|y| *y == 0), || "nothing runs before it is submitted".to_owned())?;
        for scale in [1, 3] {
            let all: Vec<u32> = numbers(9000).iter().map(|x| x * scale).collect();
            x.copy_from_slice(&all)?;
            recording.submit()?;
            let wanted = reference::scan(&all, [1, 9000, 1], [false; 2], |_| false, 0, u32::wrapping_add);
            same(&y.read()?, &wanted, &format!("{form:?}, times {scale}"))?;
        }
    }
    Ok(())
}

pub(super) fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let all = numbers(40_000);
    let x = device.buffer_from(&all)?;
    let wanted = reference::scan(&all, [1, all.len(), 1], [false; 2], |_| false, 0, u32::wrapping_add);
    for form in FORMS {
        let (mut y, mut z) = (device.buffer::<u32>(all.len())?, device.buffer::<u32>(all.len())?);
        for _ in 0..4 {
            Scan::sum().form(form).on(&first).run(&x, &mut y)?;
            Scan::sum().form(form).on(&second).run(&x, &mut z)?;
        }
        same(&y.read()?, &wanted, "on one stream")?;
        same(&z.read()?, &wanted, "on another")?;
    }
    Ok(())
}

pub(super) fn after_the_host(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[1u32; 10])?;
    let mut y = device.buffer::<u32>(12)?;
    x.update()?[3] = 5;
    y.write()?.fill(7);
    cumulative_sum(&x, y.slice_mut(1..11))?;
    y.slice_mut(11..).copy_from_slice(&[9])?;
    same(&y.read()?, &[7, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 9], "between writes of the host")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    let x = device.buffer_from(&numbers(9000))?;
    for form in FORMS {
        let mut y = device.buffer::<u32>(9000)?;
        for length in [1, 300, 7001] {
            Scan::sum().form(form).run(x.slice(3..3 + length), y.slice_mut(5..5 + length))?;
            Scan::sum().form(form).segments(x.slice(..50)).run(x.slice(3..3 + length), y.slice_mut(5..5 + length))?;
            Scan::sum().form(form).reverse().run_in_place(y.slice_mut(1..=length))?;
            let findings = device.findings();
            ensure(findings.iter().next().is_none(), || format!("{form:?}, {length} elements:\n{findings}"))?;
        }
    }
    for chained in [false, true] {
        let mut y = device.buffer::<u32>(9000)?;
        let form = ScanForm::Vectors { each: 2, chained };
        for length in [4, 8996] {
            Scan::sum().form(form).run(x.slice(4..4 + length), y.slice_mut(..length))?;
            Scan::sum().form(form).reverse().exclusive().run_in_place(y.slice_mut(4..4 + length))?;
            let findings = device.findings();
            ensure(findings.iter().next().is_none(), || format!("{form:?}, {length} elements:\n{findings}"))?;
        }
    }
    Ok(())
}
