//! Filters of images.

use anywarp::Device;
use anywarp::ops::{Border, ImageFilter, OperationError, convolve, correlate, gaussian_filter, median_filter, sobel};

use crate::Unnamed;
use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::rows::{close, numbers, wide};

#[path = "../../../src/ops/image_filter/reference.rs"]
mod reference;

use reference::Outside;

pub(super) fn cases() -> Vec<Unnamed> {
    vec![
        ("image_filter::correlate", correlated),
        ("image_filter::convolve", convolved),
        ("image_filter::separable", separable),
        ("image_filter::gaussian", gaussian),
        ("image_filter::sobel", derivatives),
        ("image_filter::median", medians),
        ("image_filter::scipy", scipy),
        ("image_filter::large", large),
        ("image_filter::not_numbers", not_numbers),
        ("image_filter::slices", slices),
        ("image_filter::recorded", recorded),
        ("image_filter::refusals", refusals),
    ]
}

const BORDERS: [(Border, Outside); 5] = [
    (Border::Reflect, Outside::Reflect),
    (Border::Mirror, Outside::Mirror),
    (Border::Nearest, Outside::Nearest),
    (Border::Wrap, Outside::Wrap),
    (Border::Constant(2.5), Outside::Constant(2.5)),
];

const SHAPES: [[usize; 3]; 8] =
    [[1, 1, 1], [2, 1, 5], [1, 5, 1], [3, 2, 3], [1, 4, 64], [2, 9, 65], [1, 17, 130], [1, 33, 7]];

/// The tolerance for sums of up to 49 products of numbers up to 8.
const TOLERANCE: [f64; 2] = [1e-5, 1e-3];

type Compute = fn(&[f64], [usize; 2], &[f64], [usize; 2], Outside) -> Vec<f64>;

/// Compares a filter by a kernel with the reference, for all borders and shapes.
fn check_kernels(
    device: &Device,
    filter: fn([usize; 3], &[f32], [usize; 2]) -> ImageFilter<'static>,
    wanted: Compute,
) -> TestResult {
    for sizes in [[1, 1], [3, 3], [2, 2], [1, 4], [5, 1], [7, 7], [4, 3]] {
        let kernel: Vec<f32> = numbers(sizes[0] * sizes[1], 2);
        for shape @ [images, height, width] in SHAPES {
            let x: Vec<f32> = numbers(images * height * width, 1);
            let (input, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(x.len())?);
            for (border, outside) in BORDERS {
                filter(shape, &kernel, sizes).border(border).run(&input, &mut y)?;
                let wanted = wanted(&wide(&x), [height, width], &wide(&kernel), sizes, outside);
                close(&y.read()?, &wanted, TOLERANCE, &format!("{shape:?} by {sizes:?}, {border:?}"))?;
            }
        }
    }
    Ok(())
}

fn correlated(device: &Device) -> TestResult {
    check_kernels(device, ImageFilter::correlate, reference::correlate)
}

fn convolved(device: &Device) -> TestResult {
    check_kernels(device, ImageFilter::convolve, reference::convolve)
}

fn separable(device: &Device) -> TestResult {
    let (down, along): (Vec<f32>, Vec<f32>) = (numbers(5, 2), numbers(4, 3));
    for shape @ [images, height, width] in SHAPES {
        let x: Vec<f32> = numbers(images * height * width, 1);
        let (input, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(x.len())?);
        for (border, outside) in BORDERS {
            ImageFilter::separable(shape, &down, &along).border(border).run(&input, &mut y)?;
            let between = reference::correlate(&wide(&x), [height, width], &wide(&down), [5, 1], outside);
            let wanted = reference::correlate(&between, [height, width], &wide(&along), [1, 4], outside);
            close(&y.read()?, &wanted, [1e-5, 2e-2], &format!("{shape:?}, {border:?}"))?;
        }
    }
    Ok(())
}

