//! Convolutions, pooling, filters and resizes of inputs whose results are known.

use anywarp::Device;
use anywarp::ops::{Activation, Columns, Conv, ImageFilter, Pool, Resize};
use half::f16;

use super::holds;
use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, ensure};

pub(crate) const CASES: &[Case] = cases![
    conv_of_a_plane,
    conv_of_many_channels,
    conv_of_halves,
    transposed_conv,
    derivatives_of_conv,
    pools_of_a_row,
    filters_of_an_image,
    resizes_of_a_row,
    columns_of_a_row,
];

async fn conv_of_a_plane(device: &Device) -> TestResult {
    let x: Vec<f32> = (0..35).map(|at| at as f32).collect();
    let mut y = device.buffer::<f32>(35)?;
    let conv = Conv::new([1, 1, 5, 7], [1, 1, 3, 3]).padding(&[[1, 1], [1, 1]]).activation(Activation::Relu);
    let mut weights = [0.0f32; 9];
    (weights[0], weights[8]) = (1.0, -1.0);
    conv.run(&device.buffer_from(&x)?, &device.buffer_from(&weights)?, &mut y)?;
    let wanted: Vec<f32> = (0..35)
        .map(|at| {
            let before = if at >= 7 && at % 7 > 0 { x[at - 8] } else { 0.0 };
            let behind = if at < 28 && at % 7 < 6 { x[at + 8] } else { 0.0 };
            (before - behind).max(0.0)
        })
        .collect();
    holds(&y, &wanted, "3x3").await
}

/// A convolution is right when its channels, positions and depth are around the size of a tile. The sums of small
/// integers are exact.
async fn conv_of_many_channels(device: &Device) -> TestResult {
    let (inputs, outputs, positions) = (20, 66, 67);
    let x: Vec<f32> = (0..inputs * positions).map(|at| (at % 7) as f32 - 3.0).collect();
    let weights: Vec<f32> = (0..outputs * inputs).map(|at| (at % 5) as f32 - 2.0).collect();
    let (input, kernel) = (device.buffer_from(&x)?, device.buffer_from(&weights)?);
    let mut y = device.buffer::<f32>(outputs * positions)?;
    Conv::new([1, inputs, positions], [outputs, inputs, 1]).run(&input, &kernel, &mut y)?;
    let sum = |output: usize, position: usize, last: bool| -> f32 {
        let element = |input: usize| if last { x[position * inputs + input] } else { x[input * positions + position] };
        (0..inputs).map(|input| weights[output * inputs + input] * element(input)).sum()
    };
    let wanted: Vec<f32> = (0..outputs * positions).map(|at| sum(at / positions, at % positions, false)).collect();
    holds(&y, &wanted, "channels first").await?;
    let conv = Conv::new([1, positions, inputs], [outputs, 1, inputs]).channels_last();
    conv.run(&input, &kernel, &mut y)?;
    let wanted: Vec<f32> = (0..outputs * positions).map(|at| sum(at % outputs, at / outputs, true)).collect();
    holds(&y, &wanted, "channels last").await
}

async fn conv_of_halves(device: &Device) -> TestResult {
    let x: Vec<f16> = (0..2 * 9).map(|at| f16::from_f32(at as f32)).collect();
    let weights = [f16::ONE, f16::from_f32(-1.0)];
    let mut y = device.buffer::<f16>(2 * 8)?;
    let conv = Conv::new([1, 2, 9], [2, 1, 2]).groups(2);
    conv.run(&device.buffer_from(&x)?, &device.buffer_from(&[weights, weights].concat())?, &mut y)?;
    holds(&y, &[f16::from_f32(-1.0); 16], "differences").await
}

async fn transposed_conv(device: &Device) -> TestResult {
    let (x, weights) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer_from(&[1.0f32, 10.0, 100.0])?);
    let mut y = device.buffer::<f32>(5)?;
    Conv::transposed([1, 1, 2], [1, 1, 3]).stride(&[2]).run(&x, &weights, &mut y)?;
    holds(&y, &[1.0, 10.0, 102.0, 20.0, 200.0], "transposed").await
}

