//! Random numbers: the same bits on every device.

use anywarp::ops::{OperationError, Random, RandomBits};
use anywarp::{Device, Element, Error, ErrorClass, UnifiedBuffer};
use half::f16;

use crate::outcome::{TestResult, ensure, equal, refused, same, skip};
use crate::{Alone, Case};

#[path = "../../src/ops/random/reference.rs"]
mod reference;

const SEED: u64 = 0xfedc_ba98_7654_3210;

pub(crate) fn cases() -> Vec<Case> {
    vec![
        ("random::words".to_owned(), words),
        ("random::bits_of_each_type".to_owned(), bits_of_each_type),
        ("random::same_bits_everywhere".to_owned(), same_bits_everywhere),
        ("random::distributions".to_owned(), distributions),
        ("random::halves".to_owned(), halves),
        ("random::integers".to_owned(), integers),
        ("random::chances".to_owned(), chances),
        ("random::permutations".to_owned(), permutations),
        ("random::permutation_of_many_workgroups".to_owned(), permutation_of_many_workgroups),
        ("random::slices".to_owned(), slices),
        ("random::recorded".to_owned(), recorded),
        ("random::streams".to_owned(), streams),
        ("random::refusals".to_owned(), refusals),
    ]
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::random".to_owned(), Box::new(clean))
}

fn drawn<T: Element>(
    device: &Device,
    length: usize,
    draw: impl Fn(&mut UnifiedBuffer<T>) -> Result<(), OperationError>,
) -> anywarp::Result<Vec<T>> {
    let mut x = device.buffer::<T>(length)?;
    draw(&mut x)?;
    Ok(x.read()?.to_vec())
}

fn stream_words(stream: u32, numbers: std::ops::Range<u64>) -> Vec<u32> {
    numbers.map(|number| reference::word(SEED, stream, number)).collect()
}

/// Random words have Random123's numbering for all lengths and offsets.
fn words(device: &Device) -> TestResult {
    equal(reference::philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8], "the reference")?;
    for length in [0, 1, 2, 3, 4, 5, 255, 1023, 1024, 1025, 16_383, 16_384, 16_385, 70_001] {
        for (offset, stream) in [(0, 0), (1, 1), (4, u32::MAX), (1 << 40, 7), ((1 << 34) - 2, 0)] {
            let got = drawn(device, length, |x| Random::new(SEED).stream(stream).offset(offset).bits(x))?;
            let wanted = stream_words(stream, offset..offset + length as u64);
            same(&got, &wanted, &format!("{length} words of stream {stream} from {offset} on"))?;
        }
    }
    Ok(())
}

fn bits_of_each_type(device: &Device) -> TestResult {
    fn check<T: RandomBits + std::fmt::Debug + PartialEq>(device: &Device) -> TestResult {
        let width = size_of::<T>() / 4;
        let got = drawn::<T>(device, 501, |x| Random::new(SEED).offset(3).bits(x))?;
        let first = 3 * width as u64;
        let wanted = stream_words(0, first..first + 501 * width as u64);
        same(bytemuck::cast_slice::<T, u32>(&got), &wanted, std::any::type_name::<T>())
    }
    check::<u32>(device)?;
    check::<i32>(device)?;
    check::<u64>(device)?;
    check::<i64>(device)
}

