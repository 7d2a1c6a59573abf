//! Convolutions, transposed convolutions, and their derivatives.

use anywarp::Device;
use anywarp::ops::{Activation, Conv, FloatElement, OperationError, conv};
use half::{bf16, f16};

use crate::Unnamed;
use crate::outcome::{TestResult, ensure, equal, refused, same, skip};
use crate::rows::{Float, close, numbers, wide};

#[path = "../../../src/ops/conv/reference.rs"]
mod reference;

pub(super) fn cases() -> Vec<Unnamed> {
    vec![
        ("conv::f32", shapes::<f32>),
        ("conv::f16", shapes::<f16>),
        ("conv::bf16", shapes::<bf16>),
        ("conv::wide", wide_channels),
        ("conv::transposed", transposed),
        ("conv::backward", derivatives),
        ("conv::activations", activations),
        ("conv::without_results", without_results),
        ("conv::many_results", many_results),
        ("conv::not_numbers", not_numbers),
        ("conv::slices", slices),
        ("conv::same_bits", same_bits),
        ("conv::recorded", recorded),
        ("conv::refusals", refusals),
        ("conv::refusals_of_derivatives", refusals_of_derivatives),
    ]
}

/// The parameters of a convolution; `channels` are those of x and y.
#[derive(Clone, Debug)]
struct Problem {
    examples: usize,
    channels: [usize; 2],
    groups: usize,
    /// Each axis has `[input, kernel, stride, dilation, padding before, padding after]`.
    axes: Vec<[usize; 6]>,
    channels_last: bool,
    transposed: bool,
}

impl Problem {
    fn new(examples: usize, channels: [usize; 2], axes: &[[usize; 6]]) -> Self {
        Self { examples, channels, groups: 1, axes: axes.to_vec(), channels_last: false, transposed: false }
    }

    fn groups(self, groups: usize) -> Self {
        Self { groups, ..self }
    }

    fn channels_last(self) -> Self {
        Self { channels_last: true, ..self }
    }

    fn transposed(self) -> Self {
        Self { transposed: true, ..self }
    }

    fn output(&self) -> Vec<usize> {
        let of_axis = |[input, kernel, stride, dilation, before, after]: &[usize; 6]| {
            let span = (kernel - 1) * dilation + 1;
            if self.transposed {
                (input - 1) * stride + span - before - after
            } else {
                (input + before + after - span) / stride + 1
            }
        };
        self.axes.iter().map(of_axis).collect()
    }

    fn shaped(&self, first: usize, channels: usize, sizes: &[usize]) -> Vec<usize> {
        if self.channels_last { [&[first], sizes, &[channels]].concat() } else { [&[first, channels], sizes].concat() }
    }

    fn column(&self, column: usize) -> Vec<usize> {
        self.axes.iter().map(|axis| axis[column]).collect()
    }

    /// The shapes of x, the weights and y.
    fn shapes(&self) -> [Vec<usize>; 3] {
        let [of_x, of_y] = self.channels;
        let (first, second) = if self.transposed { (of_x, of_y) } else { (of_y, of_x) };
        [
            self.shaped(self.examples, of_x, &self.column(0)),
            self.shaped(first, second / self.groups, &self.column(1)),
            self.shaped(self.examples, of_y, &self.output()),
        ]
    }

    fn conv<'r, T: FloatElement>(&self) -> Conv<'r, T> {
        let [x, weights, _] = self.shapes();
        let conv = if self.transposed { Conv::transposed(x, weights) } else { Conv::new(x, weights) };
        let padding: Vec<[usize; 2]> = self.axes.iter().map(|axis| [axis[4], axis[5]]).collect();
        let conv = conv.stride(&self.column(2)).dilation(&self.column(3)).padding(&padding).groups(self.groups);
        if self.channels_last { conv.channels_last() } else { conv }
    }

    fn sizes(&self) -> reference::Sizes {
        let mut axes = [[1, 1, 1, 1, 1, 0]; 3];
        let missing = 3 - self.axes.len();
        for (to, ([input, kernel, stride, dilation, before, _], output)) in
            axes[missing..].iter_mut().zip(self.axes.iter().zip(self.output()))
        {
            *to = [*input, output, *kernel, *stride, *dilation, *before];
        }
        let [inputs, outputs] = self.channels.map(|channels| channels / self.groups);
        let Self { examples, groups, channels_last, transposed, .. } = *self;
        reference::Sizes { examples, groups, inputs, outputs, axes, channels_last, transposed }
    }
}

