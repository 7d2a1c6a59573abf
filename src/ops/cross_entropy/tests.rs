//! Tests of every choice, against the reference.

use half::{bf16, f16};

use super::super::every_device::devices;
use super::super::rows::numbers::{CHOICES, Float, HALF_OF_MIN_F16, SHAPES, numbers};
use super::super::rows::plan::{Choice, plan};
use super::{CrossEntropy, OPERATOR, operands, reference, starts};
use crate::device::Device;
use crate::submit::Destination;

fn check<T: Float>(device: &Device, shape: [usize; 3], choice: Choice, [skip, weighted]: [usize; 2]) {
    let [outer, classes, inner] = shape;
    let rows = outer * inner;
    let x: Vec<T> = numbers(rows * classes).into_iter().map(T::of).collect();
    // Targets below the number of classes, targets above it, and ignored ones.
    let targets: Vec<i32> = (0..rows).map(|row| [0, 1, -7, 2][row % 4] * (row * 5 % classes) as i32).collect();
    let targets: Vec<i32> = targets.iter().map(|target| (*target).max(-7)).collect();
    let weights: Vec<f32> = (0..classes).map(|class| (class % 5) as f32 * 0.5).collect();
    let padded = |array: &[T]| device.buffer_from(&[&vec![T::zeroed(); skip], array].concat()).unwrap();
    let (x_of, mut dx_of) = (padded(&x), padded(&x));
    let (targets_of, weights_of) = (device.buffer_from(&targets).unwrap(), device.buffer_from(&weights).unwrap());
    let by_loss: Vec<f32> = (0..rows).map(|row| 1.0 + row as f32).collect();
    let by_loss_of = device.buffer_from(&by_loss).unwrap();
    let mut loss_of = device.buffer::<f32>(rows).unwrap();
    for normalised in [false, true] {
        let entropy = CrossEntropy::new(shape, 1).ignore(-7).each();
        let entropy = if weighted == 1 { entropy.weights(&weights_of) } else { entropy };
        let entropy = if normalised { entropy.logarithms() } else { entropy };
        let call = entropy.call::<T, i32>(&[]).unwrap();
        let (from, to, loss) = (x_of.slice(skip..), dx_of.slice_mut(skip..), loss_of.slice_mut(..));
        let arrays = entropy.operands(&call, &from, &targets_of.slice(..)).unwrap();
        let loss = operands::bytes_mut(OPERATOR, "loss", &loss).unwrap();
        let dx = operands::bytes_mut(OPERATOR, "dx", &to).unwrap();
        let dloss = operands::bytes(OPERATOR, "dloss", &by_loss_of.slice(..)).unwrap();
        let call = entropy.call::<T, i32>(&starts(&[&arrays.x], &[&dx])).unwrap();
        let planned = plan(call.shape, choice, [0; 2]);
        arrays.run(call, &planned, &loss, &mut Destination::Own).unwrap();
        arrays.backward(call, &planned, &dloss, &dx, &mut Destination::Own).unwrap();
        let wide: Vec<f64> = x.iter().map(|x| x.wide()).collect();
        let targets: Vec<i64> = targets.iter().map(|target| i64::from(*target)).collect();
        let weight = |class: usize| if weighted == 1 { f64::from(weights[class]) } else { 1.0 };
        let [losses, factors] = reference::cross_entropy(&wide, shape, normalised, &targets, Some(-7), weight);
        let by_loss = |row: usize| f64::from(by_loss[row]);
        let wanted = reference::backward(&wide, shape, normalised, &targets, &factors, by_loss);
        let what = format!("{shape:?} {choice:?} {normalised} {skip} {weighted}");
        let near = |got: f64, wanted: f64, tolerance: f64| {
            (got.is_nan() && wanted.is_nan()) || (got - wanted).abs() <= tolerance
        };
        for (row, (got, wanted)) in loss_of.read().unwrap().iter().zip(&losses).enumerate() {
            let right = near(f64::from(*got), *wanted, 1e-5 + 1e-5 * wanted.abs());
            assert!(right, "{what}, row {row}: {got} and not {wanted}");
        }
        for (at, (got, wanted)) in dx_of.read().unwrap()[skip..].iter().zip(&wanted).enumerate() {
            let right = near(got.wide(), *wanted, 1e-6 + HALF_OF_MIN_F16 + (2e-5 + T::ROUNDING) * wanted.abs());
            assert!(right, "{what}, element {at}: {} and not {wanted}", got.wide());
        }
    }
}

#[test]
fn every_choice_computes_the_same_on_every_device() {
    for device in devices() {
        for shape in SHAPES {
            for choice in CHOICES {
                check::<f32>(&device, shape, choice, [0, 1]);
                check::<f16>(&device, shape, choice, [0, 0]);
                check::<bf16>(&device, shape, choice, [1, 0]);
            }
        }
    }
}

/// Compares the derivatives of the reference with difference quotients of its losses.
#[test]
fn the_reference_has_the_derivatives_of_its_function() {
    let (shape, step) = ([2, 5, 3], 1e-6);
    let (x, targets) = (numbers(30), [0i64, 4, -1, 2, 2, 3]);
    let weight = |class: usize| 0.5 + class as f64;
    for normalised in [false, true] {
        let losses = |x: &[f64]| reference::cross_entropy(x, shape, normalised, &targets, Some(-1), weight);
        let [_, factors] = losses(&x);
        let dx = reference::backward(&x, shape, normalised, &targets, &factors, |row| row as f64);
        for (at, dx) in dx.iter().enumerate() {
            let loss = |by: f64| -> f64 {
                let mut x = x.clone();
                x[at] += by;
                losses(&x)[0].iter().enumerate().map(|(row, loss)| row as f64 * loss).sum()
            };
            let difference = (loss(step) - loss(-step)) / (2.0 * step);
            assert!((dx - difference).abs() < 1e-6, "{normalised}, element {at}: {dx} and not {difference}");
        }
    }
}
