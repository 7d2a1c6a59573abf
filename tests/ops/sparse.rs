//! Products of sparse matrices, and conversions of their form.

use anywarp::Device;
use anywarp::backend::Capabilities;
use anywarp::ops::{OperationError, SparseElement, SparseFormat, SparseMatrix, SparseProduct, spmm, spmv};

use crate::outcome::{TestResult, ensure, equal, refused, same, skip};
use crate::{Alone, Case, Unnamed};

#[path = "../../src/ops/sparse/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 9] = [
        ("sparse::f32", shapes::<f32>),
        ("sparse::f64", doubles),
        ("sparse::empty", empty),
        ("sparse::sliced", sliced),
        ("sparse::blocks", blocks),
        ("sparse::recorded", recorded),
        ("sparse::conversions", conversions),
        ("sparse::duplicates", duplicates),
        ("sparse::refusals", refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::sparse".to_owned(), Box::new(clean))
}

/// Small whole numbers, whose sums are exact in any order.
fn number(at: usize) -> f64 {
    (at.wrapping_mul(0x9e37_79b9) >> 7) as f64 % 9.0 - 4.0
}

trait Number: SparseElement + PartialEq + std::fmt::Debug {
    fn narrow(value: f64) -> Self;
}

impl Number for f32 {
    fn narrow(value: f64) -> Self {
        value as Self
    }
}

impl Number for f64 {
    fn narrow(value: f64) -> Self {
        value
    }
}

/// Computes a product on slices that begin at the element `skip`, and compares each element.
fn check<T: Number>(device: &Device, lengths: &[usize], columns: usize, width: usize, skip: usize) -> TestResult {
    let (rows, entries) = (lengths.len(), lengths.iter().sum::<usize>());
    let mut offsets = vec![0u32];
    for length in lengths {
        offsets.push(offsets[offsets.len() - 1] + *length as u32);
    }
    let indices: Vec<u32> =
        (0..entries).map(|at| (at.wrapping_mul(0x9e37_79b9) >> 5) as u32 % columns as u32).collect();
    let values: Vec<f64> = (0..entries).map(number).collect();
    let x: Vec<f64> = (0..columns * width).map(|at| number(at + 5)).collect();
    let old: Vec<f64> = (0..rows * width).map(|at| number(at + 9)).collect();
    let typed = |numbers: &[f64]| -> Vec<T> { numbers.iter().map(|number| T::narrow(*number)).collect() };
    let between = |numbers: &[f64]| -> Vec<T> { typed(&[&vec![9.0; skip], numbers, &[9.0; 3][..]].concat()) };
    let a = SparseMatrix::from_csr(device, [rows, columns], &offsets, &indices, &typed(&values))?;
    let of_x = device.buffer_from(&between(&x))?;
    for factors in [[1.0, 0.0], [2.0, -1.0]] {
        let wanted = reference::product((&offsets, &indices, &values), (&x, width), factors, &old);
        let mut y = device.buffer_from(&between(&old))?;
        let product = SparseProduct::new().width(width).alpha(factors[0]).beta(factors[1]);
        product.run(&a, of_x.slice(skip..skip + x.len()), y.slice_mut(skip..skip + old.len()))?;
        let what = format!("{rows} rows, {entries} entries, {width} columns, from element {skip}, {factors:?}");
        same(&y.read()?, &between(&wanted), &what)?;
    }
    Ok(())
}

/// Rows of equal lengths, of few entries, with all entries in one row, and with lengths by a power law.
fn rows() -> Vec<Vec<usize>> {
    vec![
        vec![0; 300],
        vec![1; 1009],
        vec![7; 257],
        vec![40; 100],
        vec![700; 9],
        vec![0, 0, 100_000, 0, 1],
        (0..3000).map(|row| 20_000 / (1 + row * 7 % 3000)).collect(),
    ]
}

fn shapes<T: Number>(device: &Device) -> TestResult {
    for lengths in rows() {
        for (width, skip) in [(1, 0), (1, 1), (3, 1), (17, 0)] {
            check::<T>(device, &lengths, 61, width, skip)?;
        }
    }
    Ok(())
}

fn doubles(device: &Device) -> TestResult {
    if device.caps().feature_names().contains(&"f64") {
        return shapes::<f64>(device);
    }
    let a = SparseMatrix::from_csr(device, [1, 1], &[0, 1], &[0], &[1.0f64])?;
    let (x, mut y) = (device.buffer::<f64>(1)?, device.buffer::<f64>(1)?);
    refused(spmv(&a, &x, &mut y), |error| matches!(error, OperationError::Kernel(_)), &["f64"])
}

