//! Attention of all shapes and options, compared with the reference.

use anywarp::Device;
use anywarp::ops::{Attention, OperationError, attention};
use half::{bf16, f16};

use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::rows::{Float, close, close_between_nines, numbers, same_again, wide};
use crate::{Alone, Case, Unnamed};

mod backward;

#[path = "../../src/ops/attention/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 13] = [
        ("attention::f32", shapes::<f32>),
        ("attention::f16", shapes::<f16>),
        ("attention::bf16", shapes::<bf16>),
        ("attention::options", options),
        ("attention::plain", plain),
        ("attention::without_keys", without_keys),
        ("attention::masked_rows", masked_rows),
        ("attention::not_numbers", not_numbers),
        ("attention::halves_that_are_not_numbers", halves_that_are_not_numbers),
        ("attention::long", long),
        ("attention::same_bits", same_bits),
        ("attention::recorded", recorded),
        ("attention::refusals", refusals),
    ];
    all.into_iter().chain(backward::cases()).map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::attention".to_owned(), Box::new(clean))
}

/// An attention with one set of options.
#[derive(Clone, Debug)]
struct Problem {
    /// The numbers of batches, of heads, and of heads of keys.
    heads: [usize; 3],
    queries: usize,
    keys: usize,
    /// The number of elements of a query or a key, and that of a value.
    sizes: [usize; 2],
    causal: Option<isize>,
    mask: Option<Vec<usize>>,
    bias: Option<Vec<usize>>,
    scale: Option<f32>,
    cap: Option<f32>,
}

impl Problem {
    fn new(heads: [usize; 3], queries: usize, keys: usize, sizes: [usize; 2]) -> Self {
        let (causal, mask, bias, scale, cap) = (None, None, None, None, None);
        Self { heads, queries, keys, sizes, causal, mask, bias, scale, cap }
    }

    fn attention<'r, T: Float>(&self) -> Attention<'r, T> {
        let [batches, heads, shared] = self.heads;
        let [size, size_of_value] = self.sizes;
        let shapes = [[batches, heads, self.queries, size], [batches, shared, self.keys, size]];
        let mut attention = Attention::new(shapes[0], shapes[1]).value_size(size_of_value);
        if let Some(offset) = self.causal {
            attention = attention.causal(offset);
        }
        if let Some(scale) = self.scale {
            attention = attention.scale(scale);
        }
        if let Some(cap) = self.cap {
            attention = attention.cap(cap);
        }
        attention
    }

    /// The lengths of queries, keys, values and results.
    fn lengths(&self) -> [usize; 4] {
        let [batches, heads, shared] = self.heads;
        let [queries, keys] = [batches * heads * self.queries, batches * shared * self.keys];
        [queries * self.sizes[0], keys * self.sizes[0], keys * self.sizes[1], queries * self.sizes[1]]
    }

    fn sizes(&self) -> reference::Sizes {
        let [batches, heads, shared] = self.heads;
        let [size, size_of_value] = self.sizes;
        let (queries, keys) = (self.queries, self.keys);
        reference::Sizes { batches, heads, shared, queries, keys, size, size_of_value }
    }

    /// The flags of the mask: two of three are set, but none in some rows.
    fn flags(&self) -> Vec<u32> {
        let count = self.mask.as_ref().map_or(0, |shape| shape.iter().product());
        let rows = self.mask.as_ref().is_some_and(|shape| shape.len() > 1 && shape[shape.len() - 2] > 1);
        let is_set = |at: usize| at * 7 % 3 != 1 && !(rows && at / self.keys % 5 == 2);
        (0..count).map(|at| if is_set(at) { 1 + at as u32 } else { 0 }).collect()
    }

    fn wanted(&self, [q, k, v]: [&[f64]; 3], flags: &[u32], bias: &[f64]) -> Vec<f64> {
        reference::attention(q, k, v, self.sizes(), |at, product| self.score(at, product, flags, bias))
    }

