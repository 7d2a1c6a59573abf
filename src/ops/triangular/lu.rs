//! Incomplete factors of sparse matrices.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::solving::Preconditioner;
use super::super::solving::base::failed;
use super::super::solving::error::SolveError;
use super::super::solving::kernels::NO_ROW;
use super::super::solving::settings::{device_of, square};
use super::super::sparse::{SparseElement, SparseMatrix};
use super::plan::Pass;
use super::run::Side;
use super::schedule::Schedule;
use super::solve;
use crate::buffer::UnifiedBuffer;
use crate::buffer::cells::whole_cells_mut;
use crate::device::Device;
use crate::submit::{Destination, Recording};

crate::kernels!(mod singles = "shaders/ops/sparse_lu.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod doubles = "shaders/ops/sparse_lu.wgsl", root = "shaders", feature wide = true);

/// Incomplete factors `l * u` of a square sparse matrix, which have entries only where the matrix has them: ILU(0), a
/// [`Preconditioner`].
///
/// `l` is a lower triangle with ones on the diagonal, and `u` an upper triangle. Each use solves the equations of both,
/// level by level. The factors are computed on the device (Saad, 'Iterative Methods for Sparse Linear Systems', 2003,
/// algorithm 10.4). Entries are sorted by columns on the host first, and those of the same place are added up.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Gmres, IncompleteLu, SparseMatrix};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_dense(&device, [3, 3], &[2.0f32, 1.0, 0.0, 4.0, 5.0, 2.0, 0.0, 6.0, 9.0])?;
/// let factors = IncompleteLu::new(&a)?;
/// assert_eq!(factors.matrix().to_dense()?, [2.0, 1.0, 0.0, 2.0, 3.0, 2.0, 0.0, 2.0, 5.0]); // l below u
///
/// let (b, mut x) = (device.buffer_from(&[3.0f32, 11.0, 15.0])?, device.buffer::<f32>(3)?);
/// let solution = Gmres::new().run_with(&a, &factors, &b, &mut x)?;
/// assert!(solution.iterations <= 2); // the factors of this matrix are exact
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub struct IncompleteLu<T> {
    /// Both factors in one matrix; the ones are not stored.
    factors: SparseMatrix<T>,
    lower: Schedule,
    upper: Schedule,
}

impl<T: SparseElement> IncompleteLu<T> {
    /// Factors a square matrix. The call waits for the device.
    ///
    /// # Errors
    /// [`SolveError::Pivot`] for a row without an entry on the diagonal, and for a pivot that is 0 or not finite;
    /// [`SolveError::Operation`] for a matrix that is not square, if memory cannot be allocated or read, and for `f64`
    /// on a device without it.
    pub fn new(a: &SparseMatrix<T>) -> Result<Self, SolveError> {
        square(OPERATOR, a)?;
        let device = device_of(a);
        let (rows, columns, values) = a.to_coo()?;
        let sorted = SparseMatrix::from_coo(&device, [a.rows(); 2], &rows, &columns, &values)?;
        let (factor, lower, upper, pivots) = {
            let offsets = sorted.offsets().read().map_err(failed)?;
            let columns = sorted.column_indices().read().map_err(failed)?;
            let pivots = positions(&offsets, &columns).map_err(|row| SolveError::Pivot {
                solver: OPERATOR.0,
                row,
                value: 0.0,
            })?;
            let longest = (sorted.longest_row() as u64, false);
            let steps = (steps(&offsets, &columns, &pivots), true);
            let csr = (&*offsets, &*columns);
            let factor = Schedule::new(OPERATOR, &device, csr, false, steps)?;
            let lower = Schedule::new(OPERATOR, &device, csr, false, longest)?;
            (factor, lower, Schedule::new(OPERATOR, &device, csr, true, longest)?, pivots)
        };
        let factors = if a.rows() == 0 { sorted } else { factored(sorted, &factor, &pivots)? };
        Ok(Self { factors, lower, upper })
    }

    /// Both factors in one matrix, with sorted entries: those left of the diagonal are of `l`, whose ones are not stored,
    /// and the others of `u`.
    #[must_use]
    pub fn matrix(&self) -> &SparseMatrix<T> {
        &self.factors
    }
}

impl<T: SparseElement> Preconditioner<T> for IncompleteLu<T> {
    fn record(
        &self,
        recording: &mut Recording,
        r: &UnifiedBuffer<T>,
        z: &mut UnifiedBuffer<T>,
    ) -> Result<(), OperationError> {
        let device = device_of(&self.factors);
        let between = device.scratch::<T>(r.len(), &Destination::Recording(&mut *recording));
        let mut between = between.map_err(operands::memory(OPERATOR))?;
        let (lower, upper) = (Side { upper: false, unit: true }, Side { upper: true, unit: false });
        let to = Destination::Recording(&mut *recording);
        solve(OPERATOR, &self.factors, (&self.lower, lower), &r.slice(..), &between.slice_mut(..), to)?;
        let to = Destination::Recording(recording);
        solve(OPERATOR, &self.factors, (&self.upper, upper), &between.slice(..), &z.slice_mut(..), to)
    }
}

/// Returns the position of the diagonal in each row of sorted columns, or the first row without it.
fn positions(offsets: &[u32], columns: &[u32]) -> Result<Vec<u32>, usize> {
    let of_row = |row: usize| {
        let (first, last) = (offsets[row] as usize, offsets[row + 1] as usize);
        let place = columns[first..last].binary_search(&(row as u32)).map_err(|_| row)?;
        Ok((first + place) as u32)
    };
    (0..offsets.len() - 1).map(of_row).collect()
}

/// Returns the greatest number of iterations of all loops for a row.
fn steps(offsets: &[u32], columns: &[u32], pivots: &[u32]) -> u64 {
    let of_row = |row: usize| -> u64 {
        let above = &columns[offsets[row] as usize..pivots[row] as usize];
        let own = u64::from(offsets[row + 1] - offsets[row]);
        let after = |row: u32| u64::from(offsets[row as usize + 1] - pivots[row as usize]);
        above.iter().map(|row| 1 + own + after(*row)).sum::<u64>() + own
    };
    (0..pivots.len()).map(of_row).max().unwrap_or(0)
}

/// Factors a sorted matrix of at least one row on its device.
fn factored<T: SparseElement>(
    matrix: SparseMatrix<T>,
    schedule: &Schedule,
    pivots: &[u32],
) -> Result<SparseMatrix<T>, SolveError> {
    let device = device_of(&matrix);
    let memory = operands::memory(OPERATOR);
    let pivots = device.buffer_from(pivots).map_err(&memory)?;
    let mut wrong = device.buffer_from(&[NO_ROW]).map_err(&memory)?;
    let mut values = device.buffer::<T>(matrix.entries()).map_err(&memory)?;
    values.copy_from(matrix.values()).map_err(failed)?;
    if T::WIDE {
        factor_wide(&device, schedule, &matrix, &pivots, &mut values, &mut wrong)?;
    } else {
        factor(&device, schedule, &matrix, &pivots, &mut values, &mut wrong)?;
    }
    let row = wrong.read().map_err(failed)?[0];
    if row != NO_ROW {
        let at = pivots.slice(row as usize..=row as usize).read().map_err(failed)?[0] as usize;
        let value = values.slice(at..=at).read().map_err(failed)?[0].wide();
        return Err(SolveError::Pivot { solver: OPERATOR.0, row: row as usize, value });
    }
    Ok(matrix.with_values(values)?)
}

/// Defines a function that launches the passes of a schedule, for a module and its type of numbers.
macro_rules! factor {
    ($name:ident, $module:ident, $number:ty) => {
        fn $name<T: SparseElement>(
            device: &Device,
            schedule: &Schedule,
            matrix: &SparseMatrix<T>,
            pivots: &UnifiedBuffer<u32>,
            values: &mut UnifiedBuffer<T>,
            wrong: &mut UnifiedBuffer<u32>,
        ) -> Result<(), OperationError> {
            let bytes = operands::bytes_mut(OPERATOR, "values", &values.slice_mut(..))?;
            let (order, bounds) = (&schedule.order, &schedule.bounds);
            let (offsets, columns) = (matrix.offsets(), matrix.column_indices());
            for pass in &schedule.passes {
                let (values, _) = whole_cells_mut::<$number>(&bytes).map_err(OPERATOR.slice("values"))?;
                let wrong = &mut *wrong;
                match *pass {
                    Pass::Rows { first, last } | Pass::Teams { first, last } => {
                        let factor = $module::Factor { first, last };
                        let args = $module::RowsArgs { factor, order, offsets, columns, pivots, values, wrong };
                        $module::rows(device)?.launch(args).threads(last - first)?
                    }
                    Pass::Chain { first, last } => {
                        let factor = $module::Factor { first, last };
                        let args =
                            $module::ChainArgs { factor, order, bounds, offsets, columns, pivots, values, wrong };
                        $module::chain(device)?.launch(args).groups([1, 1])?
                    }
                    Pass::Walk { first, last } => {
                        let factor = $module::Factor { first, last };
                        let args = $module::WalkArgs { factor, order, offsets, columns, pivots, values, wrong };
                        $module::walk(device)?.launch(args).groups([1, 1])?
                    }
                };
            }
            Ok(())
        }
    };
}

factor!(factor, singles, f32);
factor!(factor_wide, doubles, f64);

const OPERATOR: Operator = Operator("incomplete LU");

#[cfg(test)]
mod tests {
    use super::{positions, steps};

    #[test]
    fn rows_without_a_diagonal_are_found() {
        assert_eq!(positions(&[0, 2, 4], &[0, 1, 0, 1]), Ok(vec![0, 3]));
        assert_eq!(positions(&[0, 2, 3], &[0, 1, 0]), Err(1));
        assert_eq!(positions(&[0, 0], &[]), Err(0));
        assert_eq!(steps(&[0, 2, 4], &[0, 1, 0, 1], &[0, 3]), 1 + 2 + 2 + 2);
    }
}
