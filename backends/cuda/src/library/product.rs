//! One matrix product: its sizes, addresses and precision.

use std::ffi::c_void;
use std::fmt;

use anywarp_backend::{BackendError, Precision, ProductForm};

use super::sys::{blas, lt};
use crate::driver::DeviceSlice;

/// `c = alpha a b + beta c`, with the parameters that both libraries need.
#[derive(Clone, Copy)]
pub(super) struct Product {
    a: u64,
    b: u64,
    c: u64,
    pub(super) rows: u32,
    pub(super) columns: u32,
    pub(super) depth: u32,
    pub(super) precision: Precision,
    pub(super) form: ProductForm,
    pub(super) blas: (blas::cudaDataType, blas::cublasComputeType_t),
    pub(super) lt: (lt::cudaDataType, lt::cublasComputeType_t),
}

impl Product {
    /// Describes the product of the dense matrices `a` and `b` into `c`; the sizes are rows, columns and depth.
    pub(super) fn new(
        matrices: [DeviceSlice; 3],
        [rows, columns, depth]: [u32; 3],
        precision: Precision,
        form: ProductForm,
    ) -> Result<Self, BackendError> {
        let [a, b, c] = matrices.map(DeviceSlice::address);
        let enough = |matrix: &DeviceSlice, [m, n]: [u32; 2], shared: bool| {
            let count = if shared { 1 } else { u128::from(form.batches) };
            u128::from(matrix.bytes()) >= u128::from(m) * u128::from(n) * u128::from(precision.bytes()) * count
        };
        let sizes = [([rows, depth], form.shared[0]), ([depth, columns], form.shared[1]), ([rows, columns], false)];
        if !matrices.iter().zip(sizes).all(|(matrix, (size, shared))| enough(matrix, size, shared)) {
            return Err(BackendError::Rejected {
                operation: "a matrix product",
                message: format!(
                    "{rows}x{depth} times {depth}x{columns}: a matrix exceeds its region of memory; bind larger regions"
                ),
            });
        }
        use blas::cublasComputeType_t as Compute;
        use lt::cublasComputeType_t as LtCompute;
        // cuBLAS computes f32 products with TF32 only where FAST_TF32 allows it.
        let (blas, lt) = match precision {
            Precision::F32 => (
                (blas::cudaDataType::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F),
                (lt::cudaDataType::CUDA_R_32F, LtCompute::CUBLAS_COMPUTE_32F),
            ),
            Precision::Tf32 => (
                (blas::cudaDataType::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F_FAST_TF32),
                (lt::cudaDataType::CUDA_R_32F, LtCompute::CUBLAS_COMPUTE_32F_FAST_TF32),
            ),
            Precision::F16 => (
                (blas::cudaDataType::CUDA_R_16F, Compute::CUBLAS_COMPUTE_32F),
                (lt::cudaDataType::CUDA_R_16F, LtCompute::CUBLAS_COMPUTE_32F),
            ),
            Precision::Bf16 => (
                (blas::cudaDataType::CUDA_R_16BF, Compute::CUBLAS_COMPUTE_32F),
                (lt::cudaDataType::CUDA_R_16BF, LtCompute::CUBLAS_COMPUTE_32F),
            ),
            other => {
                return Err(BackendError::Rejected {
                    operation: "a matrix product",
                    message: format!("cuBLAS has no product of {other} here: `Caps::library` lists those that it has"),
                });
            }
        };
        Ok(Self { a, b, c, rows, columns, depth, precision, form, blas, lt })
    }

    /// Returns the numbers of elements from one line of `a` and of `b` in memory to the next.
    pub(super) fn lines(&self) -> [u32; 2] {
        let [a, b] = self.form.transposed;
        [if a { self.rows } else { self.depth }, if b { self.depth } else { self.columns }]
    }

    /// Returns the numbers of elements from one matrix of a batch to the next, for `a`, `b` and `c`.
    pub(super) fn distances(&self) -> [i64; 3] {
        let [rows, depth, columns] = [self.rows, self.depth, self.columns].map(i64::from);
        let unless = |shared: bool, elements: i64| if shared { 0 } else { elements };
        let [a, b] = self.form.shared;
        [unless(a, rows * depth), unless(b, depth * columns), rows * columns]
    }

    /// Returns the address of `a`.
    pub(super) fn a(&self) -> *const c_void {
        self.a as *const c_void
    }

    /// Returns the address of `b`.
    pub(super) fn b(&self) -> *const c_void {
        self.b as *const c_void
    }

    /// Returns the address of `c`.
    pub(super) fn c(&self) -> *mut c_void {
        self.c as *mut c_void
    }

    /// Returns the alignments of `a`, `b` and `c` in bytes, at most 256 each: the largest alignment that matters to
    /// cuBLASLt.
    pub(super) fn alignments(&self) -> [u32; 3] {
        [self.a, self.b, self.c].map(|address| 1 << address.trailing_zeros().min(8))
    }

    /// Returns the error for a status that either library returned.
    pub(super) fn refused(&self, status: impl fmt::Debug) -> BackendError {
        BackendError::Rejected { operation: "a matrix product", message: format!("cuBLAS on {self}: {status:?}") }
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { a, b, c, rows, columns, depth, precision, form, .. } = self;
        write!(f, "{precision} {rows}x{depth} at {a:#x} times {depth}x{columns} at {b:#x} into {c:#x}{form}")
    }
}