async fn derivatives_of_conv(device: &Device) -> TestResult {
    let length = 1000;
    let dy = device.buffer_from(&vec![1.0f32; length - 2])?;
    let weights = device.buffer_from(&[1.0f32, 10.0, 100.0])?;
    let x = device.buffer_from(&(0..length).map(|at| (at % 2) as f32).collect::<Vec<_>>())?;
    let (mut dx, mut dweights) = (device.buffer::<f32>(length)?, device.buffer::<f32>(3)?);
    let plain = || Conv::<f32>::new([1, 1, length], [1, 1, 3]);
    plain().backward(&dy, &weights, &mut dx)?;
    let mut wanted = vec![111.0; length];
    (wanted[0], wanted[1], wanted[length - 2], wanted[length - 1]) = (1.0, 11.0, 110.0, 100.0);
    holds(&dx, &wanted, "by x").await?;
    plain().backward_weights(&x, &dy, &mut dweights)?;
    holds(&dweights, &[499.0; 3], "by the weights").await
}

async fn pools_of_a_row(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32, 5.0, f32::NAN, 3.0, 0.0, 4.0])?;
    let (mut y, mut indices) = (device.buffer::<f32>(3)?, device.buffer::<u32>(3)?);
    Pool::max([1, 1, 6], &[2]).stride(&[2]).indices(&mut indices).run(&x, &mut y)?;
    holds(&indices, &[1, 2, 5], "indices").await?;
    let greatest = y.read_here().await?.to_vec();
    let right = greatest[0] == 5.0 && greatest[1].is_nan() && greatest[2] == 4.0;
    ensure(right, || format!("the greatest: {greatest:?}"))?;
    Pool::average([1, 1, 6], &[2]).stride(&[4]).run(&x, y.slice_mut(..2))?;
    holds(&y, &[3.0, 2.0], "means").await
}

async fn filters_of_an_image(device: &Device) -> TestResult {
    let x = device.buffer_from(&(0..9 * 70).map(|at| (at % 70) as f32).collect::<Vec<_>>())?;
    let mut y = device.buffer::<f32>(9 * 70)?;
    ImageFilter::sobel([9, 70], 1).run(&x, &mut y)?;
    let wanted: Vec<f32> = (0..9 * 70).map(|at| if at % 70 == 0 || at % 70 == 69 { 4.0 } else { 8.0 }).collect();
    holds(&y, &wanted, "derivatives along rows").await?;
    ImageFilter::median([9, 70]).run(&x, &mut y)?;
    let wanted: Vec<f32> = (0..9 * 70).map(|at| (at % 70) as f32).collect();
    holds(&y, &wanted, "medians").await
}

async fn resizes_of_a_row(device: &Device) -> TestResult {
    let (x, mut y) = (device.buffer_from(&[0.0f32, 4.0])?, device.buffer::<f32>(4)?);
    Resize::linear([2], [4]).run(&x, &mut y)?;
    holds(&y, &[0.0, 1.0, 3.0, 4.0], "linear").await?;
    Resize::nearest([2], [4]).run(&x, &mut y)?;
    holds(&y, &[0.0, 0.0, 4.0, 4.0], "nearest").await
}

async fn columns_of_a_row(device: &Device) -> TestResult {
    let (x, mut y) = (device.buffer_from(&[1.0f32, 2.0, 3.0])?, device.buffer::<f32>(4)?);
    Columns::new([1, 1, 3], &[2]).run(&x, &mut y)?;
    holds(&y, &[1.0, 2.0, 2.0, 3.0], "columns").await?;
    let mut z = device.buffer::<f32>(3)?;
    Columns::new([1, 1, 3], &[2]).sum(&y, &mut z)?;
    holds(&z, &[1.0, 4.0, 3.0], "sums").await
}
