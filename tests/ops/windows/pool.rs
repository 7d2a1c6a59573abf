//! Pooling.

use anywarp::Device;
use anywarp::ops::{FloatElement, OperationError, Pool, average_pool, max_pool};
use half::{bf16, f16};

use crate::Unnamed;
use crate::outcome::{TestResult, ensure, equal, refused, same, skip};
use crate::rows::{Float, close, numbers, wide};

#[path = "../../../src/ops/pool/reference.rs"]
mod reference;

pub(super) fn cases() -> Vec<Unnamed> {
    vec![
        ("pool::f32", shapes::<f32>),
        ("pool::f16", shapes::<f16>),
        ("pool::bf16", shapes::<bf16>),
        ("pool::plain", plain),
        ("pool::adaptive", adaptive),
        ("pool::not_numbers", not_numbers),
        ("pool::without_results", without_results),
        ("pool::many_results", many_results),
        ("pool::slices", slices),
        ("pool::recorded", recorded),
        ("pool::refusals", refusals),
    ]
}

/// The parameters of a pooling: each axis has `[input, kernel, stride, dilation, padding before, padding after]`.
#[derive(Clone, Debug)]
struct Problem {
    examples: usize,
    channels: usize,
    axes: Vec<[usize; 6]>,
    channels_last: bool,
    ceil: bool,
    counts_padding: bool,
}

impl Problem {
    fn new(examples: usize, channels: usize, axes: &[[usize; 6]]) -> Self {
        let (channels_last, ceil, counts_padding) = (false, false, false);
        Self { examples, channels, axes: axes.to_vec(), channels_last, ceil, counts_padding }
    }

    fn output(&self) -> Vec<usize> {
        let of_axis = |[input, kernel, stride, dilation, before, after]: &[usize; 6]| {
            let rest = input + before + after - (kernel - 1) * dilation - 1;
            let count = if self.ceil { rest.div_ceil(*stride) } else { rest / stride } + 1;
            if self.ceil && (count - 1) * stride >= input + before { count - 1 } else { count }
        };
        self.axes.iter().map(of_axis).collect()
    }

    fn shaped(&self, sizes: &[usize]) -> Vec<usize> {
        if self.channels_last {
            [&[self.examples], sizes, &[self.channels]].concat()
        } else {
            [&[self.examples, self.channels], sizes].concat()
        }
    }

    fn column(&self, column: usize) -> Vec<usize> {
        self.axes.iter().map(|axis| axis[column]).collect()
    }

    fn pool<'r, T: FloatElement>(&self, pool: impl Fn(Vec<usize>, &[usize]) -> Pool<'r, T>) -> Pool<'r, T> {
        let padding: Vec<[usize; 2]> = self.axes.iter().map(|axis| [axis[4], axis[5]]).collect();
        let pool = pool(self.shaped(&self.column(0)), &self.column(1));
        let mut pool = pool.stride(&self.column(2)).dilation(&self.column(3)).padding(&padding);
        if self.ceil {
            pool = pool.ceil();
        }
        if self.counts_padding {
            pool = pool.count_padding();
        }
        if self.channels_last { pool.channels_last() } else { pool }
    }

    fn sizes(&self) -> reference::Sizes {
        let mut axes = [[1, 1, 1, 1, 1, 0, 0]; 3];
        let missing = 3 - self.axes.len();
        for (to, ([input, kernel, stride, dilation, before, after], output)) in
            axes[missing..].iter_mut().zip(self.axes.iter().zip(self.output()))
        {
            *to = [*input, output, *kernel, *stride, *dilation, *before, *after];
        }
        let Self { examples, channels, channels_last, .. } = *self;
        reference::Sizes { examples, channels, axes, channels_last }
    }
}

/// The tolerance for sums of up to 60 elements.
const TOLERANCE: [f64; 2] = [4e-6, 2e-5];

