//! One matrix product: its sizes, addresses and precision.

use std::ffi::c_void;
use std::fmt;

use anywarp_backend::{BackendError, Precision, ProductForm};

use super::column_major::ColumnMajor;
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
    pub(super) column_major: ColumnMajor,
    pub(super) blas: BlasTypes,
    pub(super) lt: LtTypes,
}

/// The types of the factors and of the result, and the arithmetic, as cuBLAS names them.
#[derive(Clone, Copy)]
pub(super) struct BlasTypes {
    pub(super) factors: blas::cudaDataType,
    pub(super) result: blas::cudaDataType,
    pub(super) compute: blas::cublasComputeType_t,
}

/// The same for cuBLASLt.
#[derive(Clone, Copy)]
pub(super) struct LtTypes {
    pub(super) factors: lt::cudaDataType,
    pub(super) result: lt::cudaDataType,
    pub(super) compute: lt::cublasComputeType_t,
}

impl Product {
    /// Describes the product of the matrices `a` and `b` into `c`; the sizes are rows, columns and depth.
    pub(super) fn new(
        matrices: [DeviceSlice; 3],
        sizes: [u32; 3],
        precision: Precision,
        form: ProductForm,
    ) -> Result<Self, BackendError> {
        let [rows, columns, depth] = sizes;
        let refused = |message: &str| BackendError::Rejected {
            operation: "a matrix product",
            message: format!("{rows}x{depth} times {depth}x{columns}{form}: {message}"),
        };
        let elements = [precision.bytes(), precision.bytes(), form.bytes_of_result(precision)];
        let places = matrices.iter().zip(form.stored(sizes)).zip(elements);
        for ((matrix, stored), element) in places {
            if u128::from(matrix.bytes()) < stored.elements().saturating_mul(u128::from(element)) {
                return Err(refused("a matrix exceeds its region of memory; bind larger regions"));
            }
        }
        let column_major = ColumnMajor::of(sizes, &form).ok_or_else(|| refused("a stride exceeds 2^63 elements"))?;
        let (blas, lt) = types(precision, form.wide).ok_or_else(|| BackendError::Rejected {
            operation: "a matrix product",
            message: format!(
                "cuBLAS has no product of {precision}{form} here: `Caps::library` lists those that it has"
            ),
        })?;
        let [a, b, c] = matrices.map(DeviceSlice::address);
        Ok(Self { a, b, c, rows, columns, depth, precision, form, column_major, blas, lt })
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

/// The types of a product; `None` for those that the libraries are not called for.
fn types(precision: Precision, wide: bool) -> Option<(BlasTypes, LtTypes)> {
    use blas::cublasComputeType_t as Compute;
    use blas::cudaDataType as Type;
    use lt::cublasComputeType_t as LtCompute;
    use lt::cudaDataType as LtType;
    // cuBLAS computes f32 products with TF32 only where FAST_TF32 allows it. All sums are f32.
    let (factors, compute) = match precision {
        Precision::F32 | Precision::Tf32 if wide => return None,
        Precision::F32 => {
            ((Type::CUDA_R_32F, LtType::CUDA_R_32F), (Compute::CUBLAS_COMPUTE_32F, LtCompute::CUBLAS_COMPUTE_32F))
        }
        Precision::Tf32 => (
            (Type::CUDA_R_32F, LtType::CUDA_R_32F),
            (Compute::CUBLAS_COMPUTE_32F_FAST_TF32, LtCompute::CUBLAS_COMPUTE_32F_FAST_TF32),
        ),
        Precision::F16 => {
            ((Type::CUDA_R_16F, LtType::CUDA_R_16F), (Compute::CUBLAS_COMPUTE_32F, LtCompute::CUBLAS_COMPUTE_32F))
        }
        Precision::Bf16 => {
            ((Type::CUDA_R_16BF, LtType::CUDA_R_16BF), (Compute::CUBLAS_COMPUTE_32F, LtCompute::CUBLAS_COMPUTE_32F))
        }
        _ => return None,
    };
    let result = if wide { (Type::CUDA_R_32F, LtType::CUDA_R_32F) } else { factors };
    Some((
        BlasTypes { factors: factors.0, result: result.0, compute: compute.0 },
        LtTypes { factors: factors.1, result: result.1, compute: compute.1 },
    ))
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { a, b, c, rows, columns, depth, precision, form, .. } = self;
        write!(f, "{precision} {rows}x{depth} at {a:#x} times {depth}x{columns} at {b:#x} into {c:#x}{form}")
    }
}
