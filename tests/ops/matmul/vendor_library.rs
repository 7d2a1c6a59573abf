//! The commands for a device whose vendor has a matrix library, as text. Memory 1 is the first buffer of a case, memory
//! 2 the next; staging memory is numbered in the same sequence.

use std::sync::Arc;

use anywarp::Device;
use anywarp::backend::Routine;
use anywarp::ops::{Matmul, MatmulMethod, OperationError, Precision, matmul};
use anywarp_null::{NullBackend, NullOptions};
use half::f16;

use crate::Alone;
use crate::outcome::{TestResult, equal, refused};

type Case = fn() -> TestResult;

const CASES: [(&str, Case); 10] = [
    ("null::matmul::vendor_library::on_the_stream", on_the_stream),
    ("null::matmul::vendor_library::in_a_recording", in_a_recording),
    ("null::matmul::vendor_library::precisions", precisions),
    ("null::matmul::vendor_library::odd_halves", odd_halves),
    ("null::matmul::vendor_library::neighbours_of_odd_halves", neighbours_of_odd_halves),
    ("null::matmul::vendor_library::epilogue", epilogue),
    ("null::matmul::vendor_library::wide", wide),
    ("null::matmul::vendor_library::strides", strides),
    ("null::matmul::vendor_library::what_it_lacks_is_a_kernel", lacking),
    ("null::matmul::vendor_library::forms_that_it_lacks", lacking_forms),
];

pub(crate) fn cases() -> Vec<Alone> {
    CASES.into_iter().map(|(name, run)| (name.to_owned(), Box::new(run) as _)).collect()
}

fn device(precisions: &[Precision]) -> (Device, Arc<NullBackend>) {
    device_with(precisions.iter().copied().map(Routine::MatrixProduct).collect())
}

fn device_with(library: Vec<Routine>) -> (Device, Arc<NullBackend>) {
    let null = NullBackend::with(&NullOptions { library, ..NullOptions::staged() });
    (Device::from_backend(Arc::clone(&null) as _), null)
}

/// The product is recorded after the uploads of its factors. Host writes to `c` that the product overwrites are not
/// uploaded; only the product's range is downloaded.
fn on_the_stream() -> TestResult {
    let (device, null) = device(&[Precision::F32]);
    let (a, b) = (device.buffer_from(&[1.0f32; 6])?, device.buffer_from(&[1.0f32; 12])?);
    let mut c = device.buffer_from(&[1.0f32; 20])?;
    matmul(&a, &b, c.slice_mut(4..12), [2, 3, 4])?;
    c.read()?;
    c.slice_mut(..8).write()?.fill(3.0);
    matmul(&a, &b, c.slice_mut(..8), [2, 3, 4])?;
    c.read()?;
    let wanted = "\
copy memory 4[0..24] -> memory 1[0..24]
copy memory 5[0..48] -> memory 2[0..48]
copy memory 6[0..16] -> memory 3[0..16]
copy memory 6[16..48] -> memory 3[48..80]
matrix product f32 2x3x4 read memory 1[0..24] read memory 2[0..48] write memory 3[16..48]
copy memory 3[0..80] -> memory 7[0..80]
matrix product f32 2x3x4 read memory 1[0..24] read memory 2[0..48] write memory 3[0..32]
copy memory 3[0..32] -> memory 7[0..32]
";
    equal(null.submissions().concat().as_str(), wanted, "submissions")
}

fn in_a_recording() -> TestResult {
    let (device, null) = device(&[Precision::F32, Precision::Tf32]);
    let mut a = device.buffer_from(&[1.0f32; 6])?;
    let b = device.buffer::<f32>(12)?;
    let mut c = device.buffer::<f32>(8)?;
    let mut kept = device.recording();
    Matmul::new([2, 3, 4]).precision(Precision::Tf32).record(&mut kept).run(&a, &b, &mut c)?;
    equal(kept.barriers(), 0, "barriers")?;
    Matmul::new([2, 4, 3]).record(&mut kept).run(&c, &b, &mut a)?;
    equal((kept.len(), kept.barriers()), (2, 1), "commands and barriers")?;
    let wanted = "\
matrix product tf32 2x3x4 read memory 1[0..24] read memory 2[0..48] write memory 3[0..32]
matrix product f32 2x4x3 read memory 3[0..32] read memory 2[0..48] write memory 1[0..24]
";
    equal(kept.to_string().as_str(), wanted, "the recording")?;
    kept.submit()?.wait()?;
    kept.submit()?.wait()?;
    equal(null.submissions().len(), 3, "the upload and two replays")?;
    equal(null.misuse().len(), 0, "misuse")
}