fn check<T: Float>(device: &Device, problem: &Problem) -> TestResult {
    let x: Vec<T> = numbers(problem.shaped(&problem.column(0)).iter().product(), 1);
    let (input, shape) = (device.buffer_from(&x)?, problem.shaped(&problem.output()));
    let length = shape.iter().product();
    let (sizes, x) = (problem.sizes(), wide(&x));
    let (mut y, mut indices) = (device.buffer::<T>(length)?, device.buffer::<u32>(length)?);
    let pool = problem.pool(Pool::max).indices(&mut indices);
    equal(pool.shape()?, shape, "shape")?;
    pool.run(&input, &mut y)?;
    let (wanted, wanted_at): (Vec<f64>, Vec<u32>) = reference::max(&sizes, &x, length).into_iter().unzip();
    close(&y.read()?, &wanted, [0.0, 0.0], &format!("the greatest: {problem:?}"))?;
    same(&indices.read()?, &wanted_at, &format!("indices: {problem:?}"))?;
    problem.pool(Pool::average).run(&input, &mut y)?;
    let wanted = reference::average(&sizes, &x, length, problem.counts_padding);
    close(&y.read()?, &wanted, TOLERANCE, &format!("means: {problem:?}"))?;
    for power in [1.0, 2.0, 2.5] {
        problem.pool(|x, kernel| Pool::norm(x, kernel, power)).run(&input, &mut y)?;
        let wanted = reference::norm(&sizes, &x, length, power.into());
        // The tolerance allows for powers that are computed by logarithms.
        close(&y.read()?, &wanted, [1e-5, 2e-5], &format!("norms of {power}: {problem:?}"))?;
    }
    Ok(())
}

fn small() -> Vec<Problem> {
    let plane = Problem::new(2, 3, &[[9, 3, 2, 1, 1, 0], [10, 2, 3, 2, 0, 1]]);
    vec![
        Problem::new(1, 1, &[[1, 1, 1, 1, 0, 0]]),
        Problem::new(2, 3, &[[17, 4, 3, 1, 2, 1]]),
        plane.clone(),
        Problem { ceil: true, ..plane.clone() },
        Problem { ceil: true, counts_padding: true, ..plane.clone() },
        Problem { counts_padding: true, channels_last: true, ..plane },
        Problem::new(1, 2, &[[4, 2, 1, 1, 0, 1], [5, 3, 2, 1, 1, 1], [6, 2, 2, 1, 0, 0]]),
        Problem {
            channels_last: true,
            ..Problem::new(1, 5, &[[4, 4, 1, 1, 0, 0], [3, 3, 1, 1, 0, 0], [7, 5, 1, 1, 2, 2]])
        },
        // Some windows are entirely in the padding.
        Problem::new(1, 2, &[[3, 2, 1, 1, 4, 3]]),
    ]
}

fn shapes<T: Float>(device: &Device) -> TestResult {
    small().iter().try_for_each(|problem| check::<T>(device, problem))
}

fn plain(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32, 5.0, 2.0, 3.0, 0.0, 4.0])?;
    let mut y = device.buffer::<f32>(2)?;
    max_pool(&x, &mut y, [1, 1, 6], &[3], &[3])?;
    same(&y.read()?, &[5.0, 4.0], "the greatest")?;
    average_pool(&x, &mut y, [1, 1, 2, 3], &[1, 3], &[1, 1])?;
    close(&y.read()?, &[8.0 / 3.0, 7.0 / 3.0], TOLERANCE, "means")
}

fn adaptive(device: &Device) -> TestResult {
    for (input, output) in [([10, 7], [4, 7]), ([5, 9], [1, 1]), ([3, 4], [7, 5]), ([32, 33], [8, 2])] {
        for channels_last in [false, true] {
            let x: Vec<f32> = numbers(2 * 3 * input[0] * input[1], 1);
            let shape = if channels_last { [2, input[0], input[1], 3] } else { [2, 3, input[0], input[1]] };
            let axis = |at: usize| [input[at], output[at], 0, 1, 1, 0, 0];
            let axes = [[1, 1, 1, 1, 1, 0, 0], axis(0), axis(1)];
            let sizes = reference::Sizes { examples: 2, channels: 3, axes, channels_last };
            let length = 6 * output[0] * output[1];
            let (buffer, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(length)?);
            let layout = |pool: Pool<'static, f32>| if channels_last { pool.channels_last() } else { pool };
            layout(Pool::adaptive_max(shape, &output)).run(&buffer, &mut y)?;
            let wanted: Vec<f64> = reference::max(&sizes, &wide(&x), length).into_iter().map(|(y, _)| y).collect();
            close(&y.read()?, &wanted, [0.0, 0.0], &format!("{input:?} {output:?}"))?;
            layout(Pool::adaptive_average(shape, &output)).run(&buffer, &mut y)?;
            let wanted = reference::average(&sizes, &wide(&x), length, false);
            close(&y.read()?, &wanted, TOLERANCE, &format!("{input:?} {output:?}"))?;
        }
    }
    Ok(())
}

