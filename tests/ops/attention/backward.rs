//! The derivatives of attention by queries, keys and values.

use std::cell::RefCell;

use super::*;

pub(super) fn cases() -> Vec<Unnamed> {
    vec![
        ("attention_backward::f32", shapes::<f32>),
        ("attention_backward::f16", shapes::<f16>),
        ("attention_backward::bf16", shapes::<bf16>),
        ("attention_backward::options", options),
        ("attention_backward::finite_differences", finite_differences),
        ("attention_backward::nothing", nothing),
        ("attention_backward::not_numbers", not_numbers),
        ("attention_backward::excluded_keys", excluded_keys),
        ("attention_backward::long", long),
        ("attention_backward::same_bits", same_bits),
        ("attention_backward::recorded", recorded),
        ("attention_backward::refusals", refusals),
    ]
}

/// The derivatives in `f64`, with all scores of a row at a time.
fn derivatives(problem: &Problem, [q, k, v, dy]: [&[f64]; 4], flags: &[u32], bias: &[f64]) -> [Vec<f64>; 3] {
    let reference::Sizes { batches, heads, shared, queries, keys, size, size_of_value } = problem.sizes();
    let (mut dq, mut dk, mut dv) = (vec![0.0; q.len()], vec![0.0; k.len()], vec![0.0; v.len()]);
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for (batch, head, query) in
        (0..batches * heads * queries).map(|row| (row / queries / heads, row / queries % heads, row % queries))
    {
        let row = (batch * heads + head) * queries + query;
        let plane = batch * shared + head / (heads / shared);
        let (in_q, in_dy) = (row * size, row * size_of_value);
        let places = |key: usize| ((plane * keys + key) * size, (plane * keys + key) * size_of_value);
        let products: Vec<f64> =
            (0..keys).map(|key| product(&q[in_q..][..size], &k[places(key).0..][..size])).collect();
        let scores: Vec<f64> =
            (0..keys).map(|key| problem.score([batch, head, query, key], products[key], flags, bias)).collect();
        let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if greatest == f64::NEG_INFINITY {
            continue;
        }
        let powers: Vec<f64> = scores.iter().map(|score| (score - greatest).exp()).collect();
        let sum: f64 = powers.iter().sum();
        let of_values: Vec<f64> =
            (0..keys).map(|key| product(&dy[in_dy..][..size_of_value], &v[places(key).1..][..size_of_value])).collect();
        let mean = product(&powers, &of_values) / sum;
        for key in 0..keys {
            let (in_k, in_v) = places(key);
            let share = powers[key] / sum;
            let height = problem.cap.map_or(0.0, |cap| (products[key] * problem.scale() / f64::from(cap)).tanh());
            let slope = share * (of_values[key] - mean) * problem.scale() * (1.0 - height * height);
            for i in 0..size {
                dq[in_q + i] += slope * k[in_k + i];
                dk[in_k + i] += slope * q[in_q + i];
            }
            for i in 0..size_of_value {
                dv[in_v + i] += share * dy[in_dy + i];
            }
        }
    }
    [dq, dk, dv]
}

/// Compares derivatives with the reference; arrays begin at element `skip` of their buffers.
pub(super) fn check<T: Float>(device: &Device, problem: &Problem, skip: usize) -> TestResult {
    let [of_q, of_k, of_v, of_y] = problem.lengths();
    let (q, k, v, dy): (Vec<T>, Vec<T>, Vec<T>, Vec<T>) =
        (small(of_q, 1, skip), small(of_k, 2, skip), small(of_v, 3, skip), small(of_y, 5, skip));
    let (flags, of_bias) = (problem.flags(), problem.bias.as_ref().map_or(0, |shape| shape.iter().product()));
    let bias: Vec<T> = small(of_bias, 4, skip);
    let inputs = [&wide(&q[skip..])[..], &wide(&k[skip..]), &wide(&v[skip..]), &wide(&dy[skip..])];
    let wanted = derivatives(problem, inputs, &flags, &wide(&bias[skip..]));
    let [q, k, v] = [device.buffer_from(&q)?, device.buffer_from(&k)?, device.buffer_from(&v)?];
    let [dy, bias] = [device.buffer_from(&dy)?, device.buffer_from(&bias)?];
    let flags = device.buffer_from(&[&vec![0; skip], &flags[..]].concat())?;
    let nines = |length: usize| device.buffer_from(&vec![T::of(9.0); skip + length + 3]);
    let (mut dq, mut dk, mut dv) = (nines(of_q)?, nines(of_k)?, nines(of_v)?);
    let mut attention = problem.attention::<T>();
    if let Some(shape) = &problem.mask {
        attention = attention.mask(flags.slice(skip..), shape.clone());
    }
    if let Some(shape) = &problem.bias {
        attention = attention.bias(bias.slice(skip..), shape.clone());
    }
    let results = [dq.slice_mut(skip..skip + of_q), dk.slice_mut(skip..skip + of_k), dv.slice_mut(skip..skip + of_v)];
    attention.backward(q.slice(skip..), k.slice(skip..), v.slice(skip..), dy.slice(skip..), results)?;
    // Sums of as many products as there are queries, or keys, of numbers below 1 with the errors of other sums.
    let count = problem.queries * problem.heads[1] / problem.heads[2].max(1) + problem.keys;
    let tolerance = [2e-5, 1e-5 + 2e-7 * count as f64];
    for (name, got, wanted) in [("dq", &dq, &wanted[0]), ("dk", &dk, &wanted[1]), ("dv", &dv, &wanted[2])] {
        close_between_nines(&got.read()?, skip, wanted, tolerance, &format!("{name} of {problem:?}, from {skip}"))?;
    }
    Ok(())
}