/// Matrices without rows, columns or entries.
fn empty(device: &Device) -> TestResult {
    for (rows, columns) in [(0, 0), (0, 5), (4, 0), (4, 5)] {
        let a = SparseMatrix::<f32>::from_csr(device, [rows, columns], &vec![0; rows + 1], &[], &[])?;
        let x = device.buffer_from(&vec![1.0f32; columns * 2])?;
        let mut y = device.buffer_from(&vec![3.0f32; rows * 2])?;
        SparseProduct::new().width(2).beta(2.0).run(&a, &x, &mut y)?;
        same(&y.read()?, &vec![6.0; rows * 2], &format!("{rows} rows, {columns} columns, with old elements"))?;
        spmm(&a, &x, &mut y, 2)?;
        same(&y.read()?, &vec![0.0; rows * 2], &format!("{rows} rows, {columns} columns"))?;
        spmm(&a, x.slice(..0), y.slice_mut(..0), 0)?;
        let transposed = a.transpose()?;
        ensure((transposed.rows(), transposed.columns()) == (columns, rows), || "transposed".to_owned())?;
    }
    Ok(())
}

/// Matrices in slices of rows. An infinite element of x is not multiplied with places that have no entry.
fn sliced(device: &Device) -> TestResult {
    for lengths in [vec![], vec![0; 70], vec![1; 32], (0..77).map(|row| row % 12).collect(), vec![0, 300, 0, 9]] {
        let (rows, columns): (usize, usize) = (lengths.len(), 61);
        let mut offsets = vec![0u32];
        offsets.extend(lengths.iter().scan(0, |sum, length| {
            *sum += *length as u32;
            Some(*sum)
        }));
        let entries = *offsets.last().unwrap_or(&0) as usize;
        let indices: Vec<u32> = (0..entries).map(|at| 1 + (at * 7 % (columns - 1)) as u32).collect();
        let values: Vec<f64> = (0..entries).map(number).collect();
        let narrow = |numbers: &[f64]| -> Vec<f32> { numbers.iter().map(|number| *number as f32).collect() };
        let a = SparseMatrix::from_csr(device, [rows, columns], &offsets, &indices, &vec![7.0f32; entries])?;
        let a = a.with_format(SparseFormat::Sliced)?.with_values(device.buffer_from(&narrow(&values))?)?;
        ensure(a.format() == SparseFormat::Sliced, || "the format".to_owned())?;
        for width in [1, 3] {
            let mut x: Vec<f64> = (0..columns * width).map(|at| number(at + 5)).collect();
            x[..width].fill(f64::INFINITY);
            let old: Vec<f64> = (0..rows * width).map(|at| number(at + 9)).collect();
            let wanted = reference::product((&offsets, &indices, &values), (&x, width), [2.0, -1.0], &old);
            let (of_x, mut y) = (device.buffer_from(&narrow(&x))?, device.buffer_from(&narrow(&old))?);
            SparseProduct::new().width(width).alpha(2.0).beta(-1.0).run(&a, &of_x, &mut y)?;
            same(&y.read()?, &narrow(&wanted), &format!("{rows} rows, {entries} entries, {width} columns"))?;
        }
        same(&a.transpose()?.transpose()?.to_dense()?, &a.to_dense()?, "the entries")?;
    }
    let suited = |lengths: &[u32]| {
        let offsets: Vec<u32> = (0..=lengths.len()).map(|row| lengths[..row].iter().sum()).collect();
        let entries = offsets[lengths.len()] as usize;
        SparseMatrix::from_csr(device, [lengths.len(), 1], &offsets, &vec![0; entries], &vec![1.0f32; entries])?
            .suited_format()
    };
    ensure(suited(&[5; 64])? == SparseFormat::Sliced, || "rows of equal lengths".to_owned())?;
    ensure(suited(&[[1; 31].as_slice(), &[9]].concat())? == SparseFormat::Csr, || "uneven rows".to_owned())?;
    ensure(suited(&[65; 32])? == SparseFormat::Csr, || "long rows".to_owned())?;
    ensure(suited(&[])? == SparseFormat::Csr, || "no rows".to_owned())
}