/// TF32 is used only on request; a device without TF32 computes in `f32`.
fn precisions() -> TestResult {
    let run = |has: &[Precision], asked: Option<Precision>| -> TestResult<String> {
        let (device, null) = device(has);
        let (a, b) = (device.buffer::<f32>(1)?, device.buffer::<f32>(1)?);
        let mut c = device.buffer::<f32>(1)?;
        let product = Matmul::new([1, 1, 1]);
        match asked {
            None => product.run(&a, &b, &mut c)?,
            Some(precision) => product.precision(precision).run(&a, &b, &mut c)?,
        }
        device.synchronize()?;
        let text = null.submissions().concat();
        Ok(text.split(' ').take(3).collect::<Vec<_>>().join(" "))
    };
    let both = [Precision::F32, Precision::Tf32];
    equal(run(&both, None)?.as_str(), "matrix product f32", "unasked")?;
    equal(run(&both, Some(Precision::F32))?.as_str(), "matrix product f32", "f32")?;
    equal(run(&both, Some(Precision::Tf32))?.as_str(), "matrix product tf32", "tf32")?;
    equal(run(&[Precision::F32], Some(Precision::Tf32))?.as_str(), "matrix product f32", "tf32 of a device without")?;
    equal(
        run(&[Precision::Tf32], None)?.as_str(),
        "dispatch shaders/ops/matmul_vector.wgsl:lines [1,",
        "f32 of a device without",
    )
}

/// Regions are the exact bytes of the matrices, although transfers move whole words.
fn odd_halves() -> TestResult {
    let (device, null) = device(&[Precision::F16]);
    let (a, b) = (device.buffer::<f16>(9)?, device.buffer::<f16>(9)?);
    let mut c = device.buffer::<f16>(11)?;
    matmul(&a, &b, c.slice_mut(1..10), [3, 3, 3])?;
    device.synchronize()?;
    let wanted = "matrix product f16 3x3x3 read memory 1[0..18] read memory 2[0..18] write memory 3[2..20]\n";
    equal(null.submissions().concat().as_str(), wanted, "submissions")
}

/// Host writes beside a matrix are uploaded, even in a word that the matrix shares.
fn neighbours_of_odd_halves() -> TestResult {
    let (device, null) = device(&[Precision::F16]);
    let (a, b) = (device.buffer::<f16>(1)?, device.buffer::<f16>(6)?);
    let mut c = device.buffer_from(&[f16::ONE; 11])?;
    matmul(&a, &b, c.slice_mut(1..7), [1, 1, 6])?;
    device.synchronize()?;
    let wanted = "\
copy memory 4[0..4] -> memory 3[0..4]
copy memory 4[4..16] -> memory 3[12..24]
matrix product f16 1x1x6 read memory 1[0..2] read memory 2[0..12] write memory 3[2..14]
";
    equal(null.submissions().concat().as_str(), wanted, "submissions")
}

/// The epilogue of a product is a dispatch after it, in place.
fn epilogue() -> TestResult {
    let (device, null) = device(&[Precision::F16]);
    let (a, b) = (device.buffer::<f16>(9)?, device.buffer::<f16>(9)?);
    let (bias, residual, mut c) = (device.buffer::<f16>(3)?, device.buffer::<f16>(9)?, device.buffer::<f16>(9)?);
    Matmul::new([3, 3, 3]).bias(&bias).residual(&residual).run(&a, &b, &mut c)?;
    device.synchronize()?;
    let text = null.submissions().concat();
    let lines: Vec<&str> = text.lines().map(|line| line.split(" value").next().unwrap_or(line)).collect();
    let wanted = vec![
        "matrix product f16 3x3x3 read memory 1[0..18] read memory 2[0..18] write memory 5[0..18]",
        "dispatch shaders/ops/matmul_finish.wgsl:finish [1, 1, 1]",
    ];
    equal(lines, wanted, "submissions")
}

/// A wide product with factors and an epilogue: `c` has elements of 4 bytes, and the epilogue is a dispatch after it.
fn wide() -> TestResult {
    let (device, null) = device_with(Routine::matrix_products(Precision::F16).collect());
    let (a, b) = (device.buffer::<f16>(6)?, device.buffer::<f16>(12)?);
    let (bias, mut c) = (device.buffer::<f32>(4)?, device.buffer::<f32>(9)?);
    let product = || Matmul::wide([2, 3, 4]).alpha(0.5).beta(2.0);
    product().run(&a, &b, c.slice_mut(1..))?;
    product().bias(&bias).run(&a, &b, c.slice_mut(1..))?;
    device.synchronize()?;
    let text = null.submissions().concat();
    let lines: Vec<&str> = text.lines().map(|line| line.split(" value").next().unwrap_or(line)).collect();
    let product = "matrix product f16 2x3x4 into f32 times 0.5 plus 2 c \
        read memory 1[0..12] read memory 2[0..24] write memory 4[4..36]";
    let finish = "dispatch shaders/ops/matmul_finish.wgsl:finish [1, 1, 1]";
    equal(lines, vec![product, product, finish], "submissions")
}

