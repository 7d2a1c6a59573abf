//! One product: its sizes, addresses and numbers.

use std::ffi::c_void;
use std::fmt;

use anywarp_backend::{BackendError, Precision};
use cudarc::cublas::sys as blas;
use cudarc::cublaslt::sys as lt;

/// `c = a b`, row after row, with all that either library wants to know of it.
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
    /// From the addresses of `a`, `b`, `c` and the sizes rows, depth, columns.
    pub(super) fn new(
        [a, b, c]: [u64; 3],
        [rows, depth, columns]: [u32; 3],
        precision: Precision,
    ) -> Result<Self, BackendError> {
        use blas::cublasComputeType_t as Compute;
        use lt::cublasComputeType_t as LtCompute;
        // cuBLAS uses TF32 for f32 only where it is asked to by FAST_TF32.
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
                    message: format!("cuBLAS is not asked for {other} here: see Caps::library"),
                });
            }
        };
        Ok(Self { a, b, c, rows, columns, depth, precision, blas, lt })
    }

    /// Address of `a`.
    pub(super) fn a(&self) -> *const c_void {
        self.a as *const c_void
    }

    /// Address of `b`.
    pub(super) fn b(&self) -> *const c_void {
        self.b as *const c_void
    }

    /// Address of `c`.
    pub(super) fn c(&self) -> *mut c_void {
        self.c as *mut c_void
    }

    /// The powers of two that the addresses of `a`, `b` and `c` are multiples of, 256 at most.
    pub(super) fn alignments(&self) -> [u32; 3] {
        [self.a, self.b, self.c].map(|address| 1 << address.trailing_zeros().min(8))
    }

    /// The error for a status of either library.
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