    fn scale(&self) -> f64 {
        f64::from(self.scale.unwrap_or((1.0 / (self.sizes[0] as f64).sqrt()) as f32))
    }

    /// The score of a product.
    fn score(&self, at: [usize; 4], product: f64, flags: &[u32], bias: &[f64]) -> f64 {
        let [_, _, query, key] = at;
        let is_excluded = self.causal.is_some_and(|offset| key as isize > query as isize + offset)
            || self.mask.as_ref().is_some_and(|shape| flags[place(shape, at)] == 0);
        let score = product * self.scale();
        let score = self.cap.map_or(score, |cap| f64::from(cap) * (score / f64::from(cap)).tanh());
        let bias = self.bias.as_ref().map_or(0.0, |shape| bias[place(shape, at)]);
        if is_excluded { f64::NEG_INFINITY } else { score + bias }
    }
}

/// The place, in an array of this shape, of the element that is broadcast to `at`.
fn place(shape: &[usize], at: [usize; 4]) -> usize {
    let at = &at[4 - shape.len()..];
    shape.iter().zip(at).fold(0, |place, (size, at)| place * size + if *size == 1 { 0 } else { *at })
}

/// The tolerance for sums of up to some hundred products of numbers below 1, and for scores with the errors of these
/// sums.
const TOLERANCE: [f64; 2] = [1e-5, 1e-5];

/// With tensor cores the weights, whose sum is 1, are rounded to `f16`, before they are multiplied with values below 1.
const TOLERANCE_OF_HALVES: [f64; 2] = [1e-5, 1.0 / 2048.0];

/// Numbers from -1 to 1, after `skip` elements of 9.
fn small<T: Float>(count: usize, seed: u64, skip: usize) -> Vec<T> {
    let all = numbers::<f32>(count, seed).into_iter().map(|number| T::of(f64::from(number) / 8.0));
    std::iter::repeat_n(T::of(9.0), skip).chain(all).collect()
}

/// Compares an attention with the reference; the arrays begin at element `skip` of their buffers.
fn check<T: Float>(device: &Device, problem: &Problem, skip: usize) -> TestResult {
    let [of_q, of_k, of_v, of_y] = problem.lengths();
    let (q, k, v): (Vec<T>, Vec<T>, Vec<T>) = (small(of_q, 1, skip), small(of_k, 2, skip), small(of_v, 3, skip));
    let (flags, of_bias) = (problem.flags(), problem.bias.as_ref().map_or(0, |shape| shape.iter().product()));
    let bias: Vec<T> = small(of_bias, 4, skip);
    let inputs = [&wide(&q[skip..])[..], &wide(&k[skip..]), &wide(&v[skip..])];
    let wanted = problem.wanted(inputs, &flags, &wide(&bias[skip..]));
    let [q, k, v, bias] =
        [device.buffer_from(&q)?, device.buffer_from(&k)?, device.buffer_from(&v)?, device.buffer_from(&bias)?];
    let flags = device.buffer_from(&[&vec![0; skip], &flags[..]].concat())?;
    let mut y = device.buffer_from(&vec![T::of(9.0); skip + of_y + 3])?;
    let mut attention = problem.attention::<T>();
    if let Some(shape) = &problem.mask {
        attention = attention.mask(flags.slice(skip..), shape.clone());
    }
    if let Some(shape) = &problem.bias {
        attention = attention.bias(bias.slice(skip..), shape.clone());
    }
    attention.run(q.slice(skip..), k.slice(skip..), v.slice(skip..), y.slice_mut(skip..skip + of_y))?;
    let tolerance = if size_of::<T>() == 2 { TOLERANCE_OF_HALVES } else { TOLERANCE };
    close_between_nines(&y.read()?, skip, &wanted, tolerance, &format!("{problem:?}, from element {skip}"))
}