/// All devices return the numbers of one table, which another program computed in integers of any size.
fn same_bits_everywhere(device: &Device) -> TestResult {
    let bits = |x: Vec<f32>| x.into_iter().map(f32::to_bits).collect::<Vec<u32>>();
    let random = || Random::new(2026).stream(11);
    same(&bits(drawn(device, 6, |x| random().uniform(x))?), &UNIFORM, "uniform")?;
    same(&bits(drawn(device, 6, |x| random().normal(x))?), &NORMAL, "normal")?;
    same(&bits(drawn(device, 6, |x| random().exponential(x))?), &EXPONENTIAL, "exponential")?;
    same(&bits(drawn(device, 6, |x| random().dropout(0.3, x))?), &DROPOUT, "dropout")?;
    same(&drawn(device, 6, |x| random().integers(-100..3_000_000, x))?, &INTEGERS, "integers")?;
    same(&drawn(device, 10, |x| random().permutation(x))?, &PERMUTATION, "permutation")?;
    same(&drawn(device, 4, |x| random().choice(1_000_000, x))?, &CHOICE, "choice")?;
    // Longer results are compared by a sum of their bits.
    let sum = |x: Vec<f32>| bits(x).iter().fold(0u64, |sum, bits| sum.wrapping_mul(31).wrapping_add(u64::from(*bits)));
    equal(sum(drawn(device, 100_000, |x| random().normal(x))?), SUM_OF_NORMAL, "100,000 of normal")?;
    equal(sum(drawn(device, 100_000, |x| random().exponential(x))?), SUM_OF_EXPONENTIAL, "100,000 of exponential")
}

const UNIFORM: [u32; 6] = [1_039_511_584, 1_052_009_050, 1_063_170_484, 1_048_139_100, 990_766_080, 1_061_801_691];
const NORMAL: [u32; 6] = [3_214_804_549, 1_070_791_718, 1_018_224_457, 1_057_426_518, 1_062_587_081, 3_227_105_596];
const EXPONENTIAL: [u32; 6] =
    [1_074_247_474, 1_065_715_902, 1_041_152_288, 1_068_815_031, 1_086_608_447, 1_047_761_333];
const DROPOUT: [u32; 6] = [1_068_948_334, 1_068_948_334, 0, 1_068_948_334, 1_068_948_334, 0];
const INTEGERS: [i32; 6] = [359_806, 1_056_873, 2_609_684, 730_393, 6_395, 2_364_916];
const PERMUTATION: [u32; 10] = [8, 1, 9, 4, 7, 3, 2, 0, 5, 6];
const CHOICE: [u32; 4] = [59_695, 147_859, 644_334, 710_475];
const SUM_OF_NORMAL: u64 = 6_560_672_026_925_853_025;
const SUM_OF_EXPONENTIAL: u64 = 1_223_989_396_089_624_702;

/// Each distribution follows its formula, which is evaluated in `f64`.
fn distributions(device: &Device) -> TestResult {
    const COUNT: usize = 20_000;
    let words = stream_words(0, 0..COUNT as u64);
    let random = || Random::new(SEED);
    let uniform: Vec<f32> = words.iter().map(|word| reference::uniform_f32(*word)).collect();
    same(&drawn(device, COUNT, |x| random().uniform(x))?, &uniform, "uniform f32")?;
    let uniform: Vec<f64> = words.chunks(2).map(|pair| reference::uniform_f64(pair[0], pair[1])).collect();
    same(&drawn(device, COUNT / 2, |x| random().uniform(x))?, &uniform, "uniform f64")?;
    // The tolerance is one rounding and the errors of the fixed-point numbers.
    let close = |got: f32, wanted: f64, what: &str| {
        let error = (f64::from(got) - wanted).abs();
        ensure(error <= wanted.abs() * 2f64.powi(-23) + 2f64.powi(-28), || format!("{what}: {got} is not {wanted}"))
    };
    for (got, word) in drawn(device, COUNT, |x| random().exponential(x))?.into_iter().zip(&words) {
        close(got, reference::exponential(*word), "exponential")?;
    }
    for (got, pair) in drawn(device, COUNT, |x| random().normal(x))?.chunks(2).zip(words.chunks(2)) {
        let wanted = reference::normal_pair(pair[0], pair[1]);
        close(got[0], wanted[0], "normal")?;
        close(got[1], wanted[1], "normal")?;
    }
    Ok(())
}