/// Sizes around workgroups and vectors, with shared heads; one query, and few.
fn shapes<T: Float>(device: &Device) -> TestResult {
    for problem in [
        Problem::new([1, 1, 1], 1, 1, [1, 1]),
        Problem::new([2, 3, 3], 5, 7, [3, 4]),
        Problem::new([1, 4, 2], 17, 33, [64, 64]),
        Problem::new([1, 2, 1], 64, 65, [65, 128]),
        Problem::new([1, 1, 1], 65, 31, [129, 63]),
        Problem::new([1, 1, 1], 9, 67, [256, 256]),
        Problem::new([1, 6, 2], 1, 130, [16, 16]),
    ] {
        check::<T>(device, &problem, 0)?;
        let lower_right = problem.keys as isize - problem.queries as isize;
        check::<T>(device, &Problem { causal: Some(lower_right), ..problem.clone() }, 3)?;
        let [batches, heads, _] = problem.heads;
        let all = vec![batches, heads, problem.queries, problem.keys];
        check::<T>(device, &Problem { mask: Some(all[2..].to_vec()), bias: Some(all), ..problem }, 1)?;
    }
    Ok(())
}

fn options(device: &Device) -> TestResult {
    for (queries, keys) in [(20, 40), (70, 20)] {
        let problem = Problem::new([2, 4, 2], queries, keys, [16, 24]);
        for offset in [0, -3, 5] {
            check::<f32>(device, &Problem { causal: Some(offset), ..problem.clone() }, 0)?;
        }
        check::<f32>(device, &Problem { scale: Some(-2.0), ..problem.clone() }, 0)?;
        check::<f32>(device, &Problem { scale: Some(2.0), cap: Some(1.5), ..problem.clone() }, 0)?;
        for shape in [vec![], vec![keys], vec![queries, 1], vec![2, 1, queries, keys]] {
            let (mask, bias) = (Some(shape), Some(vec![4, 1, keys]));
            let (causal, scale, cap) = (Some(5), Some(0.5), Some(2.0));
            check::<f32>(device, &Problem { causal, mask, bias, scale, cap, ..problem.clone() }, 1)?;
        }
    }
    Ok(())
}

/// The derivatives of the reference are those of its results, by differences in `f64`.
fn finite_differences(_: &Device) -> TestResult {
    let problem = Problem {
        causal: Some(1),
        mask: Some(vec![4, 5]),
        bias: Some(vec![5]),
        cap: Some(1.5),
        ..Problem::new([1, 4, 2], 4, 5, [3, 2])
    };
    let [of_q, of_k, of_v, of_y] = problem.lengths();
    let numbers = |count: usize, seed: u64| wide(&small::<f32>(count, seed, 0));
    let (dy, flags, bias) = (numbers(of_y, 5), problem.flags(), numbers(5, 4));
    let mut inputs = [numbers(of_q, 1), numbers(of_k, 2), numbers(of_v, 3)];
    let [q, k, v] = inputs.each_ref().map(Vec::as_slice);
    let exact = derivatives(&problem, [q, k, v, &dy], &flags, &bias);
    for array in 0..3 {
        for at in 0..inputs[array].len() {
            let step = 1e-5;
            let mut loss = |change: f64| {
                inputs[array][at] += change;
                let y = problem.wanted(inputs.each_ref().map(Vec::as_slice), &flags, &bias);
                y.iter().zip(&dy).map(|(y, dy)| y * dy).sum::<f64>()
            };
            let (above, below) = (loss(step), loss(-2.0 * step));
            loss(step);
            let difference = ((above - below) / (2.0 * step)) as f32;
            close(&[difference], &[exact[array][at]], [1e-5, 1e-6], &format!("array {array}, element {at}"))?;
        }
    }
    Ok(())
}