/// Problems with sizes around tiles, steps and vectors, with shared heads, with one query, and with few queries.
fn problems() -> Vec<Problem> {
    vec![
        Problem::new([1, 1, 1], 1, 1, [1, 1]),
        Problem::new([2, 3, 3], 5, 7, [3, 4]),
        Problem::new([1, 4, 2], 17, 33, [64, 64]),
        Problem::new([1, 2, 1], 64, 65, [65, 128]),
        Problem::new([1, 1, 1], 65, 31, [128, 65]),
        Problem::new([1, 1, 1], 9, 67, [256, 256]),
        Problem::new([2, 2, 2], 63, 64, [1, 3]),
        Problem::new([1, 6, 2], 1, 300, [64, 64]),
        Problem::new([1, 1, 1], 3, 1009, [31, 129]),
    ]
}

fn shapes<T: Float>(device: &Device) -> TestResult {
    for problem in problems() {
        check::<T>(device, &problem, 0)?;
        check::<T>(device, &problem, 1)?;
        let lower_right = problem.keys as isize - problem.queries as isize;
        check::<T>(device, &Problem { causal: Some(lower_right), ..problem.clone() }, 3)?;
        let [batches, heads, _] = problem.heads;
        let all = vec![batches, heads, problem.queries, problem.keys];
        check::<T>(device, &Problem { mask: Some(all[2..].to_vec()), bias: Some(all), ..problem }, 1)?;
    }
    Ok(())
}

/// Each option works, also with all others, and with masks of each shape.
fn options(device: &Device) -> TestResult {
    for (queries, keys) in [(20, 40), (40, 20), (2, 70)] {
        let problem = Problem::new([2, 4, 2], queries, keys, [16, 24]);
        for offset in [0, 1, -3, keys as isize, -(queries as isize), isize::MIN, isize::MAX] {
            // The reference adds the offset to a query's place, which must not overflow.
            let offset = offset.clamp(-100, 100);
            check::<f32>(device, &Problem { causal: Some(offset), ..problem.clone() }, 0)?;
        }
        check::<f32>(device, &Problem { scale: Some(-2.0), ..problem.clone() }, 0)?;
        check::<f32>(device, &Problem { scale: Some(9.0), cap: Some(1.5), ..problem.clone() }, 0)?;
        let shapes = [
            vec![],
            vec![keys],
            vec![queries, 1],
            vec![4, 1, 1],
            vec![2, 1, queries, keys],
            vec![2, 4, 1, keys],
            vec![2, 4, queries, keys],
        ];
        for shape in shapes {
            let mask = Some(shape.clone());
            check::<f32>(device, &Problem { mask: mask.clone(), ..problem.clone() }, 0)?;
            check::<f32>(device, &Problem { bias: Some(shape), ..problem.clone() }, 0)?;
            let bias = Some(vec![4, 1, keys]);
            let (causal, scale, cap) = (Some(5), Some(0.5), Some(2.0));
            check::<f32>(device, &Problem { causal, mask, bias, scale, cap, ..problem.clone() }, 1)?;
        }
    }
    Ok(())
}

fn plain(device: &Device) -> TestResult {
    let q = device.buffer_from(&[1.0f32, 0.0, 0.0, 2.0])?;
    let k = device.buffer_from(&[100.0f32, 0.0, 0.0, 100.0])?;
    let v = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
    let mut y = device.buffer::<f32>(4)?;
    attention(&q, &k, &v, &mut y, [1, 1, 2, 2], [1, 1, 2, 2])?;
    close(&y.read()?, &[1.0, 2.0, 3.0, 4.0], TOLERANCE, "each query has one key")
}

/// Without keys, results are 0; without queries, there are no results.
fn without_keys(device: &Device) -> TestResult {
    let (q, mut y) = (device.buffer_from(&[1.0f32; 6])?, device.buffer_from(&[9.0f32; 6])?);
    let none = device.buffer::<f32>(0)?;
    attention(&q, &none, &none, &mut y, [1, 3, 2, 1], [1, 1, 0, 1])?;
    same(&y.read()?, &[0.0; 6], "no keys")?;
    let k = device.buffer_from(&[1.0f32; 4])?;
    let mut y = device.buffer::<f32>(0)?;
    attention(&none, &k, &k, &mut y, [1, 2, 0, 2], [1, 1, 2, 2])?;
    attention(&none, &none, &none, &mut y, [0, 2, 3, 2], [0, 1, 2, 2])?;
    attention(&none, &none, &none, &mut y, [3, 0, 3, 2], [3, 0, 2, 2])?;
    same(&y.read()?, &[], "no queries")
}

