//! Tests of every choice, against the reference.

use anywarp_backend::DeviceKind;
use anywarp_backend::naga::valid::Capabilities;
use half::{bf16, f16};

use super::super::epilogue::Activation;
use super::super::every_device::devices;
use super::super::rows::numbers::{Float, HALF_OF_MIN_F16};
use super::plan::{Choice, Parts, Pass, plan};
use super::reference::{self, Sizes};
use super::{Conv, Geometry, OPERATOR, Operands, operands, run, shape, weights, winograd};
use crate::Device;
use crate::submit::Destination;

const CHOICES: [Choice; 4] = [Choice::Elements, Choice::Rows, Choice::Columns { rows: 4 }, Choice::Tiles];

/// Small whole numbers, whose sums are exact in `f32`.
fn numbers<T: Float>(count: usize, seed: usize) -> Vec<T> {
    (0..count).map(|at| T::of(((at * 7 + seed * 5) % 11) as f64 - 5.0)).collect()
}

fn wide<T: Float>(all: &[T]) -> Vec<f64> {
    all.iter().map(|number| number.wide()).collect()
}

fn sizes(geometry: &Geometry) -> Sizes {
    let axis = |at: usize| {
        let window = geometry.windows[at];
        [window.input, geometry.output[at], window.kernel, window.stride, window.dilation, window.before]
    };
    Sizes {
        examples: geometry.examples,
        groups: geometry.groups,
        inputs: geometry.inputs,
        outputs: geometry.outputs,
        axes: [axis(0), axis(1), axis(2)],
        channels_last: geometry.channels_last,
        transposed: geometry.transposed,
    }
}

/// Convolutions of each number of axes, with asymmetric padding, strides, dilation and groups.
fn convolutions<T: Float>() -> Vec<Conv<'static, T>> {
    vec![
        Conv::new([2, 3, 9], [5, 3, 4]).stride(&[2]).padding(&[[2, 1]]),
        Conv::new([1, 2, 7, 6], [3, 2, 3, 2]).padding(&[[1, 0], [0, 2]]).dilation(&[2, 1]),
        Conv::new([2, 4, 6, 7], [6, 2, 3, 3]).groups(2).stride(&[1, 2]).padding(&[[1, 1], [1, 1]]),
        Conv::new([3, 5, 5, 5], [5, 1, 3, 3]).groups(5).padding(&[[1, 1], [1, 1]]),
        Conv::new([1, 2, 4, 5, 3], [3, 2, 2, 3, 2]).padding(&[[0, 1], [1, 0], [1, 1]]),
        Conv::new([2, 9, 11, 10], [70, 9, 3, 3]).padding(&[[1, 1], [1, 1]]),
        Conv::new([1, 40, 9, 9], [130, 20, 1, 1]).groups(2),
        Conv::new([2, 4, 3, 5], [6, 1, 1, 5]).channels_last(),
        Conv::new([1, 5, 3, 4, 6], [7, 2, 3, 3, 6]).channels_last(),
        Conv::new([2, 13, 12, 9], [66, 3, 3, 9]).channels_last().stride(&[2, 1]).dilation(&[1, 2]),
        Conv::transposed([2, 3, 5], [3, 4, 3]).stride(&[3]).padding(&[[1, 2]]).output_padding(&[2]),
        Conv::transposed([1, 4, 3, 4], [4, 3, 3, 2]).groups(2).stride(&[2, 1]).dilation(&[1, 2]),
        Conv::transposed([1, 5, 4, 6], [6, 2, 3, 70]).channels_last().padding(&[[1, 0], [0, 1]]),
        Conv::transposed([1, 2, 2, 3, 2], [2, 2, 2, 2, 3]).stride(&[2, 1, 2]),
    ]
}

/// The results of the reference, which are the same for each element type: all hold the numbers of [`numbers`] exactly.
fn wanted<T: Float>(conv: &Conv<'_, T>, is_backward: bool) -> Vec<f64> {
    let geometry = conv.geometry().unwrap();
    let [of_x, of_y] = [conv.given.x.iter().product(), geometry.y.iter().product::<usize>()];
    let weights = wide(&numbers::<T>(geometry.weights(), 2));
    if is_backward {
        reference::backward(&sizes(&geometry), &wide(&numbers::<T>(of_y, 1)), &weights, of_x)
    } else {
        reference::conv(&sizes(&geometry), &wide(&numbers::<T>(of_x, 1)), &weights, of_y)
    }
}