/// Without keys the derivatives by queries are 0, and without queries those by keys and values.
fn nothing(device: &Device) -> TestResult {
    let (six, none) = (device.buffer_from(&[1.0f32; 6])?, device.buffer::<f32>(0)?);
    let nines = || device.buffer_from(&[9.0f32; 6]);
    let (mut a, mut b, mut empty, mut other) = (nines()?, nines()?, device.buffer::<f32>(0)?, device.buffer::<f32>(0)?);
    let attention = Attention::<f32>::new([1, 3, 2, 1], [1, 1, 0, 1]);
    attention.backward(&six, &none, &none, &six, [&mut a, &mut empty, &mut other])?;
    same(&a.read()?, &[0.0; 6], "no keys")?;
    let attention = Attention::<f32>::new([1, 2, 0, 3], [1, 1, 2, 3]);
    attention.backward(&none, &six, &six, &none, [&mut empty, &mut a, &mut b])?;
    same(&a.read()?, &[0.0; 6], "no queries")?;
    same(&b.read()?, &[0.0; 6], "no queries")
}

/// A score of infinity makes its query's derivatives NaN, and those of the keys that count for it.
fn not_numbers(device: &Device) -> TestResult {
    let (q, k) = (device.buffer_from(&[1.0f32, f32::INFINITY])?, device.buffer_from(&[1.0f32, 2.0])?);
    let mut results = [device.buffer::<f32>(2)?, device.buffer::<f32>(2)?, device.buffer::<f32>(2)?];
    let [dq, dk, dv] = &mut results;
    // The first query has the first key only.
    let attention = || Attention::<f32>::new([1, 1, 2, 1], [1, 1, 2, 1]).causal(0);
    attention().backward(&q, &k, &k, &k, [dq, dk, dv])?;
    let dq = results[0].read()?;
    ensure(dq[0] == 0.0 && dq[1].is_nan(), || format!("{dq:?}"))?;
    let dv = results[2].read()?;
    ensure(dv[0].is_nan() && dv[1].is_nan(), || format!("{dv:?}"))
}

/// Keys that the mask excludes change no derivative, whatever their elements are, and get none from a row that is not
/// finite.
fn excluded_keys(device: &Device) -> TestResult {
    let ones = device.buffer_from(&[1.0f32; 2])?;
    let (k, v) = (device.buffer_from(&[1.0f32, f32::NAN])?, device.buffer_from(&[5.0f32, f32::INFINITY])?);
    let only_first = device.buffer_from(&[1u32, 0])?;
    for cap in [0.0, 3.0] {
        let mut results = [device.buffer::<f32>(2)?, device.buffer::<f32>(2)?, device.buffer::<f32>(2)?];
        let [dq, dk, dv] = &mut results;
        let mut attention = Attention::<f32>::new([1, 1, 2, 1], [1, 1, 2, 1]).mask(&only_first, [2]);
        if cap > 0.0 {
            attention = attention.cap(cap);
        }
        attention.backward(&ones, &k, &v, &ones, [dq, dk, dv])?;
        // The first key has the whole weight of both rows.
        same(&results[0].read()?, &[0.0; 2], "dq")?;
        same(&results[1].read()?, &[0.0; 2], "dk")?;
        same(&results[2].read()?, &[2.0, 0.0], "dv")?;
    }
    // The second row has an infinite score for the first key, which is its only key; the first row has the second key only.
    let q = device.buffer_from(&[1.0f32, f32::INFINITY])?;
    let diagonal = device.buffer_from(&[0u32, 1, 1, 0])?;
    let mut results = [device.buffer::<f32>(2)?, device.buffer::<f32>(2)?, device.buffer::<f32>(2)?];
    let [dq, dk, dv] = &mut results;
    let attention = Attention::<f32>::new([1, 1, 2, 1], [1, 1, 2, 1]).mask(&diagonal, [2, 2]);
    attention.backward(&q, &ones, &ones, &ones, [dq, dk, dv])?;
    let (dk, dv) = (results[1].read()?, results[2].read()?);
    ensure(dk[0].is_nan() && dv[0].is_nan(), || format!("the key of the infinite row: {dk:?}, {dv:?}"))?;
    ensure(dk[1] == 0.0 && dv[1] == 1.0, || format!("the key of the other row: {dk:?}, {dv:?}"))
}

