//! Tests of every choice, compared with the reference implementation.

use half::{bf16, f16};

use super::super::every_device::devices;
use super::super::rows::elements::FloatElement;
use super::super::rows::numbers::{CHOICES, Float, HALF_OF_MIN_F16, check_every_choice, numbers};
use super::super::rows::plan::{Choice, plan};
use super::run::Operands;
use super::{OPERATOR, Softmax, cost, operands, reference, starts};
use crate::Device;
use crate::submit::Destination;

/// Returns the softmax of `x` by a choice, with arrays that begin at element `skip` of their buffers.
fn computed<T: FloatElement>(
    device: &Device,
    x: &[T],
    shape: [usize; 3],
    logarithm: bool,
    choice: Choice,
    skip: usize,
) -> Vec<T> {
    let padded: Vec<T> = [&vec![T::zeroed(); skip], x, &[T::zeroed(); 3][..]].concat();
    let (input, mut output) = (device.buffer_from(&padded).unwrap(), device.buffer_from(&padded).unwrap());
    let range = skip..skip + x.len();
    let (x, y) = (input.slice(range.clone()), output.slice_mut(range.clone()));
    let operands =
        Operands { x: operands::bytes(OPERATOR, "x", &x).unwrap(), y: operands::bytes_mut(OPERATOR, "y", &y).unwrap() };
    let softmax = Softmax::new(shape, 1);
    let softmax = if logarithm { softmax.logarithm() } else { softmax };
    let call = softmax.call::<T>(&starts(&[&operands.x], &[&operands.y])).unwrap();
    let planned = plan(call.shape, choice, cost(call.shape));
    operands.run(call, &planned, &mut Destination::Own).unwrap();
    let all = output.read().unwrap().to_vec();
    assert!(bytemuck::cast_slice::<T, u8>(&all[range.end..]).iter().all(|byte| *byte == 0), "behind the array");
    all[range].to_vec()
}

fn check<T: Float>(device: &Device, shape: [usize; 3], choice: Choice, skip: usize) {
    let x: Vec<T> = numbers(shape.iter().product()).into_iter().map(T::of).collect();
    let wide: Vec<f64> = x.iter().map(|x| x.wide()).collect();
    for logarithm in [false, true] {
        let wanted = reference::softmax(&wide, shape, logarithm);
        let got = computed(device, &x, shape, logarithm, choice, skip);
        for (at, (got, wanted)) in got.into_iter().zip(wanted).enumerate() {
            // The tolerance covers roundings of exponents up to 16 by half a unit in the last place, the roundings of
            // the sum, and the least `f16`.
            let tolerance = (4e-6 + T::ROUNDING) * wanted.abs() + if logarithm { 4e-6 } else { 1e-20 };
            let what = format!("{shape:?} {choice:?} {logarithm} {skip}, element {at}");
            assert!(
                (got.wide() - wanted).abs() <= tolerance + HALF_OF_MIN_F16,
                "{what}: {} and not {wanted}",
                got.wide()
            );
        }
    }
}

#[test]
fn every_choice_computes_the_same_on_every_device() {
    check_every_choice!(check: f32 from 0, f32 from 1, f16 from 1, bf16 from 0);
}

#[test]
fn every_choice_has_the_rules_for_infinities_on_every_device() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let mut x = vec![0.5f32; 5 * 40];
    x[3] = -inf;
    x[40 + 39] = nan;
    x[80 + 5] = inf;
    x[120..160].fill(-inf);
    x[160] = f32::MAX;
    x[161] = f32::MIN;
    for device in devices() {
        for choice in CHOICES {
            for logarithm in [false, true] {
                let y = computed(&device, &x, [5, 40, 1], logarithm, choice, 0);
                let what = format!("{choice:?} {logarithm}: {y:?}");
                assert!(y[40..160].iter().all(|y| y.is_nan()), "{what}");
                let infinite = if logarithm { -inf } else { 0.0 };
                assert!(y[3] == infinite && y[161] == infinite && !y[..40].iter().any(|y| y.is_nan()), "{what}");
                assert!(y[160] == if logarithm { 0.0 } else { 1.0 }, "{what}");
            }
        }
    }
}

/// Checks the derivatives from the reference's results, with arrays that begin at element `skip` of their buffers.
fn check_backward<T: Float>(device: &Device, shape: [usize; 3], choice: Choice, skip: usize) {
    let length: usize = shape.iter().product();
    for logarithm in [false, true] {
        let y: Vec<T> = reference::softmax(&numbers(length), shape, logarithm).into_iter().map(T::of).collect();
        let dy: Vec<T> = numbers(length + 5)[5..].iter().map(|x| T::of(*x)).collect();
        let padded = |array: &[T]| device.buffer_from(&[&vec![T::zeroed(); skip], array].concat()).unwrap();
        let (y_of, dy_of, mut dx_of) = (padded(&y), padded(&dy), padded(&dy));
        let (from_y, from_dy, to) = (y_of.slice(skip..), dy_of.slice(skip..), dx_of.slice_mut(skip..));
        let operands = super::backward::Operands {
            y: operands::bytes(OPERATOR, "y", &from_y).unwrap(),
            dy: operands::bytes(OPERATOR, "dy", &from_dy).unwrap(),
            dx: operands::bytes_mut(OPERATOR, "dx", &to).unwrap(),
        };
        let softmax = Softmax::new(shape, 1);
        let softmax = if logarithm { softmax.logarithm() } else { softmax };
        let call = softmax.call::<T>(&starts(&[&operands.y, &operands.dy], &[&operands.dx])).unwrap();
        operands.run(call, &plan(call.shape, choice, cost(call.shape)), &mut Destination::Own).unwrap();
        let wide = |array: &[T]| -> Vec<f64> { array.iter().map(|x| x.wide()).collect() };
        let wanted = reference::backward(&wide(&y), &wide(&dy), shape, logarithm);
        for (at, (got, wanted)) in dx_of.read().unwrap()[skip..].iter().zip(wanted).enumerate() {
            // The tolerance covers a sum of the row's derivatives, each up to 8, with one rounding for each 100
            // elements.
            let tolerance = (1e-4 + T::ROUNDING) * wanted.abs() + if logarithm { 1e-3 } else { 1e-6 } + HALF_OF_MIN_F16;
            let what = format!("{shape:?} {choice:?} {logarithm} {skip}, element {at}");
            assert!((got.wide() - wanted).abs() <= tolerance, "{what}: {} and not {wanted}", got.wide());
        }
    }
}

#[test]
fn every_choice_computes_the_same_derivatives_on_every_device() {
    check_every_choice!(check_backward: f32 from 0, f32 from 1, f16 from 0, bf16 from 1);
}

/// The derivatives of the reference are compared with difference quotients of its softmax.
#[test]
fn the_reference_has_the_derivatives_of_its_function() {
    let (shape, step) = ([2, 5, 3], 1e-6);
    let (x, dy) = (numbers(30), numbers(37)[7..].to_vec());
    for logarithm in [false, true] {
        let dx = reference::backward(&reference::softmax(&x, shape, logarithm), &dy, shape, logarithm);
        for (at, dx) in dx.iter().enumerate() {
            let loss = |by: f64| -> f64 {
                let mut x = x.clone();
                x[at] += by;
                reference::softmax(&x, shape, logarithm).iter().zip(&dy).map(|(y, dy)| y * dy).sum()
            };
            let difference = (loss(step) - loss(-step)) / (2.0 * step);
            assert!((dx - difference).abs() < 1e-6, "{logarithm}, element {at}: {dx} and not {difference}");
        }
    }
}
