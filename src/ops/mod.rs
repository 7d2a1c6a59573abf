//! Ready-made operators.
//!
//! Each operator runs on every device: through the device's library if [`Caps::library`](crate::backend::Caps::library)
//! lists a routine for the operator, otherwise as a WGSL kernel. Its commands are appended to the device's default
//! stream or to a [`Recording`](crate::Recording), in order with the program's own launches.
//!
//! - [`activate`], [`activate_backward`]: activation functions and their derivatives; [`Activate`] adds recording,
//!   [`ACTIVATION_FUNCTIONS`] are their WGSL for kernels of one line.
//! - [`attention()`]: scaled dot-product attention; [`Attention`] adds masks, shared heads, a scale, a cap,
//!   derivatives and recording.
//! - [`batch_norm`]: channels, normalised by means and variances; [`BatchNorm`] adds weights, those of the batch in training,
//!   derivatives and recording.
//! - [`fft()`], [`ifft`], [`rfft`], [`irfft`]: Fourier transforms of any length, of complex and of real numbers, also of
//!   `f16`; [`Fft`] and [`RealFft`] add axes, norms, transforms in place, shared tables and recording; [`fftfreq`],
//!   [`rfftfreq`] and [`Frequencies`] are their frequencies, [`fftshift`] and [`ifftshift`] centre them.
//! - [`dct`], [`idct`], [`dst`], [`idst`]: discrete cosine and sine transforms of any length; [`Dct`] adds the types I to IV,
//!   axes, norms, transforms in place, shared tables and recording.
//! - [`fft_convolve`], [`fft_correlate`]: convolutions and correlations through Fourier transforms; [`FftConvolve`] adds axes,
//!   parts of the result, shared tables and recording.
//! - [`Stft`]: Fourier transforms of windows on real or complex signals, and the signals of such transforms; [`WindowShape`]
//!   has windows.
//! - [`fill_pattern`]: fills memory with a pattern; [`FillPattern`] adds an offset and recording.
//! - [`max_pool`], [`average_pool`]: the greatest element or the mean of each window; [`Pool`] adds norms, padding, dilation,
//!   adaptive windows, indices and recording.
//! - [`histogram`]: the number of elements in each bin; [`Histogram`] adds edges, weights, channels and recording,
//!   [`bincount`] counts how often each number occurs.
//! - [`correlate`], [`convolve`], [`gaussian_filter`], [`sobel`], [`median_filter`]: filters of images; [`ImageFilter`] adds
//!   borders, separable kernels and recording.
//! - [`arange`], [`linspace`], [`full()`], [`one_hot()`]: sequences, values and rows for indices; [`Sequence`], [`Full`] and
//!   [`OneHot`] add recording.
//! - [`cast`]: conversions of numbers from one type to another; [`Cast`] adds recording.
//! - [`im2col`], [`col2im`]: windows as columns of a matrix, and sums of columns; [`Columns`] adds strides, padding, dilation
//!   and recording.
//! - [`conjugate_gradients`]: the solution of equations with a sparse, positive definite matrix; [`ConjugateGradients`]
//!   adds a tolerance, a limit, a preconditioner and a start. [`bicgstab`], [`gmres`]: that with any sparse square matrix;
//!   [`Bicgstab`] and [`Gmres`] add the same. [`Jacobi`], [`IncompleteLu`] and [`Multigrid`] are preconditioners, and
//!   [`Preconditioner`] is the trait of others.
//! - [`conv`]: convolutions of one to three axes; [`Conv`] adds strides, padding, dilation, groups, a bias, an activation,
//!   transposed convolutions, derivatives and recording.
//! - [`cross_entropy`]: the loss of a classification; [`CrossEntropy`] adds sums, weights, ignored rows, derivatives
//!   and recording.
//! - [`cholesky()`], [`lu()`], [`qr()`], [`solve_triangular`]: factors and equations of small dense matrices; [`eigh`],
//!   [`svd()`]: their eigenvalues and singular values. [`Cholesky`], [`Lu`], [`Qr`], [`SolveTriangular`], [`Eigh`] and
//!   [`Svd`] add batches, a [`FactorStatus`] on the device, and recording.
//! - [`concatenate`], [`stack`], [`split`]: arrays joined to one array, and split into parts; [`Join`] and [`Split`]
//!   add recording.
//! - [`integer_matmul`]: the product of two matrices of 8-bit integers, with sums of 32 bits; [`IntegerMatmul`] adds zeros,
//!   transposes, batches and recording.
//! - [`is_sorted`]: whether keys are sorted; [`IsSorted`] adds the order, and the result on the device.
//! - [`matmul`]: the product of two matrices; [`Matmul`] adds transposes, batches, factors, a precision, a method
//!   ([`MatmulMethod`]) and recording.
//! - [`merge`]: two sorted arrays as one; [`Merge`] adds values, the order and recording.
//! - [`layer_norm`], [`rms_norm`], [`group_norm`], [`instance_norm`]: normalised rows; [`Norm`] adds optional weights,
//!   statistics, derivatives and recording.
//! - [`ElementwiseKernel`]: operations on arrays, element by element, by one line of WGSL: `z = a * x + y`.
//! - [`Random`]: random numbers, permutations and choices, with the same bits on every device.
//! - [`reduce`]: reductions by name: sums, extremes and their indices, means, tests.
//! - [`ReductionKernel`]: reductions of many elements to one, by four expressions, also along axes, of segments
//!   ([`ReductionCall::segments`]) and of runs of equal keys ([`ReductionCall::run_by_key`]).
//! - [`cumulative_sum`]: cumulative sums; [`Scan`] adds other operations, order, axes, segments and recording.
//! - [`resize`]: arrays interpolated to other sizes, linearly; [`Resize`] adds nearest elements, cubic interpolation,
//!   ONNX's coordinates and recording.
//! - [`scatter()`], [`scatter_add`]: elements written or added to the positions that indices give; [`Scatter`] adds
//!   minima, maxima, products, axes, an order and recording.
//! - [`searchsorted`]: positions of values in sorted keys; [`SearchSorted`] adds the side, the order and recording.
//! - [`select`], [`partition`], [`unique`], [`nonzero`]: the elements that fulfil a condition, in their order; [`Select`]
//!   adds conditions in WGSL, indices and recording.
//! - [`transpose`], [`permute`], [`flip`], [`roll`], [`tile`], [`broadcast`], [`copy_part`], [`pad()`]: elements in another
//!   order; [`Rearrange`] adds recording.
//! - [`rotary_embedding()`]: pairs of elements, rotated by the angles of their positions; [`RotaryEmbedding`] adds other
//!   pairs and orders of axes, the inverse and recording.
//! - [`run_length_encode`], [`run_length_decode`]: values and lengths of runs; [`RunLengths`] adds recording.
//! - [`gather`], [`take()`], [`take_along_axis`]: elements at the positions that indices give; [`Take`] adds rules for
//!   indices outside, and recording.
//! - [`softmax()`], [`log_softmax`]: normalised exponentials along an axis; [`softmax_backward`], [`log_softmax_backward`]:
//!   their derivatives; [`Softmax`] adds recording.
//! - [`sort`], [`sort_pairs`], [`argsort`]: stable sorts; [`Sort`] adds orders, bit ranges, segments and recording.
//! - [`SortBy`]: stable sorts by a comparison in WGSL.
//! - [`spmv`], [`spmm`]: products of a [`SparseMatrix`] with a vector or a dense matrix; [`SparseProduct`] adds factors and
//!   recording, [`SparseFormat`] another storage.
//! - [`sddmm`]: products of two dense matrices at the places of a sparse matrix; [`SampledProduct`] adds factors and
//!   recording.
//! - [`spgemm`], [`sparse_sum`]: the product and the sum of two sparse matrices, as a sparse matrix.
//! - [`sptrsv`]: the solution of equations with a [`SparseTriangle`]; [`SparseTriangularSolve`] adds recording.
//! - [`top_k`]: the largest elements and their indices; [`TopK`] adds the smallest, rows and recording.
//!
//! `src/ops/README.md` describes how to add an operator.

