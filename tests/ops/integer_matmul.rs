//! Products of 8-bit integers, equal to those of the reference.

use anywarp::Device;
use anywarp::ops::{ByteElement, IntegerMatmul, OperationError, integer_matmul};

use crate::outcome::{TestResult, ensure, equal, refused, same, skip};
use crate::{Alone, Case, Unnamed};

#[path = "../../src/ops/integer_matmul/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 10] = [
        ("integer_matmul::i8", shapes::<i8, i8>),
        ("integer_matmul::u8", shapes::<u8, u8>),
        ("integer_matmul::u8_i8", shapes::<u8, i8>),
        ("integer_matmul::i8_u8", shapes::<i8, u8>),
        ("integer_matmul::forms", forms),
        ("integer_matmul::sums_wrap", sums_wrap),
        ("integer_matmul::slices", slices),
        ("integer_matmul::recorded", recorded),
        ("integer_matmul::deep", deep),
        ("integer_matmul::refusals", refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::integer_matmul".to_owned(), Box::new(clean))
}

/// Numbers of the whole range of a type, and the same ones in 32 bits.
fn numbers<T: ByteElement>(count: usize, seed: usize) -> (Vec<T>, Vec<i32>) {
    let bytes: Vec<u8> = (0..count).map(|at| ((at + seed).wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let all: Vec<T> = bytemuck::cast_slice(&bytes).to_vec();
    let signed = i32::from(std::any::type_name::<T>() == "i8") * 256;
    let wide = bytes.iter().map(|byte| i32::from(*byte) - if *byte > 127 { signed } else { 0 }).collect();
    (all, wide)
}

/// Below, at and above tiles of 64 x 64 and depths of 32; odd lines, and aligned ones.
const SHAPES: [[usize; 3]; 12] = [
    [1, 1, 1],
    [2, 3, 2],
    [64, 32, 64],
    [65, 33, 63],
    [63, 100, 130],
    [1, 1000, 1],
    [7, 4, 1],
    [1, 65, 200],
    [0, 3, 2],
    [2, 3, 0],
    [2, 0, 3],
    [0, 0, 0],
];

fn shapes<A: ByteElement, B: ByteElement>(device: &Device) -> TestResult {
    for sizes @ [m, k, n] in SHAPES {
        let ((a, wide_a), (b, wide_b)) = (numbers::<A>(m * k, 1), numbers::<B>(k * n, 2));
        let (a, b) = (device.buffer_from(&a)?, device.buffer_from(&b)?);
        let mut c = device.buffer_from(&vec![9i32; m * n])?;
        integer_matmul(&a, &b, &mut c, sizes)?;
        let wanted = reference::integer_matmul(&wide_a, &wide_b, sizes, [0; 2]);
        same(&c.read()?, &wanted, &format!("{sizes:?}"))?;
        let zeros = [100, 3];
        let mut c = device.buffer_from(&vec![9u32; m * n])?;
        IntegerMatmul::new(sizes).zeros(zeros).run(&a, &b, &mut c)?;
        let wanted = reference::integer_matmul(&wide_a, &wide_b, sizes, zeros);
        let wanted: Vec<u32> = wanted.into_iter().map(i32::cast_unsigned).collect();
        same(&c.read()?, &wanted, &format!("{sizes:?} with zeros"))?;
    }
    Ok(())
}

/// A matrix with its axes exchanged.
fn exchanged<T: Copy>(matrix: &[T], [rows, columns]: [usize; 2]) -> Vec<T> {
    (0..rows * columns).map(|at| matrix[at % rows * columns + at / rows]).collect()
}

fn forms(device: &Device) -> TestResult {
    let batches = 3;
    for sizes @ [m, k, n] in [[3, 5, 7], [65, 33, 70], [64, 64, 64], [4, 36, 8]] {
        for form in 0..16 {
            let [transpose_a, transpose_b, share_a, share_b] = [0, 1, 2, 3].map(|bit| form >> bit & 1 == 1);
            let count = |shared: bool| if shared { 1 } else { batches };
            let (a, wide_a) = numbers::<u8>(m * k * count(share_a), 3);
            let (b, wide_b) = numbers::<i8>(k * n * count(share_b), 4);
            let mut wanted = Vec::new();
            for batch in 0..batches {
                let a = &wide_a[if share_a { 0 } else { batch * m * k }..][..m * k];
                let b = &wide_b[if share_b { 0 } else { batch * k * n }..][..k * n];
                let a = if transpose_a { exchanged(a, [k, m]) } else { a.to_vec() };
                let b = if transpose_b { exchanged(b, [n, k]) } else { b.to_vec() };
                wanted.extend(reference::integer_matmul(&a, &b, sizes, [7, -9]));
            }
            let mut product = IntegerMatmul::new(sizes).batches(batches).zeros([7, -9]);
            if transpose_a {
                product = product.transpose_a();
            }
            if transpose_b {
                product = product.transpose_b();
            }
            if share_a {
                product = product.share_a();
            }
            if share_b {
                product = product.share_b();
            }
            let (a, b) = (device.buffer_from(&a)?, device.buffer_from(&b)?);
            let mut c = device.buffer::<i32>(m * n * batches)?;
            product.run(&a, &b, &mut c)?;
            same(&c.read()?, &wanted, &format!("{sizes:?}, form {form:04b}"))?;
        }
    }
    Ok(())
}

/// 66,052 products of 255 and 255 exceed `u32`.
fn sums_wrap(device: &Device) -> TestResult {
    for (depth, wanted) in [(66_051, 4_294_966_275), (66_052, 64_004)] {
        let a = device.buffer_from(&vec![255u8; depth])?;
        let mut c = device.buffer::<u32>(1)?;
        integer_matmul(&a, &a, &mut c, [1, depth, 1])?;
        equal(c.read()?[0], wanted, "the sum")?;
    }
    Ok(())
}

/// Matrices at each byte of a word; elements around the product keep their bits.
fn slices(device: &Device) -> TestResult {
    let sizes @ [m, k, n] = [5, 35, 6];
    let ((a, wide_a), (b, wide_b)) = (numbers::<i8>(m * k + 7, 5), numbers::<i8>(k * n + 7, 6));
    let (a, b) = (device.buffer_from(&a)?, device.buffer_from(&b)?);
    for skip in 0..7 {
        let mut c = device.buffer_from(&vec![9i32; m * n + 9])?;
        let (of_a, of_b) = (skip..skip + m * k, 6 - skip..6 - skip + k * n);
        integer_matmul(a.slice(of_a.clone()), b.slice(of_b.clone()), c.slice_mut(skip..skip + m * n), sizes)?;
        let product = reference::integer_matmul(&wide_a[of_a], &wide_b[of_b], sizes, [0; 2]);
        let wanted = [&vec![9; skip][..], &product, &vec![9; 9 - skip]].concat();
        same(&c.read()?, &wanted, &format!("from element {skip}"))?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let (mut a, b) = (device.buffer_from(&[1i8, -2])?, device.buffer_from(&[3i8, 4])?);
    let (mut c, mut recording, stream) = (device.buffer::<i32>(1)?, device.recording(), device.stream());
    IntegerMatmul::new([1, 2, 1]).record(&mut recording).run(&a, &b, &mut c)?;
    same(&c.read()?, &[0], "before it was submitted")?;
    recording.submit()?;
    same(&c.read()?, &[-5], "submitted")?;
    a.copy_from_slice(&[100, 100])?;
    recording.submit()?;
    same(&c.read()?, &[700], "submitted again")?;
    let mut outer = device.buffer::<i32>(4)?;
    IntegerMatmul::new([2, 1, 2]).on(&stream).run(&a, &b, &mut outer)?;
    same(&outer.read()?, &[300, 400, 300, 400], "on a stream")
}

/// A great depth is right, or refused where a driver would end the loop early.
fn deep(device: &Device) -> TestResult {
    const DEPTH: usize = 200_003;
    let (a, b) = (device.buffer_from(&vec![1i8; DEPTH])?, device.buffer_from(&vec![2u8; DEPTH])?);
    let mut c = device.buffer_from(&[7i32])?;
    match integer_matmul(&a, &b, &mut c, [1, DEPTH, 1]) {
        Ok(()) => same(&c.read()?, &[2 * DEPTH as i32], "the sum"),
        Err(error @ OperationError::Choice { .. }) => {
            ensure(error.to_string().contains("a depth of 200003"), || error.to_string())?;
            same(&c.read()?, &[7], "nothing has run")
        }
        Err(error) => Err(error.into()),
    }
}

fn refusals(device: &Device) -> TestResult {
    let (a, b) = (device.buffer_from(&[1i8; 6])?, device.buffer_from(&[1u8; 6])?);
    let mut c = device.buffer_from(&[7i32; 4])?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let short = integer_matmul(&a, &b, &mut c, [2, 4, 2]);
    refused(short, is_length, &["integer matrix product: 'a' has 6 elements", "[2, 4]", "8"])?;
    let short = integer_matmul(&a, &b, &mut c, [2, 3, 3]);
    refused(short, is_length, &["integer matrix product: 'b' has 6 elements", "[3, 3]", "9"])?;
    let short = IntegerMatmul::new([1, 3, 2]).batches(2).share_b().run(&a, &b, c.slice_mut(..3));
    refused(short, is_length, &["integer matrix product: 'c' has 3 elements", "[2, 1, 2]", "4"])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let zero = IntegerMatmul::new([2, 3, 2]).zeros([128, 0]).run(&a, &b, &mut c);
    refused(zero, is_choice, &["integer matrix product: the zero of a", "from -128 to 127", "128"])?;
    let zero = IntegerMatmul::new([2, 3, 2]).zeros([0, -1]).run(&a, &b, &mut c);
    refused(zero, is_choice, &["integer matrix product: the zero of b", "from 0 to 255", "-1"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    let large = integer_matmul(&a, &b, &mut c, [1 << 20, 1 << 20, 1]);
    refused(large, is_large, &["integer matrix product: a has the shape [1048576, 1048576]"])?;
    let large = IntegerMatmul::new([0, 0, 0]).batches(1 << 40).run(&a, &b, &mut c);
    refused(large, is_large, &["integer matrix product: the sizes and batches"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let foreign = integer_matmul(&a, &other.buffer::<u8>(6)?, &mut c, [2, 3, 2]);
    refused(foreign, is_foreign, &["integer matrix product", "'b'"])?;
    same(&c.read()?, &[7; 4], "nothing has run")
}

/// No race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    forms(&device)?;
    slices(&device)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
