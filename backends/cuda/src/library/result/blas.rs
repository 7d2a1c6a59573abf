//! The functions of cuBLAS.

use std::ffi::c_int;
use std::ptr::{self, from_ref};

use cudarc::driver::sys::CUstream;

use crate::driver::DeviceSlice;
use crate::library::product::Product;
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
    let (rows, columns, depth) = (i64::from(product.rows), i64::from(product.columns), i64::from(product.depth));
    let (data, compute) = product.blas;
    let form = product.form;
    let (alpha, beta) = (form.alpha.get(), form.beta.get());
    let operation = |transposed| match transposed {
        true => sys::cublasOperation_t::CUBLAS_OP_T,
        false => sys::cublasOperation_t::CUBLAS_OP_N,
    };
    let [a, b] = form.transposed.map(operation);
    let [line_of_a, line_of_b] = product.lines().map(i64::from);
    let [batch_of_a, batch_of_b, batch_of_c] = product.distances();
    if form.batches > 1 {
        // SAFETY: as the caller guarantees; the library reads the factors before the call returns.
        return checked(unsafe {
            sys::cublasGemmStridedBatchedEx_64(
                handle,
                b,
                a,
                columns,
                rows,
                depth,
                from_ref(&alpha).cast(),
                product.b(),
                data,
                line_of_b,
                batch_of_b,
                product.a(),
                data,
                line_of_a,
                batch_of_a,
                from_ref(&beta).cast(),
                product.c(),
                data,
                columns,
                batch_of_c,
                i64::from(form.batches),
                compute,
                sys::cublasGemmAlgo_t::CUBLAS_GEMM_DFALT,
            )
        });
    }
    // SAFETY: as the caller guarantees; the library reads the factors before the call returns.
    checked(unsafe {
        sys::cublasGemmEx_64(
            handle,
            b,
            a,
            columns,
            rows,
            depth,
            from_ref(&alpha).cast(),
            product.b(),
            data,
            line_of_b,
            product.a(),
            data,
            line_of_a,
            from_ref(&beta).cast(),
            product.c(),
            data,
            columns,
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