/// The tolerance for sums of up to 4000 products of numbers up to 8, rounded in any order.
const TOLERANCE: [f64; 2] = [2e-5, 1e-2];

fn check<T: Float>(device: &Device, problem: &Problem) -> TestResult {
    let [x_shape, weights_shape, y_shape] = problem.shapes();
    let (x, weights): (Vec<T>, Vec<T>) =
        (numbers(x_shape.iter().product(), 1), numbers(weights_shape.iter().product(), 2));
    let bias: Vec<T> = numbers(problem.channels[1], 3);
    let length = y_shape.iter().product();
    let mut y = device.buffer::<T>(length)?;
    let bias_of = device.buffer_from(&bias)?;
    let conv = problem.conv::<T>().bias(&bias_of);
    equal(conv.shape()?, y_shape.clone(), "shape")?;
    conv.run(&device.buffer_from(&x)?, &device.buffer_from(&weights)?, &mut y)?;
    let mut wanted = reference::conv(&problem.sizes(), &wide(&x), &wide(&weights), length);
    let positions: usize = problem.output().iter().product();
    let inner = if problem.channels_last { 1 } else { positions };
    for (at, wanted) in wanted.iter_mut().enumerate() {
        *wanted += bias[at / inner % bias.len()].wide();
    }
    close(&y.read()?, &wanted, TOLERANCE, &format!("{problem:?}"))
}

fn small() -> Vec<Problem> {
    vec![
        Problem::new(1, [1, 1], &[[1, 1, 1, 1, 0, 0]]),
        Problem::new(2, [3, 5], &[[17, 4, 2, 1, 2, 1]]),
        Problem::new(1, [2, 3], &[[7, 3, 1, 2, 1, 0], [6, 2, 1, 1, 0, 2]]),
        Problem::new(2, [4, 6], &[[6, 3, 1, 1, 1, 1], [7, 3, 2, 1, 1, 1]]).groups(2),
        Problem::new(3, [5, 5], &[[5, 3, 1, 1, 1, 1], [9, 3, 1, 1, 1, 1]]).groups(5),
        Problem::new(3, [5, 10], &[[5, 3, 1, 1, 1, 1], [9, 3, 1, 1, 1, 1]]).groups(5).channels_last(),
        Problem::new(1, [2, 3], &[[4, 2, 1, 1, 0, 1], [5, 3, 1, 1, 1, 0], [3, 2, 1, 1, 1, 1]]),
        Problem::new(2, [6, 7], &[[5, 2, 1, 1, 0, 0], [3, 3, 1, 1, 1, 1], [4, 1, 1, 1, 0, 0]]).channels_last(),
        // The kernel is as large as the padded input, and the strides are larger.
        Problem::new(1, [2, 2], &[[3, 5, 7, 1, 1, 1], [2, 2, 1, 1, 0, 0]]),
        Problem::new(1, [3, 4], &[[2, 3, 1, 3, 4, 1], [30, 3, 5, 1, 0, 0]]),
        // The padding is on one side only, and larger than the kernel.
        Problem::new(1, [1, 2], &[[2, 2, 1, 1, 5, 0], [2, 2, 2, 1, 0, 6]]),
    ]
}

fn shapes<T: Float>(device: &Device) -> TestResult {
    small().iter().try_for_each(|problem| check::<T>(device, problem))
}

/// Convolutions are right for numbers of channels and positions around the size of a tile.
fn wide_channels(device: &Device) -> TestResult {
    let nine = [[9, 3, 1, 1, 1, 1], [8, 3, 1, 1, 1, 1]];
    for outputs in [15, 16, 63, 64, 65, 130] {
        check::<f32>(device, &Problem::new(2, [4, outputs], &nine))?;
        check::<f16>(device, &Problem::new(1, [8, outputs], &nine).channels_last())?;
    }
    check::<bf16>(device, &Problem::new(1, [34, 66], &[[64, 1, 1, 1, 0, 0]]).groups(2))?;
    check::<f32>(device, &Problem::new(1, [34, 66], &[[65, 1, 1, 1, 0, 0]]).groups(2).channels_last())?;
    check::<f32>(device, &Problem::new(1, [3, 40], &[[20, 7, 2, 1, 3, 3], [21, 7, 2, 1, 3, 3]]))
}

