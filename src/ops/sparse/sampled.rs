//! Products of dense matrices, computed at the places of a sparse matrix.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::plan::Cost;
use super::super::rows::launch::target;
use super::super::rows::plan::Target;
use super::element::SparseElement;
use super::matrix::SparseMatrix;
use crate::buffer::cells::{whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};

crate::kernels!(mod singles = "shaders/ops/sparse_sampled.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod doubles = "shaders/ops/sparse_sampled.wgsl", root = "shaders", feature wide = true);

/// Computes the products of rows of two dense matrices at the places of a sparse matrix: for the entry `e` of `a` at row
/// `i` and column `j`, `values[e] = x[i] . y[j]`. `x` has the shape `[rows of a, depth]`, `y` the shape
/// `[columns of a, depth]`, both row by row. See [`SampledProduct`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SparseMatrix, sddmm};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_csr(&device, [2, 2], &[0, 1, 2], &[1, 0], &[1.0f32, 1.0])?;
/// let (x, y) = (device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?, device.buffer_from(&[5.0f32, 6.0, 7.0, 8.0])?);
/// let mut values = device.buffer::<f32>(2)?;
/// sddmm(&a, &x, &y, &mut values, 2)?;
/// assert_eq!(*values.read()?, [1.0 * 7.0 + 2.0 * 8.0, 3.0 * 5.0 + 4.0 * 6.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`SampledProduct::run`].
pub fn sddmm<'x, 'y, 'v, T: SparseElement>(
    a: &SparseMatrix<T>,
    x: impl Into<Slice<'x, T>>,
    y: impl Into<Slice<'y, T>>,
    values: impl Into<SliceMut<'v, T>>,
    depth: usize,
) -> Result<(), OperationError> {
    SampledProduct::new(depth).run(a, x, y, values)
}

/// [`sddmm`] with factors, a stream, or a recording: `values[e] = alpha * x[i] . y[j] + beta * a.values()[e]`.
///
/// Sums are computed in the type of the elements. Repeated calls on a device return the same bits.
/// [`SparseMatrix::with_values`] makes a matrix of the result.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{SampledProduct, SparseMatrix};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::from_csr(&device, [1, 2], &[0, 1], &[1], &[10.0f32])?;
/// let (x, y) = (device.buffer_from(&[3.0f32])?, device.buffer_from(&[5.0f32, 7.0])?);
/// let mut values = device.buffer::<f32>(1)?;
/// SampledProduct::new(1).alpha(2.0).beta(0.5).run(&a, &x, &y, &mut values)?;
/// assert_eq!(a.with_values(values)?.to_dense()?, [0.0, 2.0 * 21.0 + 0.5 * 10.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a product does nothing until `run` is called"]
pub struct SampledProduct<'r> {
    depth: usize,
    alpha: f64,
    beta: f64,
    destination: Destination<'r>,
}

impl<'r> SampledProduct<'r> {
    /// The product of rows of `depth` elements.
    pub fn new(depth: usize) -> Self {
        Self { depth, alpha: 1.0, beta: 0.0, destination: Destination::Own }
    }

    /// Multiplies the products by `alpha`, rounded to the type of the elements.
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.alpha = alpha;
        self
    }

    /// Adds `beta` times the values of the sparse matrix. They are not read if `beta` is 0, the default.
    pub fn beta(mut self, beta: f64) -> Self {
        self.beta = beta;
        self
    }

    /// Appends the product to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a call, to compare its time with the limits of a device. Each element of `x` and `y` counts once,
    /// although each entry reads a row of both.
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost<T: SparseElement>(&self, a: &SparseMatrix<T>) -> Result<Cost, OperationError> {
        self.counted(a)?;
        let [rows, columns, entries, depth, size] =
            [a.rows(), a.columns(), a.entries(), self.depth, size_of::<T>()].map(|size| size as u64);
        let dense = (rows + columns).saturating_mul(depth);
        let values = entries * (1 + u64::from(self.beta != 0.0));
        Ok(Cost {
            passes: usize::from(entries > 0),
            scratch: 0,
            flops: entries.saturating_mul(2 * depth),
            bytes: dense.saturating_add(values).saturating_mul(size).saturating_add(4 * (entries + rows + 1)),
        })
    }

    fn counted<T: SparseElement>(&self, a: &SparseMatrix<T>) -> Result<(), OperationError> {
        operands::counted::<T>(OPERATOR, "x", &[a.rows(), self.depth])?;
        operands::counted::<T>(OPERATOR, "y", &[a.columns(), self.depth]).map(drop)
    }

    /// Computes the value of each entry of `a`. `x`, `y` and `values` are buffers or slices of any start; `values` has an
    /// element for each entry and is in another buffer than the inputs unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for arrays of other lengths, a slice out of range, arrays of two devices, an existing guard,
    /// 2^31 - 2^16 elements or more, rows that are longer than the device's loops, `f64` on a device without it, or an error
    /// of the device. In that case nothing has run.
    pub fn run<'x, 'y, 'v, T: SparseElement>(
        mut self,
        a: &SparseMatrix<T>,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<Slice<'y, T>>,
        values: impl Into<SliceMut<'v, T>>,
    ) -> Result<(), OperationError> {
        let (x, y, values) = (x.into(), y.into(), values.into());
        self.counted(a)?;
        let target = target(&a.device());
        let lanes = lanes(self.depth as u64, target);
        if self.depth as u64 / u64::from(lanes) >= target.max_iterations() {
            let expected = "this device ends longer loops; use another one, or add products of parts";
            return Err(OPERATOR.choice("rows of", expected, format!("{} elements", self.depth)));
        }
        let operands = Operands {
            offsets: operands::bytes(OPERATOR, "offsets", &a.offsets().slice(..))?,
            columns: operands::bytes(OPERATOR, "column indices", &a.column_indices().slice(..))?,
            old: operands::bytes(OPERATOR, "the values of a", &a.values().slice(..))?,
            x: operands::bytes(OPERATOR, "x", &x)?,
            y: operands::bytes(OPERATOR, "y", &y)?,
            values: operands::bytes_mut(OPERATOR, "values", &values)?,
        };
        operands::expect(OPERATOR, "x", (x.len(), &[a.rows(), self.depth]))?;
        operands::expect(OPERATOR, "y", (y.len(), &[a.columns(), self.depth]))?;
        operands::expect(OPERATOR, "values", (values.len(), &[a.entries()]))?;
        operands.check(&self.destination)?;
        if a.entries() == 0 {
            return Ok(());
        }
        // The limits of the operator keep all of these numbers within 32 bits.
        let sizes = [a.rows() as u32, a.entries() as u32, self.depth as u32];
        let (factors, destination) = ([self.alpha, self.beta], &mut self.destination);
        if T::WIDE {
            operands.run_wide(sizes, factors, lanes, destination)
        } else {
            operands.run(sizes, factors, lanes, destination)
        }
    }
}