/// Compares a job with the results of the reference, for arrays that begin at element `skip` of their buffers.
fn check<T: Float>(
    device: &Device,
    conv: &Conv<'_, T>,
    choice: Choice,
    skip: usize,
    is_backward: bool,
    wanted: &[f64],
) {
    let geometry = conv.geometry().unwrap();
    let [of_x, of_y] = [conv.given.x.iter().product(), geometry.y.iter().product::<usize>()];
    let (source, target) = if is_backward { (of_y, of_x) } else { (of_x, of_y) };
    let (x, weights): (Vec<T>, Vec<T>) = (numbers(source, 1), numbers(geometry.weights(), 2));
    let mut wanted = wanted.to_vec();
    assert_eq!(wanted.len(), target, "{:?}", conv.given);
    let bias: Vec<T> = numbers(geometry.groups * geometry.outputs, 3);
    let is_fours = matches!(choice, Choice::Cooperative { .. });
    if is_fours {
        let channels = bias.len();
        wanted.iter_mut().enumerate().for_each(|(at, sum)| *sum += bias[at % channels].wide());
    }
    let padded = |array: &[T]| device.buffer_from(&[&vec![T::of(9.0); skip], array].concat()).unwrap();
    let (x_of, weights_of, mut y_of) = (padded(&x), padded(&weights), padded(&vec![T::of(9.0); target + 3]));
    let bias_of = padded(&bias);
    let bias = bias_of.slice(skip..);
    let (x, weights, y) = (x_of.slice(skip..), weights_of.slice(skip..), y_of.slice_mut(skip..skip + target));
    let operands = Operands {
        x: ("x", operands::bytes(OPERATOR, "x", &x).unwrap()),
        weights: operands::bytes(OPERATOR, "weights", &weights).unwrap(),
        bias: is_fours.then(|| operands::bytes(OPERATOR, "bias", &bias).unwrap()),
        y: ("y", operands::bytes_mut(OPERATOR, "y", &y).unwrap()),
    };
    let job = if is_backward { geometry.backward() } else { geometry.forward() };
    let plan = plan(shape::<T>(&geometry, job, operands.starts()), choice, geometry.channels_last);
    let is_taken = matches!(plan.passes[..], [Pass::Cooperative { .. }]);
    assert_eq!(is_taken, is_fours, "{:?} {choice:?}", conv.given);
    operands.run(conv.call(&geometry, job), &plan, &mut Destination::Own).unwrap();
    let got = y_of.read().unwrap();
    let what = format!("{:?} {choice:?} {skip} {is_backward}", conv.given);
    assert!(wide(&got[..skip]).iter().chain(&wide(&got[skip + target..])).all(|other| *other == 9.0), "around: {what}");
    for (at, (got, wanted)) in wide(&got[skip..skip + target]).into_iter().zip(wanted).enumerate() {
        let tolerance = T::ROUNDING * wanted.abs() + HALF_OF_MIN_F16;
        assert!((got - wanted).abs() <= tolerance, "{what}, element {at}: {got} and not {wanted}");
    }
}

#[test]
fn every_choice_computes_the_same_on_every_device() {
    let devices = devices();
    let brains = convolutions::<bf16>();
    for ((singles, halves), brains) in convolutions::<f32>().iter().zip(&convolutions::<f16>()).zip(&brains) {
        for is_backward in [false, true] {
            // The plain loops of the reference take longer than a launch, without optimisation.
            let wanted = wanted(singles, is_backward);
            for device in &devices {
                for choice in CHOICES {
                    for skip in [0, 1] {
                        check(device, singles, choice, skip, is_backward, &wanted);
                        check(device, halves, choice, skip, is_backward, &wanted);
                    }
                    check(device, brains, choice, 1, is_backward, &wanted);
                }
            }
        }
    }
}

/// Convolutions whose channels are the last axis, in fours: steps of the depth within a tap and across taps, groups, each
/// number of axes, and tiles that are not full.
fn convolutions_in_fours() -> Vec<Conv<'static, f16>> {
    let all: Vec<Conv<'static, f16>> = vec![
        Conv::new([2, 7, 9, 32], [68, 3, 3, 32]).padding(&[[1, 1], [1, 1]]),
        Conv::new([1, 9, 8, 12], [20, 3, 2, 12]).stride(&[2, 1]).dilation(&[1, 2]).padding(&[[0, 2], [1, 0]]),
        Conv::new([2, 6, 5, 16], [24, 1, 1, 8]).groups(2),
        Conv::new([1, 12, 12, 64], [132, 1, 1, 64]),
        Conv::new([3, 70, 8], [12, 5, 8]).padding(&[[2, 2]]),
        Conv::new([1, 4, 5, 6, 4], [8, 3, 3, 3, 4]).padding(&[[1, 1], [0, 1], [1, 1]]),
    ];
    all.into_iter().map(Conv::channels_last).collect()
}