mod activation;
mod attention;
mod batch_norm;
mod bicgstab;
mod channels;
pub(crate) mod choices;
mod columns;
mod conjugate_gradients;
mod conv;
mod convert;
mod cooperative;
mod cross_entropy;
mod dense;
mod elementwise;
mod epilogue;
mod error;
#[cfg(test)]
mod every_device;
mod fft;
mod fill_pattern;
mod full;
mod gmres;
mod histogram;
mod image_filter;
mod integer_matmul;
mod is_sorted;
mod join;
mod matmul;
mod merge;
mod moving;
mod multigrid;
mod norm;
mod one_hot;
mod operation;
mod operator;
mod ordering;
mod parts;
mod plan;
mod pool;
mod random;
mod rearrange;
pub mod reduce;
mod reduction;
mod resize;
mod rotary_embedding;
mod rows;
mod scan;
mod scanning;
mod scatter;
mod searchsorted;
mod select;
mod sequence;
mod softmax;
mod solving;
mod sort;
mod sort_by;
mod sparse;
mod take;
mod top_k;
mod triangular;
mod windows;

pub use activation::{ACTIVATION_FUNCTIONS, Activate, ActivationFunction, activate, activate_backward};
pub use anywarp_backend::Precision;
pub use attention::{Attention, attention};
pub use batch_norm::{BatchNorm, batch_norm};
pub use bicgstab::{Bicgstab, bicgstab};
pub use choices::{Decision, Reason, decisions};
pub use columns::{Columns, col2im, im2col};
pub use conjugate_gradients::{ConjugateGradients, conjugate_gradients};
pub use conv::{Conv, conv};
pub use convert::{Cast, CastElement, cast};
pub use cross_entropy::{CrossEntropy, cross_entropy};
pub use dense::{Cholesky, Eigh, FactorStatus, Lu, Qr, SolveTriangular, Svd};
pub use dense::{cholesky, eigh, lu, qr, solve_triangular, svd};
pub use elementwise::{ElementwiseCall, ElementwiseKernel};
pub use epilogue::Activation;
pub use error::OperationError;
pub use fft::{ComplexElement, Fft, FftNorm, FftTables, RealElement, RealFft, fft, ifft, irfft, rfft};
pub use fft::{ConvolveMode, FftConvolve, SignalElement, Stft, WindowShape, fft_convolve, fft_correlate};
pub use fft::{Dct, DctKind, Frequencies, dct, dst, fftfreq, idct, idst, rfftfreq};
pub use fill_pattern::{FillPattern, PatternElement, fill_pattern};
pub use full::{Full, full};
pub use gmres::{Gmres, gmres};
pub use histogram::{Histogram, HistogramElement, HistogramWeight, bincount, histogram};
pub use image_filter::{Border, ImageFilter, convolve, correlate, gaussian_filter, median_filter, sobel};
pub use integer_matmul::{ByteElement, IntegerMatmul, SumElement, integer_matmul};
pub use is_sorted::{IsSorted, is_sorted};
pub use join::{Join, Split, concatenate, split, stack};
pub use matmul::{Matmul, MatmulElement, MatmulInput, MatmulMethod, MatmulResult, matmul};
pub use merge::{Merge, merge};
pub use multigrid::Multigrid;
pub use norm::{Norm, group_norm, instance_norm, layer_norm, rms_norm};
pub use one_hot::{OneHot, one_hot};
pub use operation::arguments::{AnyInput, AnyOutputs, Argument, Inputs, Outputs, Results};
pub use operation::identity::IdentityValue;
pub use operation::shape::{Shaped, shaped};
pub use ordering::keys::SortKey;
pub use plan::Cost;
pub use pool::{Pool, average_pool, max_pool};
pub use random::{Random, RandomBits, RandomFloat, RandomInteger, RandomNumber, RandomReal};
pub use rearrange::{Pad, Rearrange, Steps, broadcast, copy_part, fftshift, flip, ifftshift};
pub use rearrange::{pad, permute, roll, steps, tile, transpose};
pub use reduction::{ReductionCall, ReductionKernel};
pub use resize::{Coordinates, Resize, Rounding, resize};
pub use rotary_embedding::{RotaryEmbedding, rotary_embedding};
pub use rows::elements::FloatElement;
pub use scan::{Scan, cumulative_sum};
pub use scanning::element::{ScanElement, ScanKey};
pub use scanning::form::ScanForm;
pub use scatter::{Scatter, ScatterElement, scatter, scatter_add};
pub use searchsorted::{SearchSorted, Side, searchsorted};
pub use select::{RunLengths, Select, nonzero, partition, run_length_decode, run_length_encode, select, unique};
pub use sequence::{Sequence, SequenceElement, SequenceFloat, arange, linspace};
pub use softmax::{Softmax, log_softmax, log_softmax_backward, softmax, softmax_backward};
pub use solving::error::SolveError;
pub use solving::{Jacobi, Preconditioner, Solution};
#[doc(hidden)]
pub use sort::SortWay;
pub use sort::{Sort, argsort, sort, sort_pairs};
pub use sort_by::SortBy;
pub use sparse::{SampledProduct, SparseElement, SparseEntries, SparseFormat, SparseMatrix, SparseProduct};
pub use sparse::{sddmm, sparse_sum, spgemm, spmm, spmv};
pub use take::{IndexElement, Take, gather, take, take_along_axis};
pub use top_k::{TopK, top_k};
pub use triangular::{IncompleteLu, SparseTriangle, SparseTriangularSolve, sptrsv};

/// Checks at compile time that threads can share and clone operators.
#[cfg(test)]
mod tests {
    const fn is_shared<T: Clone + Send + Sync>() {}

    const _: () = {
        is_shared::<super::ElementwiseKernel>();
        is_shared::<super::ReductionKernel>();
    };
}
