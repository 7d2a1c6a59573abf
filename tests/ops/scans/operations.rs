//! Minima, maxima, products, and operations as text.

use anywarp::Device;
use anywarp::ops::Scan;

use super::{FORMS, numbers, reference};
use crate::outcome::{TestResult, ensure, same};

/// A NaN is the result of minima and maxima, and infinities are numbers.
pub(super) fn nan(device: &Device) -> TestResult {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let mut all = vec![1.0f32, -inf, 3.0, inf, 2.0, nan, 7.0, -inf];
    all.resize(5000, 1.0);
    let x = device.buffer_from(&all)?;
    for form in FORMS {
        let mut y = device.buffer::<f32>(all.len())?;
        Scan::max().form(form).run(&x, &mut y)?;
        let got = y.read()?;
        same(&got[..5], &[1.0, 1.0, 3.0, inf, inf], &format!("{form:?}: maxima"))?;
        ensure(got[5..].iter().all(|x| x.is_nan()), || format!("{form:?}: a maximum lost the NaN"))?;
        drop(got);
        Scan::min().form(form).run(&x, &mut y)?;
        let got = y.read()?;
        same(&got[..5], &[1.0, -inf, -inf, -inf, -inf], &format!("{form:?}: minima"))?;
        ensure(got[5..].iter().all(|x| x.is_nan()), || format!("{form:?}: a minimum lost the NaN"))?;
    }
    let mut y = device.buffer::<f32>(3)?;
    Scan::min().exclusive().run(x.slice(..3), &mut y)?;
    same(&y.read()?, &[inf, 1.0, -inf], "the identity of the minimum")
}

pub(super) fn operations(device: &Device) -> TestResult {
    let all: Vec<i32> = numbers(5003).iter().map(|x| *x as i32 - 2048).collect();
    let x = device.buffer_from(&all)?;
    let lines = [1, all.len(), 1];
    for form in FORMS {
        let mut y = device.buffer::<i32>(all.len())?;
        Scan::min().exclusive().form(form).run(&x, &mut y)?;
        let wanted = reference::scan(&all, lines, [true, false], |_| false, i32::MAX, i32::min);
        same(&y.read()?, &wanted, &format!("{form:?}: minima"))?;
        Scan::max().exclusive().form(form).run(&x, &mut y)?;
        let wanted = reference::scan(&all, lines, [true, false], |_| false, i32::MIN, i32::max);
        same(&y.read()?, &wanted, &format!("{form:?}: maxima"))?;
        Scan::product().form(form).run(&x, &mut y)?;
        let wanted = reference::scan(&all, lines, [false; 2], |_| false, 1, i32::wrapping_mul);
        same(&y.read()?, &wanted, &format!("{form:?}: products"))?;
        Scan::new("mix(a, b)", -1).preamble("fn mix(a: A, b: A) -> A { return a & b; }").form(form).run(&x, &mut y)?;
        let wanted = reference::scan(&all, lines, [false; 2], |_| false, -1, |a, b| a & b);
        same(&y.read()?, &wanted, &format!("{form:?}: an operation with a function"))?;
    }
    let x = device.buffer_from(&[3.0f32, 1.0, 2.0])?;
    let mut y = device.buffer::<f32>(3)?;
    Scan::new("min(a, b)", f32::INFINITY).exclusive().run(&x, &mut y)?;
    same(&y.read()?, &[f32::INFINITY, 3.0, 1.0], "an operation with an infinite identity")
}

/// Operations that are not commutative are applied in order: linear functions, one after the other.
pub(super) fn order_of_an_operation(device: &Device) -> TestResult {
    let all: Vec<[u32; 2]> = numbers(10_007).iter().map(|x| [x | 1, x / 3]).collect();
    let then = |a: [u32; 2], b: [u32; 2]| [a[0].wrapping_mul(b[0]), a[1].wrapping_mul(b[0]).wrapping_add(b[1])];
    let x = device.buffer_from(&all)?;
    for reverse in [false, true] {
        let wanted = reference::scan(&all, [1, all.len(), 1], [false, reverse], |_| false, [1, 0], then);
        for form in FORMS {
            let mut y = device.buffer::<[u32; 2]>(all.len())?;
            let scan = Scan::new("vec2(a.x * b.x, a.y * b.x + b.y)", "vec2(1u, 0u)").form(form);
            let scan = if reverse { scan.reverse() } else { scan };
            scan.run(&x, &mut y)?;
            same(&y.read()?, &wanted, &format!("{form:?}, reverse: {reverse}"))?;
        }
    }
    // Values of four bytes are chained between tiles: the operation returns the last number that is not zero.
    let all: Vec<u32> = numbers(50_021).iter().map(|x| if x % 500 == 0 { *x } else { 0 }).collect();
    let last = |a: u32, b: u32| if b == 0 { a } else { b };
    let wanted = reference::scan(&all, [1, all.len(), 1], [false; 2], |_| false, 0, last);
    let x = device.buffer_from(&all)?;
    for form in FORMS {
        let mut y = device.buffer::<u32>(all.len())?;
        Scan::new("select(b, a, b == 0u)", 0).form(form).run(&x, &mut y)?;
        same(&y.read()?, &wanted, &format!("{form:?}, the last"))?;
    }
    Ok(())
}