fn gaussian(device: &Device) -> TestResult {
    let x: Vec<f32> = numbers(40 * 33, 1);
    let (input, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(x.len())?);
    for deviations in [[0.5, 0.5], [1.0, 3.0], [0.0, 2.0], [12.5, 0.3]] {
        let weights = |deviation: f64| -> Vec<f64> {
            let radius = (4.0 * deviation + 0.5) as i32;
            let of = |at: i32| (-f64::from(at * at) / (2.0 * deviation * deviation).max(1e-300)).exp();
            let all: Vec<f64> = (-radius..=radius).map(of).collect();
            let sum: f64 = all.iter().sum();
            all.into_iter().map(|weight| weight / sum).collect()
        };
        for (border, outside) in BORDERS {
            ImageFilter::gaussian([40, 33], deviations).border(border).run(&input, &mut y)?;
            let [down, along] = deviations.map(weights);
            let between = reference::correlate(&wide(&x), [40, 33], &down, [down.len(), 1], outside);
            let wanted = reference::correlate(&between, [40, 33], &along, [1, along.len()], outside);
            close(&y.read()?, &wanted, [1e-5, 1e-5], &format!("{deviations:?}, {border:?}"))?;
        }
    }
    Ok(())
}

fn derivatives(device: &Device) -> TestResult {
    let x: Vec<f32> = numbers(2 * 9 * 33, 1);
    let (input, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(x.len())?);
    for (axis, down, along) in [(0, [-1.0, 0.0, 1.0], [1.0, 2.0, 1.0]), (1, [1.0, 2.0, 1.0], [-1.0, 0.0, 1.0])] {
        sobel(&input, &mut y, [2, 9, 33], axis)?;
        let between = reference::correlate(&wide(&x), [9, 33], &down, [3, 1], Outside::Reflect);
        let wanted = reference::correlate(&between, [9, 33], &along, [1, 3], Outside::Reflect);
        close(&y.read()?, &wanted, TOLERANCE, &format!("axis {axis}"))?;
    }
    Ok(())
}

fn medians(device: &Device) -> TestResult {
    for shape @ [images, height, width] in SHAPES {
        let mut x: Vec<f32> = numbers(images * height * width, 1);
        x[0] = f32::INFINITY;
        let (input, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(x.len())?);
        for (border, outside) in BORDERS {
            ImageFilter::median(shape).border(border).run(&input, &mut y)?;
            let wanted = reference::median(&wide(&x), [height, width], outside);
            close(&y.read()?, &wanted, [0.0, 0.0], &format!("{shape:?}, {border:?}"))?;
        }
    }
    Ok(())
}

/// The results are those of the examples in `SciPy`'s documentation.
fn scipy(device: &Device) -> TestResult {
    let x: Vec<f32> = vec![1.0, 2.0, 0.0, 0.0, 5.0, 3.0, 0.0, 4.0, 0.0, 0.0, 0.0, 7.0, 9.0, 3.0, 0.0, 0.0];
    let input = device.buffer_from(&x)?;
    let mut y = device.buffer::<f32>(16)?;
    let kernel = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0];
    // scipy.ndimage.convolve(a, k, mode='constant', cval=0.0)
    ImageFilter::convolve([4, 4], &kernel, [3, 3]).border(Border::Constant(0.0)).run(&input, &mut y)?;
    let wanted = [11.0, 10.0, 7.0, 4.0, 10.0, 3.0, 11.0, 11.0, 15.0, 12.0, 14.0, 7.0, 12.0, 3.0, 7.0, 0.0];
    same(&y.read()?, &wanted, "convolve")?;
    let row = device.buffer_from(&[2.0f32, 8.0, 0.0, 4.0, 1.0, 9.0, 9.0, 0.0])?;
    let mut y = device.buffer::<f32>(8)?;
    // scipy.ndimage.correlate1d([2, 8, 0, 4, 1, 9, 9, 0], weights=[1, 3])
    correlate(&row, &mut y, [1, 8], &[1.0, 3.0], [1, 2])?;
    same(&y.read()?, &[8.0, 26.0, 8.0, 12.0, 7.0, 28.0, 36.0, 9.0], "correlate1d")?;
    // scipy.ndimage.convolve1d([2, 8, 0, 4, 1, 9, 9, 0], weights=[1, 3])
    convolve(&row, &mut y, [1, 8], &[1.0, 3.0], [1, 2])?;
    same(&y.read()?, &[14.0, 24.0, 4.0, 13.0, 12.0, 36.0, 27.0, 0.0], "convolve1d")?;
    // scipy.ndimage.gaussian_filter1d([1.0, 2.0, 3.0, 4.0, 5.0], 1)
    let row = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0, 5.0])?;
    let mut y = device.buffer::<f32>(5)?;
    ImageFilter::gaussian([1, 5], [0.0, 1.0]).run(&row, &mut y)?;
    close(&y.read()?, &[1.427_040_95, 2.067_822_03, 3.0, 3.932_177_97, 4.572_959_05], [0.0, 1e-6], "gaussian_filter1d")
}

