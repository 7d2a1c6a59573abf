//! Sparse matrices in slices of rows (SELL).
//!
//! Source: Monakov, Lokhmotov and Avetisyan, 'Automatically Tuning Sparse Matrix-Vector Multiplication for GPU
//! Architectures' (2010).

use std::sync::LazyLock;

use super::super::error::OperationError;
use super::super::moving::MAX_ELEMENTS;
use super::super::reduction::ReductionKernel;
use super::super::rows::launch::target;
use super::super::scan::Scan;
use super::element::SparseElement;
use super::matrix::{OPERATOR, SparseMatrix, memory};
use super::places::{Elementwise, elementwise};
use crate::buffer::UnifiedBuffer;

/// The number of rows of a slice: the constant `SLICE` of the kernels.
const SLICE: usize = 32;

/// The storage of a sparse matrix that products read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SparseFormat {
    /// Compressed sparse rows.
    #[default]
    Csr,
    /// Slices of 32 rows, whose entries are stored column by column, as many for each row as the longest one has (SELL).
    /// Neighbouring invocations compute neighbouring rows from neighbouring entries. This suits rows of similar lengths;
    /// the arrays of rows remain, so that the matrix needs more than twice the memory.
    Sliced,
}

/// The arrays of a matrix in slices. The entry `k` of row `i` is at `offsets[i / 32] + 32 * k + i % 32`.
pub(super) struct Sliced<T> {
    pub(super) offsets: UnifiedBuffer<u32>,
    /// The columns of entries; the greatest number where a row has no entry.
    pub(super) columns: UnifiedBuffer<u32>,
    pub(super) values: UnifiedBuffer<T>,
}

impl<T: SparseElement> SparseMatrix<T> {
    /// Returns the matrix with this storage for products; conversions keep reading the rows. The storage is made on the
    /// device, for which the call waits.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::{SparseFormat, SparseMatrix, spmv};
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let matrix = SparseMatrix::<f32>::poisson(&device, &[4])?.with_format(SparseFormat::Sliced)?;
    /// let (x, mut y) = (device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?, device.buffer::<f32>(4)?);
    /// spmv(&matrix, &x, &mut y)?;
    /// assert_eq!(*y.read()?, [0.0, 0.0, 0.0, 5.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError`] if slices have 2^31 - 2^16 places or more, rows are longer than the device's loops, or memory
    /// cannot be allocated.
    pub fn with_format(mut self, format: SparseFormat) -> Result<Self, OperationError> {
        self.sliced = match format {
            SparseFormat::Csr => None,
            SparseFormat::Sliced => Some(sliced(&self)?),
        };
        Ok(self)
    }

    /// The storage that products read.
    #[must_use]
    pub fn format(&self) -> SparseFormat {
        if self.sliced.is_some() { SparseFormat::Sliced } else { SparseFormat::Csr }
    }

    /// The storage that suits the lengths of the rows: slices, if at most a fifth of their places has no entry and rows
    /// have at most 64 entries on average. The lengths are compared on the device, for which the call waits.
    ///
    /// # Errors
    /// [`OperationError`] if memory cannot be allocated, or for an existing guard.
    pub fn suited_format(&self) -> Result<SparseFormat, OperationError> {
        let entries = self.entries() as u64;
        if self.rows() == 0 || entries > 64 * self.rows() as u64 || !has_loops_for(self) {
            return Ok(SparseFormat::Csr);
        }
        let (_, places) = sizes(self)?;
        Ok(if places <= entries + entries / 4 { SparseFormat::Sliced } else { SparseFormat::Csr })
    }
}

fn has_loops_for<T: SparseElement>(a: &SparseMatrix<T>) -> bool {
    (a.longest_row() as u64) < target(&a.device()).max_iterations()
}

/// Returns the number of places of each slice, with a 0 behind the last one, and their sum, at most 2^32 - 1.
fn sizes<T: SparseElement>(a: &SparseMatrix<T>) -> Result<(UnifiedBuffer<u32>, u64), OperationError> {
    let device = a.device();
    let mut sizes = device.buffer::<u32>(a.rows().div_ceil(SLICE) + 1).map_err(memory)?;
    SIZES.call(&device).run((a.offsets(), a.rows() as u32), &mut sizes)?;
    let mut total = device.buffer::<u32>(1).map_err(memory)?;
    TOTAL.call(&device).run(&sizes, &mut total)?;
    let total = total.read().map_err(memory)?[0];
    Ok((sizes, total.into()))
}

fn sliced<T: SparseElement>(a: &SparseMatrix<T>) -> Result<Sliced<T>, OperationError> {
    if !has_loops_for(a) {
        let got = format!("{} entries", a.longest_row());
        return Err(OPERATOR.choice("a row of", "this device ends longer loops; use SparseFormat::Csr", got));
    }
    let device = a.device();
    let (sizes, places) = sizes(a)?;
    if places >= MAX_ELEMENTS {
        return Err(OPERATOR.too_large("the places of slices", vec![places as usize], MAX_ELEMENTS));
    }
    let places = places as usize;
    let mut offsets = device.buffer::<u32>(sizes.len()).map_err(memory)?;
    Scan::sum().exclusive().run(&sizes, &mut offsets)?;
    let mut columns = device.buffer::<u32>(places).map_err(memory)?;
    let mut values = device.buffer::<T>(places).map_err(memory)?;
    if places > 0 {
        let inputs = (&offsets, sizes.len() as u32 - 1, a.offsets(), a.rows() as u32, a.column_indices(), a.values());
        PLACES.call(&device).run(inputs, (&mut columns, &mut values))?;
    }
    Ok(Sliced { offsets, columns, values })
}

/// The number of places of a slice. Its rows are 32, also those behind the last row.
static SIZES: Elementwise = LazyLock::new(|| {
    let operation = "var longest = 0u;
        for (var row = 32u * i; row < min(32u * i + 32u, rows); row++) {
            longest = max(longest, offsets[row + 1u] - offsets[row]);
        }
        sizes = select(32u * longest, 0xffffffffu, longest > 0x7ffffffu)";
    elementwise("slices", "raw offsets: u32, rows: u32", "sizes: u32", operation)
});

/// The sum of sizes; the greatest number if that is exceeded.
static TOTAL: LazyLock<ReductionKernel> = LazyLock::new(|| {
    let kernel = ReductionKernel::new("sizes: u32", "total: u32").expect("the parameters are valid");
    kernel.name("slices of a sparse matrix").combine("a + min(b, 0xffffffffu - a)").identity("0u")
});

/// The entry of each place of the slices.
static PLACES: Elementwise = LazyLock::new(|| {
    let inputs = "raw slices: u32, count: u32, raw offsets: u32, rows: u32, raw columns: u32, raw values: T";
    let operation = "var slice = 0u;
        var after = count;
        while after - slice > 1u {
            let middle = slice + (after - slice) / 2u;
            if slices[middle] <= i { slice = middle; } else { after = middle; }
        }
        let place = i - slices[slice];
        let row = 32u * slice + place % 32u;
        of_columns = 0xffffffffu;
        of_values = T(0);
        if row < rows {
            let at = offsets[row] + place / 32u;
            if at < offsets[row + 1u] {
                of_columns = columns[at];
                of_values = values[at];
            }
        }";
    elementwise("places of slices", inputs, "of_columns: u32, of_values: T", operation)
});