/// The number of invocations that compute an entry: each of them computes four products of a row or more.
fn lanes(depth: u64, target: Target) -> u32 {
    if target.software {
        // Barriers are slow on processors, and needed only where loops end early.
        return if depth < target.max_iterations() { 1 } else { 256 };
    }
    // At most a subgroup, so that the steps of the sum are few.
    ((depth / 4).clamp(1, 32) as u32).next_power_of_two()
}

/// The arrays of a call, as bytes.
struct Operands<'a> {
    offsets: Slice<'a, u8>,
    columns: Slice<'a, u8>,
    old: Slice<'a, u8>,
    x: Slice<'a, u8>,
    y: Slice<'a, u8>,
    values: SliceMut<'a, u8>,
}

/// Defines a method that appends the launch of a call, for a module and its type of numbers.
macro_rules! run {
    ($name:ident, $module:ident, $number:ty) => {
        fn $name(
            &self,
            [rows, entries, depth]: [u32; 3],
            [alpha, beta]: [f64; 2],
            lanes: u32,
            destination: &mut Destination<'_>,
        ) -> Result<(), OperationError> {
            let device = &Device::of(&self.values.core.device);
            // Kernels need at least one element in each array, and rows without elements are not read.
            let spare = device.scratch::<u8>(16, destination).map_err(operands::memory(OPERATOR))?;
            let spare = operands::bytes(OPERATOR, "x", &spare.slice(..))?;
            let (x, y) = if depth == 0 { (&spare, &spare) } else { (&self.x, &self.y) };
            let (offsets, first_of_offsets) = whole_cells::<u32>(&self.offsets).map_err(OPERATOR.slice("offsets"))?;
            let (columns, first_of_columns) =
                whole_cells::<u32>(&self.columns).map_err(OPERATOR.slice("column indices"))?;
            let (old, first_of_old) = whole_cells::<$number>(&self.old).map_err(OPERATOR.slice("the values of a"))?;
            let (x, first_of_x) = whole_cells::<$number>(x).map_err(OPERATOR.slice("x"))?;
            let (y, first_of_y) = whole_cells::<$number>(y).map_err(OPERATOR.slice("y"))?;
            let (values, first_of_values) =
                whole_cells_mut::<$number>(&self.values).map_err(OPERATOR.slice("values"))?;
            let product = $module::Product {
                alpha: alpha as $number,
                beta: beta as $number,
                rows,
                entries,
                depth,
                accumulate: u32::from(beta != 0.0),
                first_of_offsets,
                first_of_columns,
                first_of_old,
                first_of_x,
                first_of_y,
                first_of_values,
            };
            let (overrides, to) = ($module::Overrides { lanes }, destination.reborrow());
            if lanes == 1 {
                let args = $module::LinesArgs { product, offsets, columns, old, x, y, values };
                $module::lines_with(device, overrides)?.launch(args).to(to).threads(entries)?;
            } else {
                let args = $module::TeamsArgs { product, offsets, columns, old, x, y, values };
                let groups = u64::from(entries).div_ceil(256 / u64::from(lanes));
                $module::teams_with(device, overrides)?.launch(args).to(to).groups([groups, 1])?;
            }
            Ok(())
        }
    };
}

impl Operands<'_> {
    /// Checks the devices and the guards of all arrays.
    fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [
            ("offsets", self.offsets),
            ("column indices", self.columns),
            ("the values of a", self.old),
            ("x", self.x),
            ("y", self.y),
            ("values", self.values.as_slice()),
        ];
        operands::check(OPERATOR, &self.old.core.device, &arrays, 1, destination)
    }

    run!(run, singles, f32);
    run!(run_wide, doubles, f64);
}

const OPERATOR: Operator = Operator("sampled product");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_follow_the_length_of_rows() {
        let gpu = Target { software: false, strips: false };
        assert_eq!([0, 7, 8, 64, 1 << 20].map(|depth| lanes(depth, gpu)), [1, 1, 2, 16, 32]);
        let llvmpipe = Target { software: true, strips: false };
        assert_eq!([64, 60_000].map(|depth| lanes(depth, llvmpipe)), [1, 256]);
        assert_eq!(lanes(60_000, Target { software: true, strips: true }), 1);
    }
}