/// Distances of rows and matrices; what lies between the rows of `c` is uploaded, as the product keeps it.
fn strides() -> TestResult {
    let (device, null) = device_with(Routine::matrix_products(Precision::F32).collect());
    let (a, b) = (device.buffer::<f32>(18)?, device.buffer::<f32>(14)?);
    let mut c = device.buffer_from(&[1.0f32; 22])?;
    let product = || Matmul::new([2, 3, 4]).batches(2).share_b();
    product().row_strides([3, 5, 6]).batch_strides([12, 0, 12]).run(&a, &b, &mut c)?;
    // Strides without gaps are none.
    product().row_strides([3, 4, 4]).run(&a, &b, &mut c)?;
    device.synchronize()?;
    let wanted = "\
copy memory 4[0..88] -> memory 3[0..88]
matrix product f32 2x3x4 shared b batch of 2 rows [3, 5, 6] matrices [12, 0, 12] apart \
        read memory 1[0..72] read memory 2[0..56] write memory 3[0..88]
matrix product f32 2x3x4 shared b batch of 2 read memory 1[0..72] read memory 2[0..56] write memory 3[0..88]
";
    equal(null.submissions().concat().as_str(), wanted, "submissions")
}

/// A library without strides, or without results in `f32`, is not called for them: by default a kernel is, and the method
/// is refused.
fn lacking_forms() -> TestResult {
    let (device, null) = device(&[Precision::F32, Precision::F16]);
    let (a, b, mut c) = (device.buffer::<f16>(81)?, device.buffer::<f16>(81)?, device.buffer::<f32>(90)?);
    let error = Matmul::wide([9; 3]).method(MatmulMethod::Library).run(&a, &b, c.slice_mut(..81));
    let lacks = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    refused(error, lacks, &["the method the library is not possible", "this type of results", "`Caps::library`"])?;
    let (of_a, of_b) = (device.buffer::<f32>(81)?, device.buffer::<f32>(81)?);
    let strided = || Matmul::new([9; 3]).row_strides([9, 9, 10]);
    refused(strided().method(MatmulMethod::Library).run(&of_a, &of_b, &mut c), lacks, &["if there are any, strides"])?;
    Matmul::wide([9; 3]).run(&a, &b, c.slice_mut(..81))?;
    strided().run(&of_a, &of_b, &mut c)?;
    device.synchronize()?;
    let text = null.submissions().concat();
    let lines: Vec<&str> = text.lines().map(|line| line.split(" value").next().unwrap_or(line)).collect();
    let wanted = vec![
        "dispatch shaders/ops/matmul_packed.wgsl:matmul [1, 1, 1]",
        "dispatch shaders/ops/matmul_f32.wgsl:matmul [1, 1, 1]",
    ];
    equal(lines, wanted, "submissions")
}

fn lacking() -> TestResult {
    let (device, null) = device(&[Precision::F32]);
    let (a, b) = (device.buffer::<f16>(81)?, device.buffer::<f16>(81)?);
    let mut c = device.buffer::<f16>(81)?;
    matmul(&a, &b, &mut c, [9, 9, 9])?;
    device.synchronize()?;
    let wanted = "dispatch shaders/ops/matmul_packed.wgsl:matmul [1, 1, 1] value \
        [09, 00, 00, 00, 09, 00, 00, 00, 09, 00, 00, 00, 01, 00, 00, 00, 01, 00, 00, 00, 00, 00, 00, 00, \
        00, 00, 00, 00, 00, 00, 00, 00, 09, 00, 00, 00, 09, 00, 00, 00, 09, 00, 00, 00, 51, 00, 00, 00, \
        51, 00, 00, 00, 51, 00, 00, 00, 00, 00, 80, 3f, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, \
        51, 00, 00, 00, 01, 00, 00, 00, 01, 00, 00, 00, 09, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00] \
        read memory 1[0..164] read memory 2[0..164] \
        write memory 3[0..164] read memory 1[0..164] read memory 1[0..164]\n";
    equal(null.submissions().concat().as_str(), wanted, "submissions")
}