/// Rows without any allowed key are 0, whether the mask, the bias or causality excludes the keys.
fn masked_rows(device: &Device) -> TestResult {
    for queries in [3, 40] {
        let q = device.buffer_from(&vec![1.0f32; queries])?;
        let (k, v) = (device.buffer_from(&[1.0f32, f32::NAN])?, device.buffer_from(&[5.0f32, 7.0])?);
        let mut mask = vec![0u32; queries * 2];
        mask[2] = 1;
        let mut wanted = vec![0.0f32; queries];
        wanted[1] = 5.0;
        let (mask, mut y) = (device.buffer_from(&mask)?, device.buffer_from(&vec![9.0f32; queries])?);
        let attention = || Attention::<f32>::new([1, 1, queries, 1], [1, 1, 2, 1]);
        attention().mask(&mask, [queries, 2]).run(&q, &k, &v, &mut y)?;
        same(&y.read()?, &wanted, "masks")?;
        let k = device.buffer_from(&[1.0f32; 2])?;
        let mut bias = vec![f32::NEG_INFINITY; queries * 2];
        bias[2] = 0.0;
        let bias = device.buffer_from(&bias)?;
        attention().bias(&bias, [queries, 2]).run(&q, &k, &v, &mut y)?;
        same(&y.read()?, &wanted, "a bias")?;
        attention().causal(-2).run(&q, &k, &v, &mut y)?;
        let mut wanted = vec![6.0f32; queries];
        wanted[..3].copy_from_slice(&[0.0, 0.0, 5.0]);
        same(&y.read()?, &wanted, "a causal attention")?;
    }
    Ok(())
}

/// Scores of NaN and infinity, and infinite values, result in the expected NaN, infinities and zeros.
fn not_numbers(device: &Device) -> TestResult {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    for queries in [6, 70] {
        let mut rows = vec![1.0f32; queries];
        rows[..6].copy_from_slice(&[1.0, nan, inf, -inf, 3e38, 0.0]);
        let (q, k) = (device.buffer_from(&rows)?, device.buffer_from(&[1.0f32, 2.0])?);
        let v = device.buffer_from(&[1.0f32, 3.0])?;
        let mut y = device.buffer::<f32>(queries)?;
        let shapes = ([1, 1, queries, 1], [1, 1, 2, 1]);
        Attention::new(shapes.0, shapes.1).scale(1.0).run(&q, &k, &v, &mut y)?;
        let mean = (1.0 + 3.0 * 1f64.exp()) / (1.0 + 1f64.exp());
        let mut wanted = vec![mean; queries];
        wanted[..6].copy_from_slice(&[mean, f64::NAN, f64::NAN, 0.0, f64::NAN, 2.0]);
        close(&y.read()?, &wanted, TOLERANCE, "scores")?;
        let v = device.buffer_from(&[-inf, 3.0])?;
        Attention::new(shapes.0, shapes.1).scale(1.0).cap(1.0).run(&q, &k, &v, &mut y)?;
        let mut wanted = vec![f64::NEG_INFINITY; queries];
        wanted[1] = f64::NAN;
        close(&y.read()?, &wanted, TOLERANCE, "values and capped scores")?;
        let bias = device.buffer_from(&[0.0f32, nan])?;
        Attention::new(shapes.0, shapes.1).bias(&bias, [2]).run(&q, &k, &v, &mut y)?;
        ensure(y.read()?.iter().all(|y| y.is_nan()), || "a bias of NaN".to_owned())?;
    }
    Ok(())
}