fn transposed(device: &Device) -> TestResult {
    for problem in [
        Problem::new(2, [3, 4], &[[5, 3, 3, 1, 1, 2]]),
        Problem::new(1, [4, 6], &[[3, 3, 2, 1, 0, 0], [4, 2, 1, 2, 0, 1]]).groups(2),
        Problem::new(1, [6, 5], &[[5, 3, 2, 1, 1, 1], [4, 4, 2, 1, 1, 1]]).channels_last(),
        Problem::new(2, [20, 70], &[[5, 3, 1, 1, 1, 1], [9, 3, 1, 1, 1, 1]]),
        Problem::new(1, [20, 70], &[[5, 3, 2, 1, 1, 1], [9, 3, 3, 1, 1, 1]]),
        Problem::new(1, [2, 2], &[[2, 2, 2, 1, 0, 0], [3, 2, 1, 1, 0, 0], [2, 3, 2, 1, 0, 0]]),
    ] {
        let problem = problem.transposed();
        check::<f32>(device, &problem)?;
        check::<f16>(device, &problem)?;
        check::<bf16>(device, &problem)?;
    }
    let (x, weights) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer_from(&[1.0f32, 10.0])?);
    let mut y = device.buffer_from(&[7.0f32; 6])?;
    let conv = Conv::transposed([1, 1, 2], [1, 1, 2]).stride(&[3]).output_padding(&[1]);
    equal(conv.shape()?, vec![1, 1, 6], "shape")?;
    conv.run(&x, &weights, &mut y)?;
    same(&y.read()?, &[1.0, 10.0, 0.0, 2.0, 20.0, 0.0], "output padding")
}

fn check_derivatives<T: Float>(device: &Device, problem: &Problem) -> TestResult {
    let [x_shape, weights_shape, y_shape] = problem.shapes();
    let [of_x, of_weights, of_y] = [&x_shape, &weights_shape, &y_shape].map(|shape| shape.iter().product::<usize>());
    let (x, weights, dy): (Vec<T>, Vec<T>, Vec<T>) = (numbers(of_x, 1), numbers(of_weights, 2), numbers(of_y, 3));
    let (dy_of, weights_of) = (device.buffer_from(&dy)?, device.buffer_from(&weights)?);
    let mut dx = device.buffer::<T>(of_x + 1)?;
    problem.conv::<T>().backward(&dy_of, &weights_of, dx.slice_mut(1..))?;
    let wanted = reference::backward(&problem.sizes(), &wide(&dy), &wide(&weights), of_x);
    close(&dx.read()?[1..], &wanted, TOLERANCE, &format!("by x: {problem:?}"))?;
    if !problem.transposed {
        let mut dweights = device.buffer::<f32>(of_weights + 1)?;
        problem.conv::<T>().backward_weights(&device.buffer_from(&x)?, &dy_of, dweights.slice_mut(1..))?;
        let wanted = reference::backward_weights(&problem.sizes(), &wide(&x), &wide(&dy), of_weights);
        close(&dweights.read()?[1..], &wanted, TOLERANCE, &format!("by the weights: {problem:?}"))?;
    }
    Ok(())
}

fn derivatives(device: &Device) -> TestResult {
    for problem in small() {
        check_derivatives::<f32>(device, &problem)?;
        check_derivatives::<f16>(device, &problem)?;
    }
    check_derivatives::<bf16>(device, &small()[3])?;
    let wide = Problem::new(2, [20, 33], &[[9, 3, 2, 1, 1, 1], [11, 3, 1, 1, 1, 1]]);
    check_derivatives::<f32>(device, &wide)?;
    check_derivatives::<f32>(device, &wide.clone().channels_last())?;
    // The derivatives of few weights are sums over many positions, in parts.
    let long = Problem::new(2, [2, 1], &[[40, 3, 1, 1, 1, 1], [51, 2, 1, 1, 0, 0]]);
    check_derivatives::<f32>(device, &long)?;
    check_derivatives::<bf16>(device, &long.channels_last())?;
    check_derivatives::<f32>(device, &Problem::new(2, [6, 5], &[[9, 3, 2, 1, 1, 1]]).transposed())
}

/// The error function in `f64`, by its series.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

/// A function from a sum to the element of the result.
type Function = fn(f64) -> f64;