#[test]
fn cooperative_matrices_compute_the_same_on_every_device() {
    for device in devices() {
        let caps = device.caps();
        let features = Capabilities::COOPERATIVE_MATRIX | Capabilities::SHADER_FLOAT16;
        // Kernels for subgroups of 32, of 16 and of 8 differ in the division of tiles.
        let lanes = caps.subgroup_size.map(|(least, _)| least).unwrap_or_default();
        if !caps.shader.contains(features) || caps.subgroup_size != Some((lanes, lanes)) {
            continue;
        }
        for (at, conv) in convolutions_in_fours().iter().enumerate() {
            let wanted = wanted(conv, false);
            for narrow in [false, true] {
                // The processor's compiler takes seconds for a kernel: it has each size, with and without whole steps.
                if caps.kind == DeviceKind::Software && narrow == (at == 3) {
                    continue;
                }
                let choice = Choice::Cooperative { lanes, narrow };
                check(&device, conv, choice, 0, false, &wanted);
                check(&device, conv, choice, 4, false, &wanted);
            }
        }
    }
}

/// Convolutions of kernels of 3 x 3: tiles beyond the end, groups, and each order of axes.
fn convolutions_by_winograd() -> Vec<Conv<'static, f32>> {
    vec![
        Conv::new([2, 3, 9, 6], [5, 3, 3, 3]).padding(&[[2, 1], [1, 1]]),
        Conv::new([1, 4, 3, 3], [6, 2, 3, 3]).groups(2),
        Conv::new([2, 9, 7, 4], [6, 3, 3, 2]).groups(2).padding(&[[0, 3], [1, 0]]).channels_last(),
        Conv::new([3, 3, 4, 8], [1, 3, 3, 8]).channels_last(),
    ]
}

/// The numbers of a tile are multiples of a quarter, so all sums are exact.
#[test]
fn winograd_computes_the_same_on_every_device() {
    for device in devices() {
        for conv in convolutions_by_winograd() {
            for (tiles, skip) in [(1 << 15, 0), (7, 3)] {
                let geometry = conv.geometry().unwrap();
                let (x, weights): (Vec<f32>, Vec<f32>) =
                    (numbers(conv.given.x.iter().product(), 1), numbers(geometry.weights(), 2));
                let channels = geometry.groups * geometry.outputs;
                let (bias, length) = (numbers::<f32>(channels, 3), geometry.y.iter().product::<usize>());
                let mut wanted = reference::conv(&sizes(&geometry), &wide(&x), &wide(&weights), length);
                let positions: usize = geometry.output.iter().product();
                for (at, sum) in wanted.iter_mut().enumerate() {
                    let channel = if geometry.channels_last { at % channels } else { at / positions % channels };
                    *sum = (*sum + f64::from(bias[channel])).max(0.0);
                }
                let padded = |array: &[f32]| device.buffer_from(&[&vec![9.0; skip], array].concat()).unwrap();
                let (x, weights, bias, mut y_of) =
                    (padded(&x), padded(&weights), padded(&bias), padded(&vec![9.0; length + 3]));
                let (x, weights, bias) = (x.slice(skip..), weights.slice(skip..), bias.slice(skip..));
                let y = y_of.slice_mut(skip..skip + length);
                let operands = Operands {
                    x: ("x", operands::bytes(OPERATOR, "x", &x).unwrap()),
                    weights: operands::bytes(OPERATOR, "weights", &weights).unwrap(),
                    bias: Some(operands::bytes(OPERATOR, "bias", &bias).unwrap()),
                    y: ("y", operands::bytes_mut(OPERATOR, "y", &y).unwrap()),
                };
                let call = run::Call { activation: Some(Activation::Relu), ..conv.call(&geometry, geometry.forward()) };
                let plan = winograd::plan(&winograd::Shape::of(&geometry), tiles);
                operands.run_winograd(call, &plan, &mut Destination::Own).unwrap();
                let got = wide(&y_of.read().unwrap());
                let wanted = [&vec![9.0; skip], &wanted[..], &[9.0; 3]].concat();
                assert_eq!(got, wanted, "{:?} in {tiles} tiles on {device:?}", conv.given);
            }
        }
    }
}