/// Matrices of dense blocks, made of entries in any order, some of them of the same place.
fn blocks(device: &Device) -> TestResult {
    for (rows, columns, entries, [height, width]) in
        [(0, 4, 0, [3, 2]), (6, 4, 0, [3, 2]), (6, 4, 1, [3, 2]), (60, 90, 300, [4, 3]), (64, 7, 200, [32, 7])]
    {
        let format = SparseFormat::Blocks { rows: height, columns: width };
        let row = |at: usize| (at.wrapping_mul(0x85eb_ca6b) >> 9) as u32 % rows as u32;
        let mut places: Vec<(u32, u32)> = (0..entries).map(|at| (row(at), (at * 31 % columns) as u32)).collect();
        places.sort_by_key(|(row, _)| *row);
        let offsets: Vec<u32> =
            (0..=rows as u32).map(|row| places.iter().filter(|(other, _)| *other < row).count() as u32).collect();
        let indices: Vec<u32> = places.iter().map(|(_, column)| *column).collect();
        let values: Vec<f64> = (0..entries).map(number).collect();
        let narrow = |numbers: &[f64]| -> Vec<f32> { numbers.iter().map(|number| *number as f32).collect() };
        let a = SparseMatrix::from_csr(device, [rows, columns], &offsets, &indices, &narrow(&values))?;
        let a = a.with_format(format)?;
        ensure(a.format() == format, || "the format".to_owned())?;
        for width in [1, 3] {
            let x: Vec<f64> = (0..columns * width).map(|at| number(at + 5)).collect();
            let old: Vec<f64> = (0..rows * width).map(|at| number(at + 9)).collect();
            let wanted = reference::product((&offsets, &indices, &values), (&x, width), [2.0, -1.0], &old);
            let (of_x, mut y) = (device.buffer_from(&narrow(&x))?, device.buffer_from(&narrow(&old))?);
            SparseProduct::new().width(width).alpha(2.0).beta(-1.0).run(&a, &of_x, &mut y)?;
            same(&y.read()?, &narrow(&wanted), &format!("{rows} rows, {entries} entries, {width} columns"))?;
        }
    }
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    for (rows, columns, texts) in [
        (4, 1, ["blocks of 4 rows", "from 1 to 32 that divide the 6 rows"]),
        (1, 0, ["blocks of 0 columns", "from 1 to 32 that divide the 70 columns"]),
        (1, 35, ["blocks of 35 columns", "from 1 to 32"]),
    ] {
        let a = SparseMatrix::<f32>::from_csr(device, [6, 70], &[0; 7], &[], &[])?;
        refused(a.with_format(SparseFormat::Blocks { rows, columns }).map(drop), is_choice, &texts)?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let a = SparseMatrix::from_csr(device, [2, 2], &[0, 1, 2], &[1, 0], &[1.0f32, 10.0])?;
    let (mut x, mut y, stream) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer::<f32>(2)?, device.stream());
    let mut recording = device.recording();
    SparseProduct::new().record(&mut recording).run(&a, &x, &mut y)?;
    same(&y.read()?, &[0.0; 2], "before it was submitted")?;
    recording.submit()?;
    same(&y.read()?, &[2.0, 10.0], "submitted")?;
    x.copy_from_slice(&[3.0, 4.0])?;
    recording.submit()?;
    same(&y.read()?, &[4.0, 30.0], "submitted again")?;
    SparseProduct::new().alpha(-1.0).on(&stream).run(&a, &x, &mut y)?;
    same(&y.read()?, &[-4.0, -30.0], "on a stream")?;
    let cost = SparseProduct::new().cost(&a)?;
    ensure((cost.flops, cost.bytes) == (4, 2 * 8 + 3 * 4 + 4 * 4), || format!("{cost:?}"))
}

fn conversions(device: &Device) -> TestResult {
    let entries = ([2, 0, 2, 0, 2], [1, 3, 0, 3, 1], [1.0f32, 2.0, 3.0, 4.0, 5.0]);
    let a = SparseMatrix::from_coo(device, [3, 4], &entries.0, &entries.1, &entries.2)?;
    same(&a.offsets().read()?, &[0, 1, 1, 3], "offsets")?;
    same(&a.column_indices().read()?, &[3, 0, 1], "column indices")?;
    same(&a.values().read()?, &[6.0, 3.0, 6.0], "sums")?;
    let dense = [0.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0, 0.0, 3.0, 6.0, 0.0, 0.0];
    same(&a.to_dense()?, &dense, "dense")?;
    let (rows, columns, values) = a.to_coo()?;
    ensure((&*rows, &*columns) == (&[0, 2, 2], &[3, 0, 1]), || format!("{rows:?}, {columns:?}"))?;
    same(&values, &[6.0, 3.0, 6.0], "values")?;
    let transposed = a.transpose()?;
    same(&transposed.offsets().read()?, &[0, 1, 2, 2, 3], "offsets, transposed")?;
    same(&transposed.to_dense()?, &[0.0, 0.0, 3.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0, 6.0, 0.0, 0.0], "transposed")?;
    let again = SparseMatrix::from_dense(device, [3, 4], &dense)?;
    same(&again.offsets().read()?, &[0, 1, 1, 3], "offsets from a dense matrix")?;
    same(&again.to_dense()?, &dense, "from a dense matrix")
}