fn activations(device: &Device) -> TestResult {
    let x: Vec<f32> = (-40..=40).map(|at| at as f32 / 10.0).chain([f32::NAN]).collect();
    let (input, one) = (device.buffer_from(&x)?, device.buffer_from(&[1.0f32])?);
    let functions: [(Activation, Function); 3] = [
        (Activation::Relu, |x| if x < 0.0 { 0.0 } else { x }),
        (Activation::Gelu, |x| x * (1.0 + erf(x / std::f64::consts::SQRT_2)) / 2.0),
        (Activation::Silu, |x| x / (1.0 + (-x).exp())),
    ];
    for (activation, function) in functions {
        let mut y = device.buffer::<f32>(x.len())?;
        Conv::new([1, 1, x.len()], [1, 1, 1]).activation(activation).run(&input, &one, &mut y)?;
        let wanted: Vec<f64> = x.iter().map(|x| function(f64::from(*x))).collect();
        close(&y.read()?, &wanted, [2e-6, 1e-6], &format!("{activation:?}"))?;
        // The product has so many channels and positions that it is computed by tiles.
        let (channels, positions) = (32, x.len() - 1);
        let mut eye = vec![0.0f32; channels * channels];
        (0..channels).for_each(|at| eye[at * (channels + 1)] = 1.0);
        let wide_x: Vec<f32> = x[..positions].iter().copied().cycle().take(channels * positions).collect();
        let mut y = device.buffer::<f32>(wide_x.len())?;
        let conv = Conv::new([1, channels, positions], [channels, channels, 1]).activation(activation);
        conv.run(&device.buffer_from(&wide_x)?, &device.buffer_from(&eye)?, &mut y)?;
        let wanted: Vec<f64> = wide_x.iter().map(|x| function(f64::from(*x))).collect();
        close(&y.read()?, &wanted, [2e-6, 1e-6], &format!("{activation:?} of many channels"))?;
    }
    Ok(())
}

/// Without examples nothing is written, and sums over examples are 0.
fn without_results(device: &Device) -> TestResult {
    let (x, weights) = (device.buffer_from(&[1.0f32; 4])?, device.buffer_from(&[2.0f32; 12])?);
    let mut y = device.buffer_from(&[7.0f32; 4])?;
    conv(x.slice(..0), &weights, y.slice_mut(..0), [0, 2, 5], [2, 2, 3])?;
    Conv::new([0, 2, 5], [2, 2, 3]).backward(x.slice(..0), &weights, y.slice_mut(..0))?;
    same(&y.read()?, &[7.0; 4], "nothing has run")?;
    let mut dweights = device.buffer_from(&[7.0f32; 12])?;
    Conv::new([0, 2, 5], [2, 2, 3]).backward_weights(x.slice(..0), x.slice(..0), &mut dweights)?;
    same(&dweights.read()?, &[0.0; 12], "sums without examples")
}

/// Results are right for more workgroups than one dimension of a grid has.
fn many_results(device: &Device) -> TestResult {
    let (examples, length) = (70_001, 3);
    let x: Vec<f32> = (0..examples * length).map(|at| (at % 7) as f32).collect();
    let mut y = device.buffer::<f32>(examples * 4)?;
    let conv = Conv::new([examples, 1, length], [1, 1, 2]).padding(&[[1, 1]]);
    conv.run(&device.buffer_from(&x)?, &device.buffer_from(&[1.0f32, 10.0])?, &mut y)?;
    let y = y.read()?;
    for example in 0..examples {
        let row = &x[example * length..][..length];
        let wanted = [10.0 * row[0], row[0] + 10.0 * row[1], row[1] + 10.0 * row[2], row[2]];
        ensure(y[example * 4..][..4] == wanted, || format!("example {example}: {:?}", &y[example * 4..][..4]))?;
    }
    Ok(())
}