fn not_numbers(device: &Device) -> TestResult {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let x = [1.0, nan, 7.0, -inf, -inf, inf, nan, -nan, -0.0, 0.0];
    let (mut y, mut indices) = (device.buffer::<f32>(9)?, device.buffer::<u32>(9)?);
    let input = device.buffer_from(&x)?;
    Pool::max([1, 1, 10], &[2]).indices(&mut indices).run(&input, &mut y)?;
    let n = f64::NAN;
    let wanted = [n, n, 7.0, f64::NEG_INFINITY, f64::INFINITY, n, n, n, 0.0];
    close(&y.read()?, &wanted, [0.0, 0.0], "the greatest")?;
    same(&indices.read()?, &[1, 1, 2, 3, 5, 6, 6, 7, 8], "indices")?;
    Pool::average([1, 1, 10], &[2]).run(&input, &mut y)?;
    let wanted = [n, n, f64::NEG_INFINITY, f64::NEG_INFINITY, n, n, n, n, 0.0];
    close(&y.read()?, &wanted, [0.0, 0.0], "means")
}

fn without_results(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 4])?;
    let mut y = device.buffer_from(&[7.0f32; 4])?;
    max_pool(x.slice(..0), y.slice_mut(..0), [0, 2, 5], &[2], &[1])?;
    average_pool(x.slice(..0), y.slice_mut(..0), [3, 0, 5], &[2], &[1])?;
    same(&y.read()?, &[7.0; 4], "nothing has run")
}

/// Results are right for more workgroups than one dimension of a grid has.
fn many_results(device: &Device) -> TestResult {
    let planes = 70_001;
    let x: Vec<f32> = (0..planes * 5).map(|at| (at % 11) as f32).collect();
    let mut y = device.buffer::<f32>(planes * 4)?;
    max_pool(&device.buffer_from(&x)?, &mut y, [planes, 1, 5], &[2], &[1])?;
    let y = y.read()?;
    let wrong = (0..planes * 4).find(|at| {
        let first = at / 4 * 5 + at % 4;
        y[*at] != x[first].max(x[first + 1])
    });
    ensure(wrong.is_none(), || format!("element {wrong:?}"))
}

fn in_slices<T: Float>(device: &Device) -> TestResult {
    let all: Vec<T> = numbers(300, 5);
    let (source, nine) = (device.buffer_from(&all)?, T::of(9.0));
    for (begin, to) in [(0, 1), (1, 0), (3, 5), (64, 66)] {
        let mut target = device.buffer_from(&[nine; 120])?;
        max_pool(source.slice(begin..begin + 70), target.slice_mut(to..to + 40), [2, 1, 5, 7], &[2, 3], &[1, 1])?;
        let axes = [[1, 1, 1, 1, 1, 0, 0], [5, 4, 2, 1, 1, 0, 0], [7, 5, 3, 1, 1, 0, 0]];
        let sizes = reference::Sizes { examples: 2, channels: 1, axes, channels_last: false };
        let wanted = reference::max(&sizes, &wide(&all[begin..begin + 70]), 40);
        let wanted: Vec<f64> = wanted.into_iter().map(|(y, _)| y).collect();
        let target = target.read()?;
        close(&target[to..to + 40], &wanted, [0.0, 0.0], &format!("from {begin} to {to}"))?;
        let around = target[..to].iter().chain(&target[to + 40..]).all(|other| other.wide() == 9.0);
        ensure(around, || format!("from {begin} to {to}: elements around have changed"))?;
    }
    Ok(())
}

fn slices(device: &Device) -> TestResult {
    in_slices::<f32>(device)?;
    in_slices::<f16>(device)?;
    in_slices::<bf16>(device)
}

