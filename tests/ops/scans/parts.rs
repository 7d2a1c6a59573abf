//! Scans of parts: along an axis, within segments, and by keys.

use anywarp::Device;
use anywarp::ops::Scan;

use super::{FORMS, numbers, reference};
use crate::outcome::{TestResult, same};

pub(super) fn axes(device: &Device) -> TestResult {
    let shapes: [&[usize]; 8] =
        [&[7], &[5, 4001], &[4001, 5], &[3, 700, 11], &[70, 2, 31], &[6, 0, 3], &[2, 5, 1], &[1, 9000, 2]];
    for shape in shapes {
        let length = shape.iter().product();
        let all = numbers(length);
        let x = device.buffer_from(&all)?;
        let mut y = device.buffer::<u32>(length)?;
        for axis in 0..shape.len() {
            let inner: usize = shape[axis + 1..].iter().product();
            let lines = [shape[..axis].iter().product::<usize>() * inner, shape[axis], inner];
            for reverse in [false, true] {
                let wanted = match length {
                    0 => Vec::new(),
                    _ => reference::scan(&all, lines, [true, reverse], |_| false, 0, u32::wrapping_add),
                };
                for form in [None, Some(FORMS[0]), Some(FORMS[1]), Some(FORMS[2]), Some(FORMS[3])] {
                    let mut scan = Scan::sum().exclusive().axis(shape, axis);
                    scan = if reverse { scan.reverse() } else { scan };
                    scan = if let Some(form) = form { scan.form(form) } else { scan };
                    y.fill(7)?;
                    scan.run(&x, &mut y)?;
                    same(&y.read()?, &wanted, &format!("{shape:?}, axis {axis}, reverse {reverse}, {form:?}"))?;
                }
            }
        }
    }
    Ok(())
}

pub(super) fn segments(device: &Device) -> TestResult {
    for length in [1, 100, 3328, 12_007, 50_000] {
        let all = numbers(length);
        // The offsets fall, are repeated, and lie beyond the end: each offset below the length begins a segment.
        let offsets: Vec<u32> = (0..length as u32 / 97 + 3).map(|at| (at * 7919) % (length as u32 + 40)).collect();
        let flags: Vec<u32> = all.iter().map(|x| u32::from(x % 300 == 7) * x).collect();
        let x = device.buffer_from(&all)?;
        let (offsets_on_device, flags_on_device) = (device.buffer_from(&offsets)?, device.buffer_from(&flags)?);
        let mut at_offset = vec![false; length];
        for at in offsets.iter().filter(|at| (**at as usize) < length) {
            at_offset[*at as usize] = true;
        }
        for form in FORMS {
            let mut y = device.buffer::<u32>(length)?;
            for reverse in [false, true] {
                let scan = || if reverse { Scan::sum().form(form).reverse() } else { Scan::sum().form(form) };
                let wanted = |is_head: &dyn Fn(usize) -> bool| {
                    reference::scan(&all, [1, length, 1], [false, reverse], is_head, 0, u32::wrapping_add)
                };
                let what = |by: &str| format!("{length} elements, {form:?}, reverse {reverse}, by {by}");
                scan().segments(&offsets_on_device).run(&x, &mut y)?;
                same(&y.read()?, &wanted(&|at| at_offset[at]), &what("offsets"))?;
                scan().heads(&flags_on_device).run(&x, &mut y)?;
                same(&y.read()?, &wanted(&|at| flags[at] != 0), &what("flags"))?;
                scan().heads(&flags_on_device).segments(&offsets_on_device).run(&x, &mut y)?;
                same(&y.read()?, &wanted(&|at| flags[at] != 0 || at_offset[at]), &what("both"))?;
                scan().segments(offsets_on_device.slice(..0)).run(&x, &mut y)?;
                same(&y.read()?, &wanted(&|_| false), &what("no offsets"))?;
            }
        }
    }
    Ok(())
}

pub(super) fn keys(device: &Device) -> TestResult {
    let length = 20_011;
    let keys: Vec<i32> = numbers(length)
        .iter()
        .scan(0, |at, x| {
            *at += i32::from(x % 50 == 0);
            Some(*at % 3)
        })
        .collect();
    let all = numbers(length);
    let keys_on_device = device.buffer_from(&[&[5; 3], &keys[..]].concat())?;
    let x = device.buffer_from(&all)?;
    for form in FORMS {
        let mut y = device.buffer::<u32>(length)?;
        for exclusive in [false, true] {
            let is_head = |at: usize| at > 0 && keys[at] != keys[at - 1];
            let wanted = reference::scan(&all, [1, length, 1], [exclusive, false], is_head, 0, u32::wrapping_add);
            let scan = Scan::sum().form(form).keys::<i32>(keys_on_device.slice(3..));
            if exclusive {
                scan.exclusive().run(&x, &mut y)?;
            } else {
                scan.run(&x, &mut y)?;
            };
            same(&y.read()?, &wanted, &format!("{form:?}, exclusive {exclusive}"))?;
        }
    }
    let floats = device.buffer_from(&[0.0f32, -0.0, 1.5, 1.5, 2.0])?;
    let ones = device.buffer_from(&[1u32; 5])?;
    let mut y = device.buffer::<u32>(5)?;
    Scan::sum().keys(&floats).run(&ones, &mut y)?;
    same(&y.read()?, &[1, 2, 1, 2, 1], "keys of floats")
}
