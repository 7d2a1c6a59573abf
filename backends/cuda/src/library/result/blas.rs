//! The functions of cuBLAS.

use std::ffi::c_int;
use std::ptr::{self, from_ref};

use cudarc::driver::sys::CUstream;

use crate::driver::DeviceSlice;
use crate::library::column_major::ColumnMajor;
use crate::library::product::{BlasTypes, Product};
use crate::library::sys::blas::{self as sys, cublasHandle_t, cublasStatus_t};

/// The result of a cuBLAS function.
type Outcome<T> = Result<T, cublasStatus_t>;

fn checked(status: cublasStatus_t) -> Outcome<()> {
    if status == cublasStatus_t::CUBLAS_STATUS_SUCCESS { Ok(()) } else { Err(status) }
}

/// Returns the library's major version.
pub(in crate::library) fn major_version() -> Outcome<c_int> {
    let mut version = 0;
    // SAFETY: the function writes one number of this frame.
    checked(unsafe { sys::cublasGetProperty(sys::libraryPropertyType::MAJOR_VERSION, &mut version) })?;
    Ok(version)
}

/// Creates a handle in the current context.
pub(in crate::library) fn create() -> Outcome<cublasHandle_t> {
    let mut handle = ptr::null_mut();
    // SAFETY: the function writes one handle of this frame.
    checked(unsafe { sys::cublasCreate_v2(&mut handle) })?;
    Ok(handle)
}

/// # Safety
/// The handle is alive.
pub(in crate::library) unsafe fn set_math_mode(handle: cublasHandle_t, mode: sys::cublasMath_t) -> Outcome<()> {
    // SAFETY: as the caller guarantees.
    checked(unsafe { sys::cublasSetMathMode(handle, mode) })
}

/// Sets the handle's stream and workspace. Both are set, because setting a stream resets the workspace, and cuBLAS
/// would then allocate one during a capture.
///
/// # Safety
/// Handle, stream and workspace are alive, in one context, and stay alive until others are set.
pub(in crate::library) unsafe fn set_stream(
    handle: cublasHandle_t,
    stream: CUstream,
    workspace: DeviceSlice,
) -> Outcome<()> {
    let (start, bytes) = (ptr::without_provenance_mut(workspace.address() as usize), workspace.bytes() as usize);
    // SAFETY: as the caller guarantees.
    unsafe {
        checked(sys::cublasSetStream_v2(handle, stream.cast()))?;
        checked(sys::cublasSetWorkspace_v2(handle, start, bytes))
    }
}

/// Enqueues a matrix product.
///
/// # Safety
/// The handle is alive and has a stream; the matrices have the sizes of the product, and stay valid until the stream
/// has passed the product.
pub(in crate::library) unsafe fn gemm(handle: cublasHandle_t, product: &Product) -> Outcome<()> {
    let ColumnMajor { sizes: [m, n, k], transposed, leading, distances, batches } = product.column_major;
    let BlasTypes { factors, result, compute } = product.blas;
    let (alpha, beta) = (product.form.alpha.get(), product.form.beta.get());
    let operation = |transposed| match transposed {
        true => sys::cublasOperation_t::CUBLAS_OP_T,
        false => sys::cublasOperation_t::CUBLAS_OP_N,
    };
    let [first, second] = transposed.map(operation);
    if batches > 1 {
        // SAFETY: as the caller guarantees; the library reads the factors before the call returns.
        return checked(unsafe {
            sys::cublasGemmStridedBatchedEx_64(
                handle,
                first,
                second,
                m,
                n,
                k,
                from_ref(&alpha).cast(),
                product.b(),
                factors,
                leading[0],
                distances[0],
                product.a(),
                factors,
                leading[1],
                distances[1],
                from_ref(&beta).cast(),
                product.c(),
                result,
                leading[2],
                distances[2],
                batches,
                compute,
                sys::cublasGemmAlgo_t::CUBLAS_GEMM_DFALT,
            )
        });
    }
    // SAFETY: as the caller guarantees; the library reads the factors before the call returns.
    checked(unsafe {
        sys::cublasGemmEx_64(
            handle,
            first,
            second,
            m,
            n,
            k,
            from_ref(&alpha).cast(),
            product.b(),
            factors,
            leading[0],
            product.a(),
            factors,
            leading[1],
            from_ref(&beta).cast(),
            product.c(),
            result,
            leading[2],
            compute,
            sys::cublasGemmAlgo_t::CUBLAS_GEMM_DFALT,
        )
    })
}

/// # Safety
/// The handle is alive, and not used after this.
pub(in crate::library) unsafe fn destroy(handle: cublasHandle_t) -> Outcome<()> {
    // SAFETY: as the caller guarantees.
    checked(unsafe { sys::cublasDestroy_v2(handle) })
}
