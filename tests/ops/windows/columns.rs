//! Windows as columns, and sums of columns.

use anywarp::Device;
use anywarp::ops::{Columns, OperationError, col2im, im2col};
use half::{bf16, f16};

use crate::Unnamed;
use crate::outcome::{TestResult, ensure, equal, refused, same, skip};
use crate::rows::{Float, close, numbers, wide};

pub(super) fn cases() -> Vec<Unnamed> {
    vec![
        ("columns::f32", shapes::<f32>),
        ("columns::f16", shapes::<f16>),
        ("columns::bf16", shapes::<bf16>),
        ("columns::many_results", many_results),
        ("columns::without_results", without_results),
        ("columns::slices", slices),
        ("columns::recorded", recorded),
        ("columns::refusals", refusals),
    ]
}

/// A number of examples, a number of channels, and for each axis `[input, kernel, stride, dilation, padding before,
/// padding after]`.
struct Problem(usize, usize, Vec<[usize; 6]>);

impl Problem {
    fn column(&self, column: usize) -> Vec<usize> {
        self.2.iter().map(|axis| axis[column]).collect()
    }

    fn image(&self) -> Vec<usize> {
        [&[self.0, self.1], &self.column(0)[..]].concat()
    }

    fn windows(&self) -> Vec<usize> {
        let of_axis = |[input, kernel, stride, dilation, before, after]: &[usize; 6]| {
            (input + before + after - (kernel - 1) * dilation - 1) / stride + 1
        };
        self.2.iter().map(of_axis).collect()
    }

    fn columns<'r, T: Float>(&self) -> Columns<'r, T> {
        let padding: Vec<[usize; 2]> = self.2.iter().map(|axis| [axis[4], axis[5]]).collect();
        let columns = Columns::new(self.image(), &self.column(1)).stride(&self.column(2));
        columns.dilation(&self.column(3)).padding(&padding)
    }

    /// The index in the image of each element of the columns; `None` for an element in the padding.
    fn elements(&self) -> Vec<Option<usize>> {
        let (windows, kernel, image) = (self.windows(), self.column(1), self.column(0));
        let mut all = Vec::new();
        for plane in 0..self.0 * self.1 {
            for tap in places(&kernel) {
                for window in places(&windows) {
                    let mut at = Some(plane);
                    for (axis, [input, _, stride, dilation, before, _]) in self.2.iter().enumerate() {
                        let place = (window[axis] * stride + tap[axis] * dilation).checked_sub(*before);
                        let place = place.filter(|place| place < input);
                        at = at.zip(place).map(|(at, place)| at * image[axis] + place);
                    }
                    all.push(at);
                }
            }
        }
        all
    }
}

/// All positions of a shape, in their order.
fn places(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for size in shape {
        all = all.iter().flat_map(|place| (0..*size).map(move |at| [&place[..], &[at]].concat())).collect();
    }
    all
}

fn small() -> Vec<Problem> {
    vec![
        Problem(1, 1, vec![[1, 1, 1, 1, 0, 0]]),
        Problem(2, 3, vec![[17, 4, 3, 1, 2, 1]]),
        Problem(2, 3, vec![[7, 3, 2, 1, 1, 0], [6, 2, 1, 2, 0, 1]]),
        Problem(1, 2, vec![[3, 2, 1, 1, 0, 1], [4, 3, 2, 1, 1, 1], [5, 2, 2, 1, 0, 0]]),
        Problem(1, 2, vec![[4, 2, 5, 1, 3, 3]]),
    ]
}

fn check<T: Float>(device: &Device, problem: &Problem) -> TestResult {
    let elements = problem.elements();
    let count = problem.image().iter().product();
    let image: Vec<T> = numbers(count, 1);
    let columns = problem.columns::<T>();
    let windows = problem.windows().iter().product::<usize>();
    let shape = vec![problem.0, problem.1 * problem.column(1).iter().product::<usize>(), windows];
    equal(columns.shape()?, shape, "shape")?;
    let mut y = device.buffer::<T>(elements.len())?;
    columns.run(&device.buffer_from(&image)?, &mut y)?;
    let wanted: Vec<f64> = elements.iter().map(|at| at.map_or(0.0, |at| image[at].wide())).collect();
    close(&y.read()?, &wanted, [0.0, 0.0], "columns")?;
    let x: Vec<T> = numbers(elements.len(), 2);
    let mut sums = vec![0.0; count];
    for (at, x) in elements.iter().zip(wide(&x)) {
        if let Some(at) = at {
            sums[*at] += x;
        }
    }
    let mut y = device.buffer::<T>(count)?;
    problem.columns::<T>().sum(&device.buffer_from(&x)?, &mut y)?;
    close(&y.read()?, &sums, [1e-6, 1e-6], "sums")
}

fn shapes<T: Float>(device: &Device) -> TestResult {
    small().iter().try_for_each(|problem| check::<T>(device, problem))
}