/// NaN and infinities of x change the results that read them, and no others.
fn not_numbers(device: &Device) -> TestResult {
    let mut x = vec![1.0f32; 32 * 81];
    (x[40], x[81 * 3], x[81 * 31 + 80]) = (f32::NAN, f32::INFINITY, f32::NEG_INFINITY);
    let weights = vec![1.0f32; 32 * 32 * 9];
    let mut y = device.buffer::<f32>(32 * 81)?;
    let conv = Conv::new([1, 32, 9, 9], [32, 32, 3, 3]).padding(&[[1, 1], [1, 1]]);
    conv.run(&device.buffer_from(&x)?, &device.buffer_from(&weights)?, &mut y)?;
    let y = y.read()?;
    for (at, y) in y.iter().enumerate() {
        let (row, column) = (at % 81 / 9, at % 9);
        let near = |r: usize, c: usize| row.abs_diff(r) <= 1 && column.abs_diff(c) <= 1;
        let right = if near(4, 4) {
            y.is_nan()
        } else if near(0, 0) {
            *y == f32::INFINITY
        } else if near(8, 8) {
            *y == f32::NEG_INFINITY
        } else {
            y.is_finite()
        };
        ensure(right, || format!("element {at}: {y}"))?;
    }
    Ok(())
}

fn in_slices<T: Float>(device: &Device) -> TestResult {
    let all: Vec<T> = numbers(4000, 5);
    let source = device.buffer_from(&all)?;
    for (problem, [from, of_weights, to]) in [
        (Problem::new(1, [2, 3], &[[7, 3, 1, 1, 1, 1], [5, 3, 1, 1, 1, 1]]), [1, 3, 5]),
        (Problem::new(1, [4, 32], &[[9, 3, 1, 1, 0, 0], [11, 3, 1, 1, 0, 0]]), [65, 130, 7]),
        (Problem::new(1, [4, 32], &[[9, 3, 1, 1, 0, 0], [11, 3, 1, 1, 0, 0]]).channels_last(), [64, 1, 9]),
    ] {
        let [x_shape, weights_shape, y_shape] = problem.shapes();
        let [x, weights, y] = [x_shape, weights_shape, y_shape].map(|shape| shape.iter().product::<usize>());
        let mut target = device.buffer_from(&vec![T::of(9.0); to + y + 4])?;
        let (x, weights) = (from..from + x, 1000 + of_weights..1000 + of_weights + weights);
        let results = target.slice_mut(to..to + y);
        problem.conv::<T>().run(source.slice(x.clone()), source.slice(weights.clone()), results)?;
        let wanted = reference::conv(&problem.sizes(), &wide(&all[x]), &wide(&all[weights]), y);
        let target = target.read()?;
        close(&target[to..to + y], &wanted, TOLERANCE, &format!("{problem:?}"))?;
        let around = target[..to].iter().chain(&target[to + y..]).all(|other| other.wide() == 9.0);
        ensure(around, || format!("{problem:?}: elements around have changed"))?;
    }
    Ok(())
}

fn slices(device: &Device) -> TestResult {
    in_slices::<f32>(device)?;
    in_slices::<f16>(device)?;
    in_slices::<bf16>(device)
}

fn same_bits(device: &Device) -> TestResult {
    let problem = Problem::new(2, [30, 40], &[[20, 3, 1, 1, 1, 1], [19, 3, 1, 1, 1, 1]]);
    let [x_shape, weights_shape, y_shape] = problem.shapes();
    let [x, weights, y] = [x_shape, weights_shape, y_shape].map(|shape| shape.iter().product::<usize>());
    let (x, dy) = (device.buffer_from(&numbers::<f32>(x, 1))?, device.buffer_from(&numbers::<f32>(y, 2))?);
    let kernel = device.buffer_from(&numbers::<f32>(weights, 3))?;
    let call = || -> TestResult<[Vec<f32>; 2]> {
        let (mut y, mut dweights) = (device.buffer::<f32>(y)?, device.buffer::<f32>(weights)?);
        problem.conv().run(&x, &kernel, &mut y)?;
        problem.conv::<f32>().backward_weights(&x, &dy, &mut dweights)?;
        Ok([y.read()?.to_vec(), dweights.read()?.to_vec()])
    };
    let [y, dweights] = call()?;
    for _ in 0..3 {
        let again = call()?;
        same(&again[0], &y, "results")?;
        same(&again[1], &dweights, "derivatives")?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let (mut x, weights) = (device.buffer_from(&[1.0f32, 2.0, 3.0])?, device.buffer_from(&[1.0f32, 10.0])?);
    let (mut y, mut dx, mut dweights) = (device.buffer::<f32>(2)?, device.buffer::<f32>(3)?, device.buffer::<f32>(2)?);
    let plain = || Conv::<f32>::new([1, 1, 3], [1, 1, 2]);
    let mut recording = device.recording();
    plain().record(&mut recording).run(&x, &weights, &mut y)?;
    let square = || Conv::<f32>::new([1, 1, 3, 3], [1, 1, 3, 3]).winograd();
    let (nine, mut one) = (device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])?, device.buffer(1)?);
    square().record(&mut recording).run(&nine, &nine, &mut one)?;
    plain().record(&mut recording).backward(&y, &weights, &mut dx)?;
    plain().record(&mut recording).backward_weights(&x, &y, &mut dweights)?;
    same(&y.read()?, &[0.0; 2], "before it was submitted")?;
    recording.submit()?;
    same(&y.read()?, &[21.0, 32.0], "submitted")?;
    same(&one.read()?, &[285.0], "by Winograd's filtering")?;
    same(&dx.read()?, &[21.0, 242.0, 320.0], "by x")?;
    same(&dweights.read()?, &[85.0, 138.0], "by the weights")?;
    x.write()?.copy_from_slice(&[0.0, 0.0, 1.0]);
    recording.submit()?;
    same(&y.read()?, &[0.0, 10.0], "submitted again")?;
    let (first, second) = (device.stream(), device.stream());
    let mut z = device.buffer::<f32>(2)?;
    plain().on(&first).run(&x, &weights, &mut y)?;
    plain().on(&second).run(&x, &weights, &mut z)?;
    square().on(&second).run(&nine, &nine, &mut one)?;
    same(&y.read()?, &z.read()?, "on two streams")
}

