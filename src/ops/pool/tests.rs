//! Tests of every choice, against the reference.

use half::{bf16, f16};

use super::super::every_device::devices;
use super::super::rows::numbers::{Float, HALF_OF_MIN_F16, numbers};
use super::plan::{Choice, plan};
use super::reference::{self, Sizes};
use super::{Geometry, Kind, OPERATOR, Operands, Pool, operands, shape};
use crate::Device;
use crate::submit::Destination;

fn sizes(geometry: &Geometry, channels_last: bool) -> Sizes {
    let axis = |at: usize| {
        let window = geometry.windows[at];
        let kernel = if geometry.adaptive { 0 } else { window.kernel };
        [window.input, geometry.output[at], kernel, window.stride, window.dilation, window.before, window.after]
    };
    let Geometry { examples, channels, .. } = *geometry;
    Sizes { examples, channels, axes: [axis(0), axis(1), axis(2)], channels_last }
}

fn pools<T: Float>() -> Vec<Pool<'static, T>> {
    let square = |kind: fn([usize; 4], &[usize]) -> Pool<'static, T>| kind([2, 3, 9, 10], &[3, 2]);
    vec![
        square(Pool::max).stride(&[2, 1]).padding(&[[1, 1], [0, 1]]),
        square(Pool::average).stride(&[2, 3]).padding(&[[1, 0], [1, 1]]).ceil(),
        square(Pool::average).dilation(&[2, 3]).padding(&[[2, 1], [1, 1]]).count_padding(),
        square(Pool::average).stride(&[4, 4]).padding(&[[2, 1], [1, 1]]).ceil().count_padding(),
        square(|x, kernel| Pool::norm(x, kernel, 2.0)),
        square(|x, kernel| Pool::norm(x, kernel, 1.0)).channels_last(),
        square(|x, kernel| Pool::norm(x, kernel, 3.0)).padding(&[[1, 1], [1, 1]]),
        Pool::max([1, 4, 3, 7, 5], &[2, 3, 1]).channels_last(),
        Pool::max([3, 2, 40], &[4]).padding(&[[6, 0]]),
        Pool::adaptive_average([2, 3, 10, 7], &[4, 7]),
        Pool::adaptive_max([1, 3, 5, 9], &[1, 4]),
    ]
}

/// Arrays begin at element `skip` of their buffers.
fn check<T: Float>(device: &Device, pool: &Pool<'_, T>, choice: Choice, skip: usize) {
    let geometry = pool.geometry().unwrap();
    let x: Vec<T> = numbers(pool.given.x.iter().product()).into_iter().map(T::of).collect();
    let wide: Vec<f64> = x.iter().map(|x| x.wide()).collect();
    let count: usize = geometry.y.iter().product();
    let sizes = sizes(&geometry, pool.given.channels_last);
    let (wanted, wanted_at): (Vec<f64>, Vec<u32>) = match pool.kind {
        Kind::Max => reference::max(&sizes, &wide, count).into_iter().unzip(),
        Kind::Average => (reference::average(&sizes, &wide, count, pool.counts_padding), Vec::new()),
        Kind::Norm(power) => (reference::norm(&sizes, &wide, count, power.into()), Vec::new()),
    };
    let x_of = device.buffer_from(&[&vec![T::of(9.0); skip], &x[..]].concat()).unwrap();
    let mut y_of = device.buffer_from(&vec![T::of(9.0); skip + count + 3]).unwrap();
    let mut at_of = device.buffer::<u32>(count + 1).unwrap();
    let (x, y, at) = (x_of.slice(skip..), y_of.slice_mut(skip..skip + count), at_of.slice_mut(1..));
    let operands = Operands {
        x: operands::bytes(OPERATOR, "x", &x).unwrap(),
        y: operands::bytes_mut(OPERATOR, "y", &y).unwrap(),
        indices: (pool.kind == Kind::Max).then(|| operands::bytes_mut(OPERATOR, "indices", &at).unwrap()),
    };
    let plan = plan(shape::<T>(&geometry, (skip * size_of::<T>()) as u64), choice, [0, 0]);
    operands.run(&geometry, pool.call(), &plan, &mut Destination::Own).unwrap();
    let what = format!("{:?} {:?} {choice:?} {skip}", pool.given, pool.kind);
    let got: Vec<f64> = y_of.read().unwrap().iter().map(|y| y.wide()).collect();
    assert!(got[..skip].iter().chain(&got[skip + count..]).all(|other| *other == 9.0), "around: {what}");
    for (at, (got, wanted)) in got[skip..skip + count].iter().zip(&wanted).enumerate() {
        // Powers by logarithms have an error of some units in the last place.
        let tolerance = (3e-6 + T::ROUNDING) * wanted.abs() + 1e-5 + HALF_OF_MIN_F16;
        let same = got == wanted || (got - wanted).abs() <= tolerance || (got.is_nan() && wanted.is_nan());
        assert!(same, "{what}, element {at}: {got} and not {wanted}");
    }
    if pool.kind == Kind::Max {
        assert_eq!(at_of.read().unwrap()[1..], wanted_at[..], "{what}");
    }
}

#[test]
fn every_choice_computes_the_same_on_every_device() {
    for device in devices() {
        for choice in [Choice::Elements, Choice::Rows] {
            for skip in [0, 1] {
                pools::<f32>().iter().for_each(|pool| check(&device, pool, choice, skip));
                pools::<f16>().iter().for_each(|pool| check(&device, pool, choice, skip));
            }
            pools::<bf16>().iter().for_each(|pool| check(&device, pool, choice, 1));
        }
    }
}