/// Results are right for more workgroups than one dimension of a grid has.
fn many_results(device: &Device) -> TestResult {
    let length = 6_000_000;
    let x: Vec<f32> = (0..length).map(|at| (at % 1021) as f32).collect();
    let mut y = device.buffer::<f32>(3 * (length - 2))?;
    im2col(&device.buffer_from(&x)?, &mut y, [1, 1, length], &[3])?;
    let wrong = y.read()?.iter().enumerate().position(|(at, y)| *y != x[at / (length - 2) + at % (length - 2)]);
    ensure(wrong.is_none(), || format!("element {wrong:?}"))
}

fn without_results(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 4])?;
    let mut y = device.buffer_from(&[7.0f32; 4])?;
    im2col(x.slice(..0), y.slice_mut(..0), [0, 2, 5], &[2])?;
    col2im(x.slice(..0), y.slice_mut(..0), [2, 0, 5], &[2])?;
    same(&y.read()?, &[7.0; 4], "nothing has run")
}

fn in_slices<T: Float>(device: &Device) -> TestResult {
    let all: Vec<T> = numbers(100, 5);
    let (source, nine) = (device.buffer_from(&all)?, T::of(9.0));
    for (begin, to) in [(0, 1), (1, 0), (3, 5), (64, 66)] {
        let mut target = device.buffer_from(&[nine; 90])?;
        im2col(source.slice(begin..begin + 7), target.slice_mut(to..to + 15), [1, 1, 7], &[3])?;
        let target = target.read()?;
        let wanted: Vec<f64> = (0..15).map(|at| all[begin + at / 5 + at % 5].wide()).collect();
        close(&target[to..to + 15], &wanted, [0.0, 0.0], &format!("from {begin} to {to}"))?;
        let around = target[..to].iter().chain(&target[to + 15..]).all(|other| other.wide() == 9.0);
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
    let (mut x, mut y) = (device.buffer_from(&[1.0f32, 2.0, 3.0])?, device.buffer::<f32>(4)?);
    let mut z = device.buffer::<f32>(3)?;
    let mut recording = device.recording();
    Columns::new([1, 1, 3], &[2]).record(&mut recording).run(&x, &mut y)?;
    Columns::new([1, 1, 3], &[2]).record(&mut recording).sum(&y, &mut z)?;
    same(&y.read()?, &[0.0; 4], "before it was submitted")?;
    recording.submit()?;
    same(&z.read()?, &[1.0, 4.0, 3.0], "submitted")?;
    x.copy_from_slice(&[5.0, 6.0, 7.0])?;
    recording.submit()?;
    same(&z.read()?, &[5.0, 12.0, 7.0], "submitted again")?;
    let stream = device.stream();
    Columns::new([1, 1, 3], &[3]).on(&stream).run(&x, &mut z)?;
    same(&z.read()?, &[5.0, 6.0, 7.0], "on a stream")
}

fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 50])?;
    let mut y = device.buffer_from(&[7.0f32; 128])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let mut choice = |columns: Columns<'_, f32>, texts: &[&str]| refused(columns.run(&x, &mut y), is_choice, texts);
    let plain = || Columns::<f32>::new([1, 2, 5, 5], &[2, 2]);
    choice(Columns::new([1, 2, 5, 5], &[6, 2]), &["a kernel that spans [6, 2]", "[1, 2, 5, 5]", "[5, 5] positions"])?;
    choice(plain().stride(&[0, 1]), &["a list of strides of [0, 1]", "[5, 5]"])?;
    choice(plain().dilation(&[1]), &["a list of dilations of [1]"])?;
    choice(plain().padding(&[[1, 1]]), &["a padding of [[1, 1]]"])?;
    choice(Columns::new([2, 5], &[2]), &["an image of shape [2, 5]"])?;
    choice(Columns::new([1, 2, 0, 5], &[2, 2]), &["an image of shape [1, 2, 0, 5]"])?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(plain().run(x.slice(1..), &mut y), is_length, &["columns: 'x' has 49 elements", "[1, 2, 5, 5] needs 50"])?;
    refused(plain().run(&x, y.slice_mut(1..)), is_length, &["'y' has 127 elements", "[1, 8, 16] needs 128"])?;
    refused(plain().sum(&x, &mut y), is_length, &["'x' has 50 elements", "[1, 8, 16] needs 128"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Columns::<f32>::new([1 << 20, 1, 1 << 10], &[9]).cost(), is_large, &["columns: the columns", "1048576"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(plain().run(&other.buffer::<f32>(50)?, &mut y), is_foreign, &["columns", "'x'"])?;
    let is_in_use = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    let guard = x.read()?;
    refused(plain().run(&x, &mut y), is_in_use, &["columns: 'x' is in use"])?;
    drop(guard);
    same(&y.read()?, &[7.0; 128], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for problem in small() {
        check::<f32>(&device, &problem)?;
        check::<f16>(&device, &problem)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{:?}:\n{findings}", problem.2))?;
    }
    Ok(())
}