/// The same in `f16`, for head sizes and numbers of queries for which there are kernels on tensor cores.
fn halves_that_are_not_numbers(device: &Device) -> TestResult {
    for (queries, size) in [(20, 64), (150, 128)] {
        let first = [1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 6e4, 0.0];
        let one = |number: f32| (0..size).map(move |at| f16::from_f32(if at == 0 { number } else { 0.0 }));
        let q: Vec<f16> = (0..queries).flat_map(|row| one(first[row % 6])).collect();
        let k: Vec<f16> = [1.0, 2.0].into_iter().flat_map(one).collect();
        let v: Vec<f16> = [1.0, 3.0].into_iter().flat_map(|value| vec![f16::from_f32(value); size]).collect();
        let (q, k, v) = (device.buffer_from(&q)?, device.buffer_from(&k)?, device.buffer_from(&v)?);
        let mut y = device.buffer::<f16>(queries * size)?;
        let shapes = ([1, 1, queries, size], [1, 1, 2, size]);
        let mean = (1.0 + 3.0 * 1f64.exp()) / (1.0 + 1f64.exp());
        let mut wanted = [mean, f64::NAN, f64::NAN, 0.0, 3.0, 2.0];
        let all = |wanted: [f64; 6]| (0..queries * size).map(|at| wanted[at / size % 6]).collect::<Vec<f64>>();
        Attention::new(shapes.0, shapes.1).scale(1.0).run(&q, &k, &v, &mut y)?;
        close(&y.read()?, &all(wanted), TOLERANCE_OF_HALVES, "scores")?;
        // Only the first key is left.
        let mask = device.buffer_from(&[1u32, 0])?;
        wanted = [1.0, f64::NAN, f64::NAN, 0.0, 1.0, 1.0];
        Attention::new(shapes.0, shapes.1).scale(1.0).mask(&mask, [2]).run(&q, &k, &v, &mut y)?;
        close(&y.read()?, &all(wanted), TOLERANCE_OF_HALVES, "masked scores")?;
    }
    Ok(())
}

/// Results are right for more keys than a processor has in one part, and for more rows than one dimension has
/// workgroups.
fn long(device: &Device) -> TestResult {
    check::<f32>(device, &Problem::new([1, 1, 1], 9, 8209, [64, 64]), 0)?;
    check::<f32>(device, &Problem::new([1, 1, 1], 1, 20_011, [8, 8]), 0)?;
    check::<f32>(device, &Problem::new([1, 66_000, 66_000], 1, 2, [1, 1]), 0)
}

