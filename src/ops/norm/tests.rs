//! Tests of every choice, against the reference.

use half::{bf16, f16};

use super::super::every_device::devices;
use super::super::rows::numbers::{CHOICES, Float, HALF_OF_MIN_F16, check_every_choice, numbers};
use super::super::rows::plan::{Choice, plan};
use super::run::Operands;
use super::{Norm, OPERATOR, operands, reference, starts};
use crate::buffer::Slice;
use crate::device::Device;
use crate::submit::Destination;

/// The results, and the statistics; arrays begin at element `skip` of their buffers.
fn computed<T: Float>(
    device: &Device,
    x: &[T],
    weights: [&[T]; 2],
    norm: &Norm<'_, T>,
    choice: Choice,
    skip: usize,
) -> [Vec<f64>; 3] {
    let padded = |array: &[T]| -> Vec<T> { [&vec![T::zeroed(); skip], array, &[T::zeroed(); 3][..]].concat() };
    let [input, scale, bias] = [x, weights[0], weights[1]].map(|array| device.buffer_from(&padded(array)).unwrap());
    let mut output = device.buffer_from(&padded(x)).unwrap();
    let call = norm.call(x.len(), &[]).unwrap();
    let rows = call.shape.rows as usize;
    let (mut means, mut inverses) = (device.buffer::<f32>(rows + 1).unwrap(), device.buffer::<f32>(rows + 1).unwrap());
    let range = skip..skip + x.len();
    let (y, means_of, inverses_of) = (output.slice_mut(range.clone()), means.slice_mut(1..), inverses.slice_mut(1..));
    let (scale, bias) = (scale.slice(skip..skip + weights[0].len()), bias.slice(skip..skip + weights[1].len()));
    let operands = Operands {
        x: read(&input.slice(range.clone())),
        scale: (!weights[0].is_empty()).then(|| read(&scale)),
        bias: (!weights[1].is_empty()).then(|| read(&bias)),
        means: Some(operands::bytes_mut(OPERATOR, "means", &means_of).unwrap()),
        inverses: Some(operands::bytes_mut(OPERATOR, "inverses", &inverses_of).unwrap()),
        y: operands::bytes_mut(OPERATOR, "y", &y).unwrap(),
    };
    let slices: Vec<_> =
        [Some(&operands.x), operands.scale.as_ref(), operands.bias.as_ref()].into_iter().flatten().collect();
    let call = norm.call(x.len(), &starts(&slices, &[&operands.y])).unwrap();
    operands.run(call, &plan(call.shape, choice, norm.cost_of(&call)), &mut Destination::Own).unwrap();
    let all = output.read().unwrap().to_vec();
    assert!(all[range.end..].iter().all(|y| y.wide() == 0.0), "behind the array");
    let statistics =
        [&means, &inverses].map(|array| array.read().unwrap()[1..].iter().map(|x| f64::from(*x)).collect());
    let [means, inverses] = statistics;
    [all[range].iter().map(|y| y.wide()).collect(), means, inverses]
}

fn read<'a, T: Float>(array: &Slice<'a, T>) -> Slice<'a, u8> {
    operands::bytes(OPERATOR, "x", array).unwrap()
}

fn close(got: &[f64], wanted: &[f64], tolerance: impl Fn(f64) -> f64, what: &str) {
    for (at, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        assert!((got - wanted).abs() <= tolerance(*wanted), "{what}, element {at}: {got} and not {wanted}");
    }
}

fn check<T: Float>(device: &Device, [rows, length, _]: [usize; 3], choice: Choice, skip: usize) {
    // A mean that is large relative to the differences.
    let x: Vec<T> = numbers(rows * length).into_iter().map(|x| T::of(x + 20.0)).collect();
    let weights: Vec<T> = numbers(length).into_iter().map(T::of).collect();
    let wide = |array: &[T]| -> Vec<f64> { array.iter().map(|x| x.wide()).collect() };
    let (wide_x, wide_weights) = (wide(&x), wide(&weights));
    for (centred, given) in [(true, [true, true]), (false, [true, false]), (true, [false, false])] {
        let norm = if centred { Norm::<T>::layer(length) } else { Norm::rms(length) }.epsilon(0.125);
        let [scale, bias] = given.map(|given| if given { &weights[..] } else { &[] });
        let weight = |at: usize| {
            [(given[0], 1.0), (given[1], 0.0)].map(|(given, none)| if given { wide_weights[at % length] } else { none })
        };
        let [y, means, inverses] = computed(device, &x, [scale, bias], &norm, choice, skip);
        let wanted = reference::norm(&wide_x, length, centred, 0.125, weight);
        let what = format!("{rows} of {length}, {choice:?}, {centred} {given:?} {skip}");
        close(&means, &wanted[1], |wanted| 1e-5 + 1e-6 * wanted.abs(), &format!("{what}: means"));
        close(&inverses, &wanted[2], |wanted| 1e-5 * wanted, &format!("{what}: inverses"));
        // The mean has an error of 1e-6 of its size, which scale and inverse multiply.
        close(&y, &wanted[0], |wanted| 1e-3 + (1e-5 + T::ROUNDING) * wanted.abs() + HALF_OF_MIN_F16, &what);
    }
}