/// Results are right for more workgroups than one dimension of a grid has, and for rows longer than a workgroup.
fn large(device: &Device) -> TestResult {
    for [images, height, width] in [[70_001, 2, 2], [1, 70_001, 3], [1, 3, 70_001]] {
        let x: Vec<f32> = (0..images * height * width).map(|at| (at % 13) as f32).collect();
        let (input, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(x.len())?);
        correlate(&input, &mut y, [images, height, width], &[1.0, 0.0, 0.0, 1.0], [2, 2])?;
        let y = y.read()?;
        for (at, y) in y.iter().enumerate() {
            let (row, column) = (at / width % height, at % width);
            let before = at - if row > 0 { width } else { 0 } - if column > 0 { 1 } else { 0 };
            ensure(*y == x[at] + x[before], || format!("{images} x {height} x {width}: element {at}"))?;
        }
    }
    Ok(())
}

/// NaN changes the results whose kernel reads it, and no others.
fn not_numbers(device: &Device) -> TestResult {
    let (height, width) = (13, 11);
    let mut x = vec![1.0f32; height * width];
    x[6 * width + 5] = f32::NAN;
    let (input, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(x.len())?);
    correlate(&input, &mut y, [height, width], &[1.0; 9], [3, 3])?;
    for (at, y) in y.read()?.iter().enumerate() {
        let near = (at / width).abs_diff(6) <= 1 && (at % width).abs_diff(5) <= 1;
        ensure(y.is_nan() == near, || format!("element {at}: {y}"))?;
    }
    Ok(())
}

fn slices(device: &Device) -> TestResult {
    let all: Vec<f32> = numbers(200, 3);
    let source = device.buffer_from(&all)?;
    for (begin, to) in [(1, 3), (65, 0), (100, 7)] {
        let mut target = device.buffer_from(&[9.0f32; 60])?;
        let x = source.slice(begin..begin + 35);
        let mut y = target.slice_mut(to..to + 35);
        gaussian_filter(x, y.slice_mut(..), [5, 7], 0.5)?;
        sobel(x, y.slice_mut(..), [5, 7], 0)?;
        median_filter(x, y.slice_mut(..), [5, 7])?;
        let wanted = reference::median(&wide(&all[begin..begin + 35]), [5, 7], Outside::Reflect);
        let target = target.read()?;
        close(&target[to..to + 35], &wanted, [0.0, 0.0], &format!("from {begin} to {to}"))?;
        let around = target[..to].iter().chain(&target[to + 35..]).all(|other| *other == 9.0);
        ensure(around, || format!("from {begin} to {to}: elements around have changed"))?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[1.0f32, 2.0, 4.0])?;
    let (mut y, mut z) = (device.buffer::<f32>(3)?, device.buffer::<f32>(3)?);
    let plain = || ImageFilter::separable([1, 3], &[2.0], &[-1.0, 0.0, 1.0]);
    let mut recording = device.recording();
    plain().record(&mut recording).run(&x, &mut y)?;
    same(&y.read()?, &[0.0; 3], "before it was submitted")?;
    recording.submit()?;
    same(&y.read()?, &[2.0, 6.0, 4.0], "submitted")?;
    x.copy_from_slice(&[0.0, 0.0, 1.0])?;
    recording.submit()?;
    same(&y.read()?, &[0.0, 2.0, 2.0], "submitted again")?;
    let (first, second) = (device.stream(), device.stream());
    plain().on(&first).run(&x, &mut y)?;
    plain().on(&second).run(&x, &mut z)?;
    same(&y.read()?, &z.read()?, "on two streams")
}

fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 20])?;
    let mut y = device.buffer_from(&[7.0f32; 20])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let mut choice = |filter: ImageFilter<'_>, texts: &[&str]| refused(filter.run(&x, &mut y), is_choice, texts);
    choice(ImageFilter::sobel([20], 0), &["image filter: a shape of [20]", "the last two axes"])?;
    choice(ImageFilter::sobel([4, 5], 2), &["an axis of 2"])?;
    choice(ImageFilter::correlate([4, 5], &[], [0, 3]), &["a kernel of [0, 3]", "1 to 256 weights"])?;
    choice(ImageFilter::correlate([4, 5], &[1.0; 289], [17, 17]), &["a kernel of [17, 17]"])?;
    choice(ImageFilter::separable([4, 5], &[1.0], &[]), &["a kernel of [0]"])?;
    choice(ImageFilter::gaussian([4, 5], [1.0, -1.0]), &["standard deviations of [1.0, -1.0]"])?;
    choice(ImageFilter::gaussian([4, 5], [40.0, 1.0]), &["standard deviations of [40.0, 1.0]", "256"])?;
    let kernel = correlate(&x, &mut y, [4, 5], &[1.0; 8], [3, 3]);
    refused(kernel, is_length, &["image filter: 'kernel' has 8 elements, but the shape [3, 3] needs 9"])?;
    refused(sobel(x.slice(1..), &mut y, [4, 5], 0), is_length, &["'x' has 19 elements", "[4, 5] needs 20"])?;
    refused(median_filter(&x, y.slice_mut(1..), [4, 5]), is_length, &["'y' has 19 elements", "[4, 5] needs 20"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(ImageFilter::sobel([1 << 20, 1 << 20], 0).cost(), is_large, &["image filter: x", "1048576"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(sobel(&other.buffer::<f32>(20)?, &mut y, [4, 5], 0), is_foreign, &["image filter", "'x'"])?;
    let is_in_use = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    let guard = x.read()?;
    refused(sobel(&x, &mut y, [4, 5], 0), is_in_use, &["image filter: 'x' is in use"])?;
    drop(guard);
    same(&y.read()?, &[7.0; 20], "nothing has run")?;
    sobel(x.slice(..0), y.slice_mut(..0), [0, 5], 0)?;
    same(&y.read()?, &[7.0; 20], "no rows")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    let x: Vec<f32> = numbers(9 * 65, 1);
    let (input, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(x.len())?);
    for (border, outside) in BORDERS {
        ImageFilter::correlate([9, 65], &[1.0; 12], [3, 4]).border(border).run(&input, &mut y)?;
        let wanted = reference::correlate(&wide(&x), [9, 65], &[1.0; 12], [3, 4], outside);
        close(&y.read()?, &wanted, TOLERANCE, &format!("{border:?}"))?;
        ImageFilter::gaussian([9, 65], [1.0, 2.0]).border(border).run(&input, &mut y)?;
        ImageFilter::median([9, 65]).border(border).run(&input, &mut y)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{border:?}:\n{findings}"))?;
    }
    Ok(())
}