/// More rows than there are workgroups in one dimension, and many keys.
fn long(device: &Device) -> TestResult {
    check::<f32>(device, &Problem::new([1, 1, 1], 3, 3001, [8, 8]), 0)?;
    check::<f32>(device, &Problem::new([1, 66_000, 66_000], 1, 2, [1, 1]), 0)
}

fn same_bits(device: &Device) -> TestResult {
    let problem = Problem::new([1, 4, 2], 70, 90, [32, 32]);
    let [of_q, of_k, of_v, of_y] = problem.lengths();
    let (q, k) = (device.buffer_from(&small::<f32>(of_q, 1, 0))?, device.buffer_from(&small::<f32>(of_k, 2, 0))?);
    let (v, dy) = (device.buffer_from(&small::<f32>(of_v, 3, 0))?, device.buffer_from(&small::<f32>(of_y, 5, 0))?);
    let (dk, dv) = (RefCell::new(device.buffer::<f32>(of_k)?), RefCell::new(device.buffer::<f32>(of_v)?));
    let mut first: Option<[Vec<f32>; 2]> = None;
    for _ in 0..2 {
        same_again(device, of_q, "the same call", |dq| {
            let (mut dk, mut dv) = (dk.borrow_mut(), dv.borrow_mut());
            problem.attention::<f32>().backward(&q, &k, &v, &dy, [dq, &mut *dk, &mut *dv])
        })?;
        let others = [dk.borrow_mut().read()?.to_vec(), dv.borrow_mut().read()?.to_vec()];
        let [dk, dv] = first.get_or_insert_with(|| others.clone());
        same(&others[0], dk, "dk")?;
        same(&others[1], dv, "dv")?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let (q, k) = (device.buffer_from(&[0.0f32; 2])?, device.buffer_from(&[1.0f32; 4])?);
    let (mut dy, stream) = (device.buffer_from(&[2.0f32; 2])?, device.stream());
    let (mut dq, mut dk, mut dv) = (device.buffer::<f32>(2)?, device.buffer::<f32>(4)?, device.buffer::<f32>(4)?);
    let mut recording = device.recording();
    let attention = || Attention::<f32>::new([1, 1, 2, 1], [1, 1, 4, 1]);
    attention().record(&mut recording).backward(&q, &k, &k, &dy, [&mut dq, &mut dk, &mut dv])?;
    same(&dv.read()?, &[0.0; 4], "before it was submitted")?;
    recording.submit()?;
    same(&dv.read()?, &[1.0; 4], "submitted")?;
    dy.copy_from_slice(&[4.0; 2])?;
    recording.submit()?;
    same(&dv.read()?, &[2.0; 4], "submitted again")?;
    dy.copy_from_slice(&[6.0; 2])?;
    attention().on(&stream).backward(&q, &k, &k, &dy, [&mut dq, &mut dk, &mut dv])?;
    same(&dv.read()?, &[3.0; 4], "on a stream")
}

fn refusals(device: &Device) -> TestResult {
    let (q, k) = (device.buffer_from(&[1.0f32; 24])?, device.buffer_from(&[1.0f32; 30])?);
    let (mut dq, mut dk) = (device.buffer_from(&[7.0f32; 24])?, device.buffer_from(&[7.0f32; 30])?);
    let mut dv = device.buffer_from(&[7.0f32; 30])?;
    let fits = || Attention::<f32>::new([1, 4, 2, 3], [1, 2, 5, 3]);
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let short = fits().backward(&q, &k, &k, &k, [&mut dq, &mut dk, &mut dv]);
    refused(short, is_length, &["attention: 'dy' has 30 elements", "[1, 4, 2, 3]", "24"])?;
    let short = fits().backward(&q, &k, &k, &q, [dq.slice_mut(..), dk.slice_mut(..), dv.slice_mut(1..)]);
    refused(short, is_length, &["attention: 'dv' has 29 elements", "[1, 2, 5, 3]", "30"])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let cap = fits().cap(-1.0).backward(&q, &k, &k, &q, [&mut dq, &mut dk, &mut dv]);
    refused(cap, is_choice, &["attention: a cap of -1"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let foreign = fits().backward(&q, &k, &k, &other.buffer::<f32>(24)?, [&mut dq, &mut dk, &mut dv]);
    refused(foreign, is_foreign, &["attention", "'dy'"])?;
    same(&dq.read()?, &[7.0; 24], "nothing has run")
}