fn recorded(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[1.0f32, 2.0, 4.0])?;
    let (mut y, mut z) = (device.buffer::<f32>(2)?, device.buffer::<f32>(2)?);
    let mut recording = device.recording();
    Pool::max([1, 1, 3], &[2]).record(&mut recording).run(&x, &mut y)?;
    same(&y.read()?, &[0.0; 2], "before it was submitted")?;
    recording.submit()?;
    same(&y.read()?, &[2.0, 4.0], "submitted")?;
    x.copy_from_slice(&[9.0, 2.0, 3.0])?;
    recording.submit()?;
    same(&y.read()?, &[9.0, 3.0], "submitted again")?;
    let (first, second) = (device.stream(), device.stream());
    Pool::max([1, 1, 3], &[2]).on(&first).run(&x, &mut y)?;
    Pool::average([1, 1, 3], &[2]).on(&second).run(&x, &mut z)?;
    same(&y.read()?, &[9.0, 3.0], "on a stream")?;
    same(&z.read()?, &[5.5, 2.5], "on another")
}

fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 50])?;
    let (mut y, mut indices) = (device.buffer_from(&[7.0f32; 32])?, device.buffer::<u32>(32)?);
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let plain = || Pool::<f32>::max([1, 2, 5, 5], &[2, 2]);
    let mut choice = |pool: Pool<'_, f32>, texts: &[&str]| refused(pool.run(&x, &mut y), is_choice, texts);
    choice(Pool::max([1, 2, 5, 5], &[6, 2]), &["a kernel that spans [6, 2]", "[1, 2, 5, 5]", "[5, 5] positions"])?;
    choice(plain().dilation(&[5, 1]), &["a kernel that spans [6, 2]"])?;
    choice(plain().stride(&[0, 1]), &["a list of strides of [0, 1]", "[5, 5]"])?;
    choice(plain().padding(&[[1, 1]]), &["a padding of [[1, 1]]", "each axis of the [5, 5]"])?;
    choice(Pool::max([1, 2, 5, 5], &[2]), &["a kernel of [2]", "[5, 5]"])?;
    choice(Pool::max([1, 2, 5, 5], &[2, 0]), &["a kernel of [2, 0]"])?;
    choice(Pool::max([2, 5], &[2]), &["x of shape [2, 5]"])?;
    choice(Pool::max([1, 2, 0, 5], &[2, 2]), &["x of shape [1, 2, 0, 5]"])?;
    choice(Pool::norm([1, 2, 5, 5], &[2, 2], 0.5), &["a norm of power 0.5"])?;
    choice(Pool::norm([1, 2, 5, 5], &[2, 2], f32::NAN), &["a norm of power NaN"])?;
    choice(Pool::adaptive_max([1, 2, 5, 5], &[2]), &["results of [2]", "[1, 2, 5, 5]"])?;
    choice(Pool::adaptive_max([1, 2, 5, 5], &[0, 2]), &["results of [0, 2]"])?;
    choice(Pool::average([1, 2, 5, 5], &[2, 2]).indices(&mut indices), &["indices of means or norms"])?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(plain().run(x.slice(1..), &mut y), is_length, &["pooling: 'x' has 49 elements", "[1, 2, 5, 5] needs 50"])?;
    refused(plain().run(&x, y.slice_mut(1..)), is_length, &["'y' has 31 elements", "[1, 2, 4, 4] needs 32"])?;
    let short = plain().indices(indices.slice_mut(1..)).run(&x, &mut y);
    refused(short, is_length, &["'indices' has 31 elements", "[1, 2, 4, 4] needs 32"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Pool::<f32>::max([1 << 20, 1, 1 << 12], &[1]).cost(device), is_large, &["pooling: x", "1048576"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(plain().run(&other.buffer::<f32>(50)?, &mut y), is_foreign, &["pooling", "'x'"])?;
    let is_in_use = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    let guard = x.read()?;
    refused(plain().run(&x, &mut y), is_in_use, &["pooling: 'x' is in use"])?;
    drop(guard);
    same(&y.read()?, &[7.0; 32], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for problem in small() {
        check::<f32>(&device, &problem)?;
        check::<f16>(&device, &problem)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{problem:?}:\n{findings}"))?;
    }
    Ok(())
}
