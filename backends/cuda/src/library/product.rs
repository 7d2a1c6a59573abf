//! One product: its sizes, addresses and precision.

use std::ffi::c_void;
use std::fmt;

use anywarp_backend::{BackendError, Precision};

use super::sys::{blas, lt};
use crate::driver::DeviceSlice;

/// `c = a b`, row-major, with the parameters that both libraries need.
#[derive(Clone, Copy)]
pub(super) struct Product {
    a: u64,
    b: u64,
    c: u64,
    pub(super) rows: u32,
    pub(super) columns: u32,
    pub(super) depth: u32,
    pub(super) precision: Precision,
    pub(super) blas: (blas::cudaDataType, blas::cublasComputeType_t),
    pub(super) lt: (lt::cudaDataType, lt::cublasComputeType_t),
}

impl Product {
    /// Describes the product of dense matrices `a` and `b` into `c`, for sizes rows, columns and depth.
    pub(super) fn new(
        matrices: [DeviceSlice; 3],
        [rows, columns, depth]: [u32; 3],
        precision: Precision,
    ) -> Result<Self, BackendError> {
        let [a, b, c] = matrices.map(DeviceSlice::address);
        let enough = |matrix: &DeviceSlice, [m, n]: [u32; 2]| {
            u128::from(matrix.bytes()) >= u128::from(m) * u128::from(n) * u128::from(precision.bytes())
        };
        let [in_a, in_b, in_c] = [[rows, depth], [depth, columns], [rows, columns]];
        if !(enough(&matrices[0], in_a) && enough(&matrices[1], in_b) && enough(&matrices[2], in_c)) {
            return Err(BackendError::Rejected {
                operation: "a matrix product",
                message: format!("{rows}x{depth} times {depth}x{columns}: a matrix is larger than its memory"),
            });
        }
        use blas::cublasComputeType_t as Compute;
        use lt::cublasComputeType_t as LtCompute;
        // cuBLAS uses TF32 for f32 only with FAST_TF32.
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
        Ok(Self { a, b, c, rows, columns, depth, precision, blas, lt })
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

    /// Returns the alignments of `a`, `b` and `c` in bytes, at most 256 each.
    pub(super) fn alignments(&self) -> [u32; 3] {
        [self.a, self.b, self.c].map(|address| 1 << address.trailing_zeros().min(8))
    }

    /// Returns the error for a status of either library.
    pub(super) fn refused(&self, status: impl fmt::Debug) -> BackendError {
        BackendError::Rejected { operation: "a matrix product", message: format!("cuBLAS on {self}: {status:?}") }
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { a, b, c, rows, columns, depth, precision, .. } = self;
        write!(f, "{precision} {rows}x{depth} at {a:#x} times {depth}x{columns} at {b:#x} into {c:#x}")
    }
}