#[test]
fn every_choice_computes_the_same_on_every_device() {
    check_every_choice!(check: f32 from 0, f32 from 1, f16 from 1, bf16 from 0);
}

#[test]
fn every_choice_has_weights_by_channel_on_every_device() {
    let (shape, groups) = ([3, 6, 35], 2);
    let x = numbers(3 * 6 * 35);
    let of: Vec<f32> = x.iter().map(|x| *x as f32).collect();
    let weights: Vec<f32> = (0..6).map(|at| at as f32 - 2.5).collect();
    let wanted = reference::norm(&x, 3 * 35, true, 0.5, |at| [f64::from(weights[at / 35 % 6]); 2]);
    for device in devices() {
        for choice in CHOICES {
            let norm = Norm::<f32>::group(shape, groups).epsilon(0.5);
            let [y, ..] = computed(&device, &of, [&weights, &weights], &norm, choice, 0);
            close(&y, &wanted[0], |wanted| 1e-5 + 1e-5 * wanted.abs(), &format!("{choice:?}"));
        }
    }
}

#[test]
fn rows_that_are_not_finite_are_nan_on_every_device() {
    let mut x = vec![0.5f32; 4 * 40];
    (x[3], x[45], x[119]) = (f32::NAN, f32::INFINITY, 1e30);
    for device in devices() {
        for choice in CHOICES {
            for norm in [Norm::layer(40), Norm::rms(40)] {
                let [y, means, inverses] = computed(&device, &x, [&[], &[]], &norm, choice, 0);
                let is_nan = |numbers: &[f64]| numbers.iter().map(|x| x.is_nan()).collect::<Vec<_>>();
                assert_eq!(is_nan(&y), [vec![true; 120], vec![false; 40]].concat(), "{choice:?}");
                assert_eq!([is_nan(&means), is_nan(&inverses)], [[true, true, true, false]; 2], "{choice:?}");
            }
        }
    }
}

/// Derivatives, with arrays that begin at element `skip` of their buffers.
fn check_backward<T: Float>(device: &Device, [rows, length, _]: [usize; 3], choice: Choice, skip: usize) {
    let x: Vec<T> = numbers(rows * length).into_iter().map(T::of).collect();
    let dy: Vec<T> = numbers(rows * length + 5)[5..].iter().map(|x| T::of(*x)).collect();
    let scale: Vec<T> = numbers(length).into_iter().map(|x| T::of(x + 1.0)).collect();
    let wide = |array: &[T]| -> Vec<f64> { array.iter().map(|x| x.wide()).collect() };
    let (wide_x, wide_dy, wide_scale) = (wide(&x), wide(&dy), wide(&scale));
    let padded = |array: &[T]| device.buffer_from(&[&vec![T::zeroed(); skip], array].concat()).unwrap();
    let (x, dy, scale, mut dx) = (padded(&x), padded(&dy), padded(&scale), padded(&dy));
    for (centred, has_scale) in [(true, true), (false, true), (true, false)] {
        let norm = if centred { Norm::<T>::layer(length) } else { Norm::rms(length) }.epsilon(0.5);
        let [_, means, inverses] = reference::norm(&wide_x, length, centred, 0.5, |_| [1.0, 0.0]);
        let narrow =
            |array: &[f64]| device.buffer_from(&array.iter().map(|x| *x as f32).collect::<Vec<f32>>()).unwrap();
        let (means, inverses) = (narrow(&means), narrow(&inverses));
        let to = dx.slice_mut(skip..);
        let statistic = |array| operands::bytes(OPERATOR, "means", array).unwrap();
        let operands = super::backward::Operands {
            x: read(&x.slice(skip..)),
            dy: read(&dy.slice(skip..)),
            scale: has_scale.then(|| read(&scale.slice(skip..))),
            means: statistic(&means.slice(..)),
            inverses: statistic(&inverses.slice(..)),
            dx: operands::bytes_mut(OPERATOR, "dx", &to).unwrap(),
        };
        let mut slices = vec![&operands.x, &operands.dy];
        slices.extend(operands.scale.as_ref());
        let call = norm.call(rows * length, &starts(&slices, &[&operands.dx])).unwrap();
        operands.run(call, &plan(call.shape, choice, norm.cost_of(&call)), &mut Destination::Own).unwrap();
        let scale = |at: usize| if has_scale { wide_scale[at % length] } else { 1.0 };
        let [wanted, ..] = reference::backward(&wide_x, &wide_dy, length, centred, 0.5, scale);
        let got: Vec<f64> = dx.read().unwrap()[skip..].iter().map(|dx| dx.wide()).collect();
        let what = format!("{rows} of {length}, {choice:?}, {centred} {has_scale} {skip}");
        close(&got, &wanted, |wanted| 1e-4 + (1e-4 + T::ROUNDING) * wanted.abs() + HALF_OF_MIN_F16, &what);
    }
}