/// Numbers of `f16` are those of `f32`, rounded; slices at any offset work, and elements around them are unchanged.
fn halves(device: &Device) -> TestResult {
    let rounded = |x: Vec<f32>| x.into_iter().map(f16::from_f32).collect::<Vec<f16>>();
    for (start, length, offset) in
        [(0, 4000, 0), (1, 999, 5), (3, 1, 2), (2, 0, 0), (5, 1024, 1 << 34), (1, 2, 3), (0, 3, 1)]
    {
        let random = || Random::new(SEED).stream(9).offset(offset);
        let words = stream_words(9, offset..offset + length as u64);
        let uniform: Vec<f16> = words.iter().map(|word| f16::from_f32((word >> 21) as f32 / 2048.0)).collect();
        let normal = rounded(drawn(device, length, |x| random().normal(x))?);
        let exponential = rounded(drawn(device, length, |x| random().exponential(x))?);
        let seven = f16::from_f32(7.0);
        for (what, wanted) in [("uniform", uniform), ("normal", normal), ("exponential", exponential)] {
            let mut x = device.buffer_from(&vec![seven; start + length + 3])?;
            match what {
                "uniform" => random().uniform(x.slice_mut(start..start + length))?,
                "normal" => random().normal(x.slice_mut(start..start + length))?,
                _ => random().exponential(x.slice_mut(start..start + length))?,
            }
            let got = x.read()?.to_vec();
            let what = format!("{what}: {length} halves from {start}, offset {offset}");
            same(&got[start..start + length], &wanted, &what)?;
            let around = got[..start].iter().chain(&got[start + length..]).all(|x| *x == seven);
            ensure(around, || format!("{what}: neighbours have changed"))?;
        }
    }
    Ok(())
}

fn integers(device: &Device) -> TestResult {
    for span in [1u32, 2, 3, 1000, (1 << 31) + 1, u32::MAX] {
        let got = drawn(device, 3001, |x| Random::new(SEED).offset(2).integers(0..span, x))?;
        let wanted: Vec<u32> = (2..3003).map(|number| reference::below(SEED, 0, number, span)).collect();
        same(&got, &wanted, &format!("below {span}"))?;
    }
    let got = drawn(device, 1000, |x| Random::new(SEED).integers(i32::MIN..i32::MAX, x))?;
    let wanted: Vec<i32> = (0..1000)
        .map(|number| reference::below(SEED, 0, number, u32::MAX).cast_signed().wrapping_add(i32::MIN))
        .collect();
    same(&got, &wanted, "nearly all i32")?;
    ensure(got.iter().any(|value| *value < 0) && got.iter().any(|value| *value > 0), || "one sign only".to_owned())
}

fn chances(device: &Device) -> TestResult {
    let words = stream_words(0, 0..5000);
    for chance in [0.0, 0.25, 0.9, 1.0] {
        let limit = (chance * 2f64.powi(32)).round();
        let wanted: Vec<f32> = words.iter().map(|word| f32::from(u8::from(f64::from(*word) < limit))).collect();
        same(&drawn(device, 5000, |x| Random::new(SEED).bernoulli(chance, x))?, &wanted, &format!("chance {chance}"))?;
    }
    let ones = drawn::<i32>(device, 5000, |x| Random::new(SEED).bernoulli(0.5, x))?.iter().sum::<i32>();
    ensure((2300..2700).contains(&ones), || format!("{ones} of 5000"))?;
    let factors = drawn(device, 5000, |x| Random::new(SEED).dropout(0.75, x))?;
    ensure(factors.iter().all(|factor| [0.0, 4.0].contains(factor)), || "other factors".to_owned())?;
    same(&drawn(device, 9, |x| Random::new(SEED).dropout(1.0, x))?, &[0.0; 9], "nothing kept")
}

fn is_permutation(numbers: &[u32]) -> bool {
    let mut seen = vec![false; numbers.len()];
    numbers.iter().all(|number| seen.get_mut(*number as usize).is_some_and(|seen| !std::mem::replace(seen, true)))
}

fn permutations(device: &Device) -> TestResult {
    for n in [0, 1, 2, 3, 100, 255, 256, 257, 1000, 4096, 4097, 65_537] {
        let all = drawn(device, n, |x| Random::new(SEED).permutation(x))?;
        ensure(is_permutation(&all), || format!("{n} numbers are no permutation"))?;
        let some = drawn(device, n.div_ceil(3), |x| Random::new(SEED).choice(n, x))?;
        same(&some, &all[..n.div_ceil(3)], &format!("a choice among {n}"))?;
    }
    let [one, other] = [1, 2].map(|stream| drawn(device, 1000, |x| Random::new(SEED).stream(stream).permutation(x)));
    ensure(one? != other?, || "two streams give one order".to_owned())
}