fn same_bits(device: &Device) -> TestResult {
    for (queries, keys) in [(70, 90), (1, 2000)] {
        let problem = Problem::new([1, 4, 2], queries, keys, [32, 32]);
        let [of_q, of_k, of_v, of_y] = problem.lengths();
        let (q, k) = (device.buffer_from(&small::<f32>(of_q, 1, 0))?, device.buffer_from(&small::<f32>(of_k, 2, 0))?);
        let v = device.buffer_from(&small::<f32>(of_v, 3, 0))?;
        same_again(device, of_y, "the same call", |y| problem.attention::<f32>().run(&q, &k, &v, y))?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let (q, k) = (device.buffer_from(&[0.0f32; 2])?, device.buffer_from(&[1.0f32; 600])?);
    let (mut v, stream) = (device.buffer_from(&[2.0f32; 600])?, device.stream());
    let mut y = device.buffer::<f32>(2)?;
    let mut recording = device.recording();
    let attention = || Attention::<f32>::new([1, 1, 2, 1], [1, 1, 600, 1]);
    attention().record(&mut recording).run(&q, &k, &v, &mut y)?;
    same(&y.read()?, &[0.0; 2], "before it was submitted")?;
    recording.submit()?;
    close(&y.read()?, &[2.0; 2], TOLERANCE, "submitted")?;
    v.copy_from_slice(&[4.0; 600])?;
    recording.submit()?;
    close(&y.read()?, &[4.0; 2], TOLERANCE, "submitted again")?;
    v.copy_from_slice(&[6.0; 600])?;
    attention().on(&stream).run(&q, &k, &v, &mut y)?;
    close(&y.read()?, &[6.0; 2], TOLERANCE, "on a stream")
}

fn refusals(device: &Device) -> TestResult {
    let (q, k) = (device.buffer_from(&[1.0f32; 24])?, device.buffer_from(&[1.0f32; 30])?);
    let mask = device.buffer_from(&[1u32; 6])?;
    let mut y = device.buffer_from(&[7.0f32; 24])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    for shape in [[2, 2, 5, 3], [1, 3, 5, 3], [1, 2, 5, 2], [1, 0, 5, 3]] {
        let other = attention(&q, &k, &k, &mut y, [1, 4, 2, 3], shape);
        refused(other, is_choice, &["attention: the shape of k", &format!("{shape:?}"), "q of shape [1, 4, 2, 3]"])?;
    }
    let of = |q, k| Attention::<f32>::new(q, k);
    let fits = || of([1, 4, 2, 3], [1, 2, 5, 3]);
    let size = of([1, 1, 1, 257], [1, 1, 1, 257]).run(&q, &k, &k, &mut y);
    refused(size, is_choice, &["attention: a head size of 257", "1 to 256"])?;
    let size = fits().value_size(0).run(&q, &k, &k, &mut y);
    refused(size, is_choice, &["attention: a value size of 0", "1 to 256"])?;
    refused(fits().scale(f32::NAN).run(&q, &k, &k, &mut y), is_choice, &["attention: a scale of NaN"])?;
    for cap in [0.0, -1.0, f32::INFINITY, f32::NAN] {
        refused(fits().cap(cap).run(&q, &k, &k, &mut y), is_choice, &["attention: a cap of"])?;
    }
    let is_broadcast = |error: &OperationError| matches!(error, OperationError::Broadcast { .. });
    let wide = fits().mask(&mask, [6]).run(&q, &k, &k, &mut y);
    refused(wide, is_broadcast, &["attention: 'mask' of shape [6]", "[1, 4, 2, 5]"])?;
    let deep = fits().bias(&q, [1, 1, 1, 1, 5]).run(&q, &k, &k, &mut y);
    refused(deep, is_broadcast, &["attention: 'bias' of shape [1, 1, 1, 1, 5]", "[1, 4, 2, 5]"])?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let short = fits().mask(&mask, [2, 5]).run(&q, &k, &k, &mut y);
    refused(short, is_length, &["attention: 'mask' has 6 elements", "[2, 5]", "10"])?;
    refused(fits().run(&q, &k, &q, &mut y), is_length, &["attention: 'v' has 24 elements", "[1, 2, 5, 3]", "30"])?;
    refused(fits().value_size(4).run(&q, &k, &k, &mut y), is_length, &["attention: 'v' has 30 elements", "40"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    let large = of([1 << 20, 1 << 20, 1, 1], [1 << 20, 1, 1, 1]).run(&q, &k, &k, &mut y);
    refused(large, is_large, &["attention: q has the shape [1048576, 1048576, 1, 1]"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(fits().run(&q, &other.buffer::<f32>(30)?, &k, &mut y), is_foreign, &["attention", "'k'"])?;
    same(&y.read()?, &[7.0; 24], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for problem in [Problem::new([2, 4, 2], 11, 13, [5, 7]), Problem::new([1, 2, 1], 2, 70, [8, 3])] {
        let mask = Some(vec![problem.queries, problem.keys]);
        let problem = Problem { mask, causal: Some(1), ..problem };
        check::<f32>(&device, &problem, 1)?;
        check::<f16>(&device, &problem, 1)?;
        backward::check::<f32>(&device, &problem, 1)?;
        backward::check::<f16>(&device, &problem, 1)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{problem:?}:\n{findings}"))?;
    }
    Ok(())
}