#[test]
fn every_choice_computes_the_same_derivatives_on_every_device() {
    check_every_choice!(check_backward: f32 from 0, f32 from 1, f16 from 0, bf16 from 1);
}

#[test]
fn every_number_of_parts_has_the_derivatives_by_weights_on_every_device() {
    let (rows, length) = (301, 37);
    let (x, dy) = (numbers(rows * length), numbers(rows * length + 3)[3..].to_vec());
    let [_, means, inverses] = reference::norm(&x, length, true, 0.5, |_| [1.0, 0.0]);
    let [_, by_scale, by_bias] = reference::backward(&x, &dy, length, true, 0.5, |_| 1.0);
    for device in devices() {
        let narrow =
            |array: &[f64]| device.buffer_from(&array.iter().map(|x| *x as f32).collect::<Vec<f32>>()).unwrap();
        let [x, dy, means, inverses] = [&x, &dy, &means, &inverses].map(|array| narrow(array));
        for chunk in [1, 7, 300, 301] {
            let (mut dscale, mut dbias) =
                (device.buffer::<f32>(length).unwrap(), device.buffer::<f32>(length).unwrap());
            let (to_scale, to_bias) = (dscale.slice_mut(..), dbias.slice_mut(..));
            let bytes = |array| operands::bytes(OPERATOR, "x", array).unwrap();
            let operands = super::weights::Operands {
                x: bytes(&x.slice(..)),
                dy: bytes(&dy.slice(..)),
                means: bytes(&means.slice(..)),
                inverses: bytes(&inverses.slice(..)),
                by_scale: operands::bytes_mut(OPERATOR, "dscale", &to_scale).unwrap(),
                by_bias: operands::bytes_mut(OPERATOR, "dbias", &to_bias).unwrap(),
            };
            let call = Norm::<f32>::layer(length).epsilon(0.5).call(rows * length, &[]).unwrap();
            let parts = super::weights::Parts { parts: (rows as u64).div_ceil(chunk), chunk };
            operands.run(call, parts, &mut Destination::Own).unwrap();
            for (array, wanted, what) in [(&dscale, &by_scale, "scale"), (&dbias, &by_bias, "bias")] {
                let got: Vec<f64> = array.read().unwrap().iter().map(|x| f64::from(*x)).collect();
                // Sums of 301 numbers of up to 30.
                close(&got, wanted, |wanted| 1e-2 + 1e-5 * wanted.abs(), &format!("{what}, parts of {chunk}"));
            }
        }
    }
}

/// Compares the derivatives of the reference with differences of its results.
#[test]
fn the_reference_has_the_derivatives_of_its_function() {
    let (rows, length, step) = (3, 5, 1e-6);
    let (x, dy, weights) = (numbers(15), numbers(22)[7..].to_vec(), numbers(10));
    for centred in [true, false] {
        let loss = |x: &[f64], weights: &[f64]| -> f64 {
            let weight = |at: usize| [weights[at % length], weights[length + at % length]];
            let [y, ..] = reference::norm(x, length, centred, 0.25, weight);
            y.iter().zip(&dy).map(|(y, dy)| y * dy).sum()
        };
        let all = reference::backward(&x, &dy, length, centred, 0.25, |at| weights[at % length]);
        let [dx, by_scale, by_bias] = &all;
        let moved = |array: &[f64], at: usize, by: f64| {
            let mut array = array.to_vec();
            array[at] += by;
            array
        };
        for (at, dx) in dx.iter().enumerate().take(rows * length) {
            let difference = loss(&moved(&x, at, step), &weights) - loss(&moved(&x, at, -step), &weights);
            let difference = difference / (2.0 * step);
            assert!((dx - difference).abs() < 1e-5, "element {at}: {dx} and not {difference}");
        }
        for (at, got) in by_scale.iter().chain(by_bias).enumerate() {
            let difference = loss(&x, &moved(&weights, at, step)) - loss(&x, &moved(&weights, at, -step));
            let difference = difference / (2.0 * step);
            assert!((got - difference).abs() < 1e-5, "weight {at}: {got} and not {difference}");
        }
    }
}