fn refusals(device: &Device) -> TestResult {
    let (x, weights) = (device.buffer_from(&[1.0f32; 50])?, device.buffer_from(&[1.0f32; 36])?);
    let mut y = device.buffer_from(&[7.0f32; 18])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let plain = || Conv::<f32>::new([1, 2, 5, 5], [2, 2, 3, 3]);
    let mut choice = |conv: Conv<'_, f32>, texts: &[&str]| refused(conv.run(&x, &weights, &mut y), is_choice, texts);
    let shapes = |x: &[usize], weights: &[usize]| Conv::<f32>::new(x, weights);
    choice(plain().groups(3), &["a number of groups of 3", "[1, 2, 5, 5]", "[2, 2, 3, 3]"])?;
    choice(plain().groups(0), &["a number of groups of 0", "divisor"])?;
    choice(plain().groups(2), &["weights of shape [2, 2, 3, 3]", "x of shape [1, 2, 5, 5] has 2 channels", "read 4"])?;
    choice(shapes(&[1, 3, 5, 5], &[2, 2, 3, 3]), &["weights of shape [2, 2, 3, 3]", "[1, 3, 5, 5] has 3 channels"])?;
    choice(shapes(&[1, 2, 5, 5], &[2, 2, 6, 3]), &["a kernel that spans [6, 3]", "[1, 2, 5, 5]", "[5, 5] positions"])?;
    choice(plain().dilation(&[2, 3]), &["a kernel that spans [5, 7]"])?;
    choice(plain().stride(&[1, 0]), &["a list of strides of [1, 0]", "numbers from 1", "[5, 5]"])?;
    choice(plain().dilation(&[0, 1]), &["a list of dilations of [0, 1]"])?;
    choice(plain().stride(&[1]), &["a list of strides of [1]", "each axis of the [5, 5]"])?;
    choice(plain().padding(&[[1, 1]]), &["a padding of [[1, 1]]"])?;
    choice(plain().padding(&[[1 << 30, 1], [0, 0]]), &["a padding of [[1073741824, 1], [0, 0]]"])?;
    choice(plain().output_padding(&[1, 1]), &["an output padding of [1, 1]", "transposed"])?;
    choice(shapes(&[1, 2, 5, 5], &[2, 2, 3]), &["weights of shape [2, 2, 3]", "[1, 2, 5, 5]"])?;
    choice(shapes(&[2, 5], &[2, 5]), &["weights of shape [2, 5]"])?;
    choice(shapes(&[1, 2, 0, 5], &[2, 2, 1, 1]), &["x of shape [1, 2, 0, 5]"])?;
    choice(shapes(&[1, 2, 5, 5], &[2, 2, 0, 1]), &["a kernel of [0, 1]"])?;
    choice(Conv::transposed([1, 2, 5, 5], [2, 2, 3, 3]).output_padding(&[1, 0]), &["an output padding of [1, 0]"])?;
    choice(
        Conv::transposed([1, 2, 1, 1], [2, 2, 3, 3]).padding(&[[2, 1], [0, 0]]),
        &["a padding of [[2, 1], [0, 0]]", "[1, 2, 1, 1]", "[2, 2, 3, 3]"],
    )?;
    let winograd = |x: &[usize], weights: &[usize]| shapes(x, weights).winograd();
    choice(winograd(&[1, 2, 5, 5], &[2, 2, 3, 2]), &["a kernel of [3, 2]", "`winograd`", "3 x 3", "leave it out"])?;
    choice(winograd(&[1, 2, 25], &[2, 2, 3]), &["a kernel of [3]"])?;
    choice(winograd(&[1, 2, 1, 5, 5], &[2, 2, 1, 3, 3]), &["a kernel of [1, 3, 3]"])?;
    choice(plain().winograd().stride(&[1, 2]), &["a stride of [1, 2]", "`winograd`"])?;
    choice(plain().winograd().dilation(&[2, 1]), &["a dilation of [2, 1]"])?;
    choice(Conv::transposed([1, 2, 5, 5], [2, 2, 3, 3]).winograd(), &["a convolution that is transposed"])?;
    let halves = Conv::<f16>::new([1, 2, 5, 5], [2, 2, 3, 3]).winograd();
    refused(halves.cost(device), is_choice, &["elements of 2 bytes", "f32"])?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let length = "convolution: 'x' has 49 elements, but the shape [1, 2, 5, 5] needs 50";
    refused(plain().run(x.slice(1..), &weights, &mut y), is_length, &[length])?;
    refused(plain().run(&x, weights.slice(1..), &mut y), is_length, &["'weights' has 35 elements"])?;
    refused(plain().run(&x, &weights, y.slice_mut(1..)), is_length, &["'y' has 17 elements", "[1, 2, 3, 3] needs 18"])?;
    refused(plain().bias(x.slice(..3)).run(&x, &weights, &mut y), is_length, &["'bias' has 3 elements", "needs 2"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(shapes(&[1 << 20, 1, 1 << 12], &[1, 1, 1]).cost(device), is_large, &["convolution: x", "1048576"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(plain().run(&other.buffer::<f32>(50)?, &weights, &mut y), is_foreign, &["convolution", "'x'"])?;
    refused(plain().on(&other.stream()).run(&x, &weights, &mut y), is_foreign, &["convolution", "the stream"])?;
    let is_in_use = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    let guard = weights.read()?;
    refused(plain().run(&x, &weights, &mut y), is_in_use, &["convolution: 'weights' is in use"])?;
    refused(plain().winograd().run(&x, &weights, &mut y), is_in_use, &["convolution: 'weights' is in use"])?;
    drop(guard);
    same(&y.read()?, &[7.0; 18], "nothing has run")
}

fn refusals_of_derivatives(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 3])?;
    let mut dx = device.buffer_from(&[7.0f32; 3])?;
    let plain = || Conv::<f32>::new([1, 1, 3], [1, 1, 2]);
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let (dy, weights) = (x.slice(..2), x.slice(..2));
    refused(plain().bias(x.slice(..1)).backward(dy, weights, &mut dx), is_choice, &["derivatives with a bias"])?;
    let relu = plain().activation(Activation::Relu);
    refused(relu.backward_weights(&x, dy, dx.slice_mut(..2)), is_choice, &["derivatives with an activation"])?;
    let winograd = plain().winograd().backward(dy, weights, &mut dx);
    refused(winograd, is_choice, &["derivatives with `winograd`", "omit it"])?;
    refused(plain().backward(&x, weights, &mut dx), is_length, &["'dy' has 3 elements", "[1, 1, 2] needs 2"])?;
    refused(plain().backward(dy, weights, dx.slice_mut(1..)), is_length, &["'dx' has 2 elements"])?;
    refused(plain().backward_weights(&x, dy, &mut dx), is_length, &["'dweights' has 3 elements"])?;
    let transposed = Conv::<f32>::transposed([1, 1, 3], [1, 1, 2]);
    refused(transposed.backward_weights(&x, &x, dx.slice_mut(..2)), is_choice, &["a transposed convolution"])?;
    same(&dx.read()?, &[7.0; 3], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for problem in &small()[1..7] {
        check::<f32>(&device, problem)?;
        check::<f16>(&device, problem)?;
        check_derivatives::<f32>(&device, problem)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{problem:?}:\n{findings}"))?;
    }
    Ok(())
}