/// Values of the same place are added up in the order of the arguments, whatever stands between them.
fn duplicates(device: &Device) -> TestResult {
    let values = [1e8f32, 5.0, 1.0, -1e8, 7.0, 1.0];
    let (rows, columns) = ([1, 0, 1, 1, 0, 1], [2, 1, 2, 2, 0, 2]);
    let matrix = SparseMatrix::from_coo(device, [2, 3], &rows, &columns, &values)?;
    let sum = ((values[0] + values[2]) + values[3]) + values[5];
    equal(matrix.to_coo()?, (vec![0, 0, 1], vec![0, 1, 2], vec![7.0, 5.0, sum]), "in their order")?;
    // Sums of many values of one place, to the precision of the type.
    let count = 3000;
    let many: Vec<f32> = (0..count).map(|at| number(at) as f32).collect();
    let total = many.iter().sum::<f32>();
    let matrix = SparseMatrix::from_coo(device, [2, 3], &vec![1; count], &vec![2; count], &many)?;
    equal(matrix.to_coo()?, (vec![1], vec![2], vec![total]), "many")?;
    if device.caps().shader.contains(Capabilities::FLOAT64) {
        let values = values.map(f64::from);
        let matrix = SparseMatrix::from_coo(device, [2, 3], &rows, &columns, &values)?;
        same(&matrix.to_coo()?.2, &[7.0, 5.0, 2.0], "f64")?;
    }
    Ok(())
}

fn refusals(device: &Device) -> TestResult {
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let made = |offsets: &[u32], indices: &[u32]| {
        SparseMatrix::from_csr(device, [2, 3], offsets, indices, &[1.0f32, 2.0]).map(drop)
    };
    refused(made(&[0, 1], &[0, 1]), is_length, &["sparse matrix: 'offsets' has 2 elements", "3"])?;
    refused(made(&[0, 1, 2], &[0]), is_length, &["sparse matrix: 'column indices' has 1 elements"])?;
    refused(made(&[0, 3, 2], &[0, 1]), is_choice, &["an offset of 2 at row 2", "at least 3"])?;
    refused(made(&[0, 1, 2], &[0, 3]), is_choice, &["a column index of 3 at position 1 (row 1)", "below 3"])?;
    let (offsets, indices) = (device.buffer_from(&[0u32, 1, 2])?, device.buffer_from(&[0u32, 7])?);
    let wrong = SparseMatrix::from_buffers([2, 3], offsets, indices, device.buffer_from(&[1.0f32, 2.0])?).map(drop);
    refused(wrong, is_choice, &["a column index of 7 at position 1 (row 1)"])?;
    let wrong = SparseMatrix::from_coo(device, [2, 3], &[0, 2], &[0, 1], &[1.0f32, 2.0]).map(drop);
    refused(wrong, is_choice, &["a row index of 2 at position 1", "below 2"])?;
    let a = SparseMatrix::from_csr(device, [2, 3], &[0, 1, 2], &[0, 1], &[1.0f32, 2.0])?;
    let (x, mut y) = (device.buffer_from(&[1.0f32; 4])?, device.buffer_from(&[7.0f32; 2])?);
    refused(spmv(&a, &x, &mut y), is_length, &["sparse product: 'x' has 4 elements", "[3, 1]"])?;
    refused(spmv(&a, x.slice(..3), y.slice_mut(..1)), is_length, &["sparse product: 'y' has 1 elements"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(spmv(&a, &other.buffer::<f32>(3)?, &mut y), is_foreign, &["sparse product", "'x'"])?;
    same(&y.read()?, &[7.0; 2], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for lengths in [vec![2; 70], vec![0, 20_000, 1], vec![40; 10]] {
        check::<f32>(&device, &lengths, 61, 1, 1)?;
        check::<f32>(&device, &lengths, 61, 3, 0)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{findings}"))?;
    }
    Ok(())
}
