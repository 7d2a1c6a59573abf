//! Sparse matrices made of entries in any order, transposed, multiplied and added, compared with plain Rust in `f64`.

use std::collections::BTreeMap;

use anywarp::Device;
use anywarp::ops::{OperationError, SampledProduct, SparseElement, SparseMatrix, sddmm, sparse_sum, spgemm};

use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::{Alone, Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 6] = [
        ("sparse_algebra::entries", entries),
        ("sparse_algebra::products", products),
        ("sparse_algebra::sums", sums),
        ("sparse_algebra::sampled", sampled),
        ("sparse_algebra::checks", checks),
        ("sparse_algebra::refusals", refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::sparse_algebra".to_owned(), Box::new(clean))
}

/// Small whole numbers, whose sums are exact in any order.
fn number(at: usize) -> f64 {
    (at.wrapping_mul(0x9e37_79b9) >> 7) as f64 % 9.0 - 4.0
}

fn mixed(at: usize) -> usize {
    (at.wrapping_mul(0x85eb_ca6b) >> 9).wrapping_mul(0x9e37_79b9) >> 11
}

/// Entries in any order, some of them of the same place.
struct Entries {
    shape: [usize; 2],
    rows: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

/// The sum of the entries of each place.
type Sums = BTreeMap<(u32, u32), f64>;

impl Entries {
    /// Entries in random places. Every second one is in the first row if `skewed`, and none in odd rows.
    fn random(shape: [usize; 2], count: usize, skewed: bool) -> Self {
        let row = |at: usize| if skewed && at.is_multiple_of(2) { 0 } else { mixed(at + 7) % shape[0] };
        let rows = (0..count).map(|at| if skewed { row(at) & !1 } else { row(at) } as u32).collect();
        let columns = (0..count).map(|at| (mixed(at * 3 + 1) % shape[1]) as u32).collect();
        Self { shape, rows, columns, values: (0..count).map(number).collect() }
    }

    fn sums(&self) -> Sums {
        let mut sums = Sums::new();
        for ((row, column), value) in self.rows.iter().zip(&self.columns).zip(&self.values) {
            *sums.entry((*row, *column)).or_default() += value;
        }
        sums
    }

    fn matrix<T: Number>(&self, device: &Device) -> Result<SparseMatrix<T>, OperationError> {
        let values: Vec<T> = self.values.iter().map(|value| T::narrow(*value)).collect();
        SparseMatrix::from_coo(device, self.shape, &self.rows, &self.columns, &values)
    }
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

/// Compares each array of a matrix with sorted entries, one for each place.
fn expect<T: Number>(matrix: &SparseMatrix<T>, shape: [usize; 2], sums: &Sums, what: &str) -> TestResult {
    ensure([matrix.rows(), matrix.columns()] == shape, || format!("{what}: the shape"))?;
    let mut offsets = vec![0u32; shape[0] + 1];
    sums.keys().for_each(|(row, _)| offsets[*row as usize + 1] += 1);
    (0..shape[0]).for_each(|row| offsets[row + 1] += offsets[row]);
    same(&matrix.offsets().read()?, &offsets, &format!("{what}: offsets"))?;
    let longest = offsets.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0) as usize;
    ensure(matrix.longest_row() == longest, || format!("{what}: a longest row of {}", matrix.longest_row()))?;
    let columns: Vec<u32> = sums.keys().map(|(_, column)| *column).collect();
    same(&matrix.column_indices().read()?, &columns, &format!("{what}: columns"))?;
    let values: Vec<T> = sums.values().map(|value| T::narrow(*value)).collect();
    same(&matrix.values().read()?, &values, &format!("{what}: values"))
}

/// Shapes with numbers of entries: none, one, few, many of the same place, more than a workgroup.
fn tables() -> Vec<Entries> {
    let mut all: Vec<Entries> = [[0, 0], [0, 3], [3, 0]].map(|shape| Entries::random(shape, 0, false)).into();
    for (shape, count) in [([1, 1], 0), ([1, 1], 1), ([1, 1], 300), ([5, 3], 9), ([300, 70], 1500)] {
        all.push(Entries::random(shape, count, false));
    }
    all.push(Entries::random([90, 900], 2000, true));
    all
}

fn turned(sums: &Sums) -> Sums {
    sums.iter().map(|((row, column), value)| ((*column, *row), *value)).collect()
}

fn all_entries<T: Number>(device: &Device) -> TestResult {
    for table in tables() {
        let Entries { shape: [rows, columns], values, .. } = &table;
        let what = format!("{} entries of {rows} x {columns}", values.len());
        let matrix = table.matrix::<T>(device)?;
        expect(&matrix, table.shape, &table.sums(), &what)?;
        let transposed = matrix.transpose()?;
        expect(&transposed, [*columns, *rows], &turned(&table.sums()), &format!("{what}, transposed"))?;
    }
    Ok(())
}

fn entries(device: &Device) -> TestResult {
    all_entries::<f32>(device)?;
    // Entries of the same place in any order: a transposed matrix has their sums.
    let a = SparseMatrix::from_csr(device, [2, 3], &[0, 4, 5], &[2, 0, 2, 2, 1], &[1.0f32, 2.0, 4.0, 8.0, 16.0])?;
    let sums = Sums::from([((0, 0), 2.0), ((1, 1), 16.0), ((2, 0), 13.0)]);
    expect(&a.transpose()?, [3, 2], &sums, "repeated entries")?;
    // Slices, whose buffers keep their contents.
    let (rows, columns) = (device.buffer_from(&[9u32, 1, 0, 1])?, device.buffer_from(&[9u32, 0, 1, 0])?);
    let values = device.buffer_from(&[9.0f32, 1.0, 2.0, 3.0])?;
    let matrix = SparseMatrix::from_coo_buffers([2, 2], rows.slice(1..), columns.slice(1..), values.slice(1..))?;
    expect(&matrix, [2, 2], &Sums::from([((0, 1), 2.0), ((1, 0), 4.0)]), "slices")?;
    same(&rows.read()?, &[9, 1, 0, 1], "the rows afterwards")?;
    same(&values.read()?, &[9.0, 1.0, 2.0, 3.0], "the values afterwards")?;
    if device.caps().feature_names().contains(&"f64") { all_entries::<f64>(device) } else { Ok(()) }
}

fn product_of(a: &Sums, b: &Sums) -> Sums {
    let mut sums = Sums::new();
    for ((row, middle), left) in a {
        for ((_, column), right) in b.range((*middle, 0)..=(*middle, u32::MAX)) {
            *sums.entry((*row, *column)).or_default() += left * right;
        }
    }
    sums
}

fn products(device: &Device) -> TestResult {
    let sizes = [(0, 0, 0), (1, 1, 1), (3, 0, 4), (7, 300, 5), (200, 60, 150)];
    for (rows, middle, columns) in sizes {
        for count in [0, 1, 900] {
            let count = if rows * middle * columns == 0 { 0 } else { count };
            let a = Entries::random([rows, middle], count, false);
            let b = Entries::random([middle, columns], count / 2 + count % 2, count > 1);
            let product = spgemm(&a.matrix::<f32>(device)?, &b.matrix::<f32>(device)?)?;
            let what = format!("{rows} x {middle} x {columns}, {count} entries");
            expect(&product, [rows, columns], &product_of(&a.sums(), &b.sums()), &what)?;
        }
    }
    // A row with all entries, and a column that meets it.
    let n = 500;
    let all: Vec<u32> = (0..n).collect();
    let row = SparseMatrix::from_csr(device, [1, n as usize], &[0, n], &all, &vec![2.0f32; n as usize])?;
    let column = row.transpose()?;
    expect(&spgemm(&row, &column)?, [1, 1], &Sums::from([((0, 0), 2000.0)]), "a row and a column")?;
    ensure(spgemm(&column, &row)?.entries() == (n * n) as usize, || "a column and a row".to_owned())?;
    if device.caps().feature_names().contains(&"f64") {
        let (a, b) = (Entries::random([20, 30], 100, true), Entries::random([30, 9], 80, false));
        let product = spgemm(&a.matrix::<f64>(device)?, &b.matrix::<f64>(device)?)?;
        expect(&product, [20, 9], &product_of(&a.sums(), &b.sums()), "f64")?;
    }
    Ok(())
}

fn sums(device: &Device) -> TestResult {
    for (shape, counts) in [([0, 4], [0, 0]), ([3, 3], [0, 2]), ([3, 3], [4, 0]), ([150, 40], [900, 1500])] {
        let (a, b) = (Entries::random(shape, counts[0], false), Entries::random(shape, counts[1], counts[1] > 4));
        let mut wanted: Sums = a.sums().iter().map(|(place, value)| (*place, 2.0 * value)).collect();
        for (place, value) in b.sums() {
            *wanted.entry(place).or_default() -= value;
        }
        let sum = sparse_sum(2.0, &a.matrix::<f32>(device)?, -1.0, &b.matrix::<f32>(device)?)?;
        expect(&sum, shape, &wanted, &format!("{counts:?} entries of {shape:?}"))?;
    }
    Ok(())
}

fn sampled(device: &Device) -> TestResult {
    for (shape, count, depth, skip) in
        [([1, 1], 1, 1, 0), ([4, 3], 0, 5, 0), ([4, 3], 6, 0, 0), ([60, 70], 900, 7, 1), ([9, 20], 90, 130, 0)]
    {
        let entries = Entries::random(shape, count, false);
        let (a, sums) = (entries.matrix::<f32>(device)?, entries.sums());
        let numbers = |length: usize, from: usize| -> Vec<f64> { (0..length).map(|at| number(at + from)).collect() };
        let (x, y) = (numbers(shape[0] * depth, 3), numbers(shape[1] * depth, 8));
        let narrow = |numbers: &[f64]| -> Vec<f32> { numbers.iter().map(|number| *number as f32).collect() };
        let between = |numbers: &[f64]| -> Vec<f32> { [&vec![9.0; skip], &*narrow(numbers), &[9.0; 3][..]].concat() };
        let (of_x, of_y) = (device.buffer_from(&between(&x))?, device.buffer_from(&between(&y))?);
        let dot = |row: u32, column: u32| -> f64 {
            (0..depth).map(|at| x[row as usize * depth + at] * y[column as usize * depth + at]).sum::<f64>() + 0.0
        };
        for [alpha, beta] in [[1.0, 0.0], [2.0, -1.0]] {
            let wanted: Vec<f64> =
                sums.iter().map(|((row, column), old)| alpha * dot(*row, *column) + beta * old).collect();
            let mut values = device.buffer_from(&between(&vec![5.0; sums.len()]))?;
            let product = SampledProduct::new(depth).alpha(alpha).beta(beta);
            let (x, y) = (of_x.slice(skip..skip + x.len()), of_y.slice(skip..skip + y.len()));
            product.run(&a, x, y, values.slice_mut(skip..skip + sums.len()))?;
            same(&values.read()?, &between(&wanted), &format!("{count} entries of {shape:?}, {depth} deep"))?;
        }
    }
    let a = SparseMatrix::from_csr(device, [1, 1], &[0, 1], &[0], &[3.0f32])?;
    let (mut x, mut values) = (device.buffer_from(&[2.0f32])?, device.buffer::<f32>(1)?);
    let mut recording = device.recording();
    SampledProduct::new(1).record(&mut recording).run(&a, &x, &x, &mut values)?;
    same(&values.read()?, &[0.0], "before it was submitted")?;
    for value in [3.0, 4.0] {
        x.copy_from_slice(&[value])?;
        recording.submit()?;
        same(&values.read()?, &[value * value], "submitted")?;
    }
    let cost = SampledProduct::new(4).beta(1.0).cost(&a)?;
    ensure((cost.flops, cost.bytes) == (8, 4 * (8 + 2) + 4 * 3), || format!("{cost:?}"))
}

/// Arrays on the device are checked there, with the texts of the checks on the host.
fn checks(device: &Device) -> TestResult {
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let columns: Vec<u32> = (0..600).map(|at| at % 50).collect();
    let right: Vec<u32> = (0..=300).map(|row| row * 2).collect();
    let with = |array: &[u32], at: usize, value: u32| {
        let mut array = array.to_vec();
        array[at] = value;
        array
    };
    let made = |offsets: &[u32], columns: &[u32]| {
        let (offsets, columns) = (device.buffer_from(offsets)?, device.buffer_from(columns)?);
        Ok::<_, anywarp::Error>(SparseMatrix::from_buffers(
            [300, 50],
            offsets,
            columns,
            device.buffer_from(&[1.0f32; 600])?,
        ))
    };
    ensure(made(&right, &columns)??.longest_row() == 2, || "the longest row".to_owned())?;
    ensure(made(&with(&right, 200, 399), &columns)??.longest_row() == 3, || "a longer row".to_owned())?;
    for (offsets, columns, texts) in [
        (with(&right, 0, 1), columns.clone(), ["an offset of 1 at row 0", "begin offsets with 0"]),
        (with(&right, 270, 600), columns.clone(), ["an offset of 542 at row 271", "at least 600, the offset before"]),
        (with(&right, 260, 7), columns.clone(), ["an offset of 7 at row 260", "at least 518, the offset before it"]),
        (with(&right, 300, 599), columns.clone(), ["an offset of 599 at row 300", "end offsets with 600"]),
        (right.clone(), with(&columns, 599, 50), ["a column index of 50 at position 599 (row 299)", "below 50"]),
        (with(&right, 1, 0), with(&columns, 3, u32::MAX), ["4294967295 at position 3 (row 1)", "below 50"]),
    ] {
        refused(made(&offsets, &columns)?.map(drop), is_choice, &texts)?;
    }
    // Without rows, and without entries.
    let one = device.buffer_from(&[0u32])?;
    let empty = SparseMatrix::from_buffers([0, 3], one, device.buffer(0)?, device.buffer::<f32>(0)?)?;
    ensure(empty.longest_row() == 0, || "a matrix without rows".to_owned())?;
    let zeros = device.buffer_from(&[0u32; 4])?;
    let empty = SparseMatrix::from_buffers([3, 0], zeros, device.buffer(0)?, device.buffer::<f32>(0)?)?;
    ensure(empty.longest_row() == 0, || "a matrix without columns".to_owned())
}

fn refusals(device: &Device) -> TestResult {
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let made = |rows: &[u32], columns: &[u32]| SparseMatrix::from_coo(device, [2, 3], rows, columns, &[1.0f32; 2]);
    refused(made(&[0], &[0, 1]).map(drop), is_length, &["sparse matrix: 'row indices' has 1 elements", "2"])?;
    refused(made(&[0, 1], &[3, 4]).map(drop), is_choice, &["a column index of 3 at position 0", "below 3"])?;
    let (a, b) = (made(&[0, 1], &[0, 2])?, SparseMatrix::from_dense(device, [2, 2], &[1.0f32; 4])?);
    let product = ["sparse matrix product: a matrix b of 2 rows", "use 3 rows, the number of columns of a"];
    refused(spgemm(&a, &b).map(drop), is_choice, &product)?;
    let sum = ["sparse sum: a matrix b of 2 x 2", "the shape of a, 2 x 3"];
    refused(sparse_sum(1.0, &a, 1.0, &b).map(drop), is_choice, &sum)?;
    let other = device.reopen()?;
    let foreign = SparseMatrix::from_dense(&other, [2, 2], &[1.0f32; 4])?;
    refused(spgemm(&b, &foreign).map(drop), is_foreign, &["sparse matrix product", "'b'"])?;
    refused(sparse_sum(1.0, &b, 1.0, &foreign).map(drop), is_foreign, &["sparse sum", "'b'"])?;
    let (x, mut values) = (device.buffer_from(&[1.0f32; 4])?, device.buffer_from(&[7.0f32; 4])?);
    refused(
        sddmm(&b, &x, x.slice(..3), &mut values, 2),
        is_length,
        &["sampled product: 'y' has 3 elements", "[2, 2]"],
    )?;
    refused(sddmm(&b, &x, &x, values.slice_mut(1..), 2), is_length, &["sampled product: 'values' has 3 elements"])?;
    same(&values.read()?, &[7.0; 4], "nothing has run")?;
    refused(b.with_values(device.buffer(3)?).map(drop), is_length, &["sparse matrix: 'values' has 3 elements", "4"])
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    let (a, b) = (Entries::random([20, 30], 60, true), Entries::random([30, 9], 40, false));
    let (a, b) = (a.matrix::<f32>(&device)?, b.matrix::<f32>(&device)?);
    let product = spgemm(&a, &b)?;
    let sum = sparse_sum(1.0, &product, 1.0, &product)?;
    let (x, y) = (device.buffer_from(&[1.0f32; 60])?, device.buffer_from(&[1.0f32; 27])?);
    let mut values = device.buffer::<f32>(sum.entries())?;
    sddmm(&sum, &x, &y, &mut values, 3)?;
    same(&values.read()?, &vec![3.0; sum.entries()], "sampled")?;
    let (offsets, columns) = (device.buffer_from(&[0u32, 1, 2])?, device.buffer_from(&[0u32, 1])?);
    drop(SparseMatrix::from_buffers([2, 2], offsets, columns, device.buffer_from(&[1.0f32; 2])?)?);
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || format!("{findings}"))
}