fn permutation_of_many_workgroups(device: &Device) -> TestResult {
    let n = 65_536 * 256 + 1;
    let all = drawn(device, n, |x| Random::new(SEED).permutation(x))?;
    ensure(is_permutation(&all), || "no permutation".to_owned())
}

/// Slices at any offset work; elements around them are unchanged.
fn slices(device: &Device) -> TestResult {
    for (from, length) in [(1, 5), (3, 1000), (64, 128), (7, 0), (2, 40_000)] {
        let mut x = device.buffer_from(&vec![99u32; 50_000])?;
        let mut wanted = vec![99; 50_000];
        Random::new(SEED).offset(9).bits(x.slice_mut(from..from + length))?;
        wanted[from..from + length].copy_from_slice(&stream_words(0, 9..9 + length as u64));
        same(&x.read()?, &wanted, &format!("{length} elements from {from}"))?;
    }
    let mut x = device.buffer_from(&[-1.0f64; 100])?;
    Random::new(SEED).uniform(x.slice_mut(33..66))?;
    let wanted = drawn(device, 33, |x| Random::new(SEED).uniform(x))?;
    let x = x.read()?;
    same(&x[33..66], &wanted, "elements of two words")?;
    ensure(x[..33].iter().chain(&x[66..]).all(|x| *x == -1.0), || "elements around them".to_owned())
}

fn recorded(device: &Device) -> TestResult {
    let mut x = device.buffer::<u32>(10)?;
    let mut recording = device.recording();
    Random::new(SEED).record(&mut recording).bits(&mut x)?;
    same(&x.read()?, &[0; 10], "before it was submitted")?;
    for _ in 0..2 {
        recording.submit()?;
        same(&x.read()?, &stream_words(0, 0..10), "submitted")?;
        x.fill(0)?;
    }
    Ok(())
}

fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let (mut x, mut y) = (device.buffer::<u32>(1000)?, device.buffer::<u32>(1000)?);
    Random::new(SEED).on(&first).bits(&mut x)?;
    Random::new(SEED).offset(1000).on(&second).bits(&mut y)?;
    same(&x.read()?, &stream_words(0, 0..1000), "on one stream")?;
    same(&y.read()?, &stream_words(0, 1000..2000), "on another")
}

fn refusals(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[5u32; 4])?;
    let random = || Random::new(SEED);
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    refused(random().integers(3..3, &mut x), choice, &["random numbers", "3..3", "start < end"])?;
    refused(random().bernoulli(1.5, &mut x), choice, &["a chance of 1.5", "0 to 1"])?;
    refused(random().choice(3, &mut x), choice, &["a choice of 4", "at most 3"])?;
    let mut floats = device.buffer::<f32>(4)?;
    refused(random().dropout(-0.5, &mut floats), choice, &["a chance of 1.5"])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(random().bits(x.slice_mut(2..5)), slice, &["'x'", "2..5", "4 elements"])?;
    refused(random().permutation(x.slice_mut(2..5)), slice, &["'x'", "2..5", "4 elements"])?;
    let large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(random().cost::<u64>(1 << 31), large, &["x", "2147483648"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(random().on(&other.stream()).bits(&mut x), foreign, &["random numbers", "the stream"])?;
    equal(Error::from(random().integers(7..7, &mut x).unwrap_err()).class(), ErrorClass::Programmer, "class")?;
    same(&x.read()?, &[5; 4], "nothing has run")
}

/// A checked device finds no race and no access out of range.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    let mut x = device.buffer::<f32>(20_000)?;
    Random::new(SEED).normal(x.slice_mut(3..700))?;
    Random::new(SEED).uniform(&mut x)?;
    let mut y = device.buffer::<u32>(1000)?;
    Random::new(SEED).permutation(y.slice_mut(1..900))?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