/// A convolution decides about itself and about the products that it makes, and about no other.
#[test]
fn decisions_are_those_of_the_call() {
    let device = Device::open("cpu").unwrap();
    let (x, weights) = (device.buffer::<f32>(8 * 9 * 9).unwrap(), device.buffer::<f32>(8 * 8 * 9).unwrap());
    let mut y = device.buffer::<f32>(8 * 7 * 7).unwrap();
    let (outcome, decisions) =
        super::super::decisions(|| Conv::new([1, 8, 9, 9], [8, 8, 3, 3]).run(&x, &weights, &mut y));
    outcome.unwrap();
    let asked: Vec<&str> = decisions.iter().map(|decision| decision.operator.split(' ').next().unwrap()).collect();
    assert_eq!(asked, ["conv", "matmul"], "{decisions:?}");
}

/// The derivatives of the weights by the reference, which are the same for each element type.
fn wanted_weights<T: Float>(conv: &Conv<'_, T>) -> Vec<f64> {
    let geometry = conv.geometry().unwrap();
    let of_y: usize = geometry.y.iter().product();
    let (x, dy): (Vec<T>, Vec<T>) = (numbers(conv.given.x.iter().product(), 1), numbers(of_y, 2));
    reference::backward_weights(&sizes(&geometry), &wide(&x), &wide(&dy), geometry.weights())
}

fn check_weights<T: Float>(device: &Device, conv: &Conv<'_, T>, parts: u64, wanted: &[f64]) {
    let geometry = conv.geometry().unwrap();
    let of_y: usize = geometry.y.iter().product();
    let (x, dy): (Vec<T>, Vec<T>) = (numbers(conv.given.x.iter().product(), 1), numbers(of_y, 2));
    let count = geometry.weights();
    let (x, dy) = (device.buffer_from(&x).unwrap(), device.buffer_from(&dy).unwrap());
    let mut dweights = device.buffer_from(&vec![9.0f32; count + 4]).unwrap();
    let (x, dy, to) = (x.slice(..), dy.slice(..), dweights.slice_mut(1..=count));
    let operands = weights::Operands {
        x: operands::bytes(OPERATOR, "x", &x).unwrap(),
        dy: operands::bytes(OPERATOR, "dy", &dy).unwrap(),
        dweights: operands::bytes_mut(OPERATOR, "dweights", &to).unwrap(),
    };
    let positions = (geometry.examples * geometry.output.iter().product::<usize>()) as u64;
    let run::Call { halves, bf16, .. } = conv.call(&geometry, geometry.forward());
    let parts = Parts::of(parts, positions);
    operands.run(&geometry, [halves, bf16], parts, &mut Destination::Own).unwrap();
    let got = wide(&dweights.read().unwrap());
    assert_eq!(&got[1..=count], wanted, "{:?} {parts:?}", conv.given);
    assert!(got[0] == 9.0 && got[count + 1..] == [9.0; 3], "around");
}

#[test]
fn parts_of_positions_have_the_same_sums_on_every_device() {
    let devices = devices();
    for (singles, halves) in convolutions::<f32>().iter().zip(&convolutions::<f16>()) {
        if singles.given.transposed {
            continue;
        }
        let wanted = wanted_weights(singles);
        for device in &devices {
            for parts in [1, 3, 1000] {
                check_weights(device, singles, parts, &wanted);
                check_weights(device, halves, parts, &wanted);
            }
        }
    }
}

/// Compares the derivatives of the reference with differences of its results.
#[test]
fn the_reference_has_the_derivatives_of_its_function() {
    for conv in convolutions::<f32>() {
        let geometry = conv.geometry().unwrap();
        let sizes = sizes(&geometry);
        let of_y: usize = geometry.y.iter().product();
        let x = wide(&numbers::<f32>(conv.given.x.iter().product(), 3));
        let (weights, dy) = (wide(&numbers::<f32>(geometry.weights(), 4)), wide(&numbers::<f32>(of_y, 5)));
        let loss = |x: &[f64], weights: &[f64]| -> f64 {
            reference::conv(&sizes, x, weights, of_y).iter().zip(&dy).map(|(y, dy)| y * dy).sum()
        };
        let dx = reference::backward(&sizes, &dy, &weights, x.len());
        let dweights = reference::backward_weights(&sizes, &x, &dy, weights.len());
        // Linear functions: a difference of 1 is exact.
        let moved = |array: &[f64], at: usize| {
            let mut array = array.to_vec();
            array[at] += 1.0;
            array
        };
        let begin = loss(&x, &weights);
        for at in (0..x.len()).step_by((x.len() / 24) | 1) {
            assert_eq!(loss(&moved(&x, at), &weights) - begin, dx[at], "x, element {at}");
        }
        for at in (0..weights.len()).step_by((weights.len() / 24) | 1) {
            assert_eq!(loss(&x, &moved(&weights, at)) - begin, dweights[at], "weights, element {at}");
        }
    }
}
