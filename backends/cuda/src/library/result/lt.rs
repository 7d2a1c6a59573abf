//! The functions of cuBLASLt.

use std::mem::MaybeUninit;
use std::ptr::{self, from_ref};

use cudarc::driver::sys::CUstream;

use crate::driver::DeviceSlice;
use crate::library::product::Product;
use crate::library::sys::lt::{
    self as sys, cublasLtHandle_t, cublasLtMatmulAlgo_t, cublasLtMatmulDesc_t, cublasLtMatmulHeuristicResult_t,
    cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, cublasLtMatrixLayout_t, cublasStatus_t,
};

/// The result of a cuBLASLt function.
type Outcome<T> = Result<T, cublasStatus_t>;

/// The descriptors of a product, named as in this crate; the library takes `b` as its first matrix.
#[derive(Clone, Copy)]
pub(in crate::library) struct Descriptors {
    pub(in crate::library) operation: cublasLtMatmulDesc_t,
    pub(in crate::library) a: cublasLtMatrixLayout_t,
    pub(in crate::library) b: cublasLtMatrixLayout_t,
    pub(in crate::library) c: cublasLtMatrixLayout_t,
}

fn checked(status: cublasStatus_t) -> Outcome<()> {
    if status == cublasStatus_t::CUBLAS_STATUS_SUCCESS { Ok(()) } else { Err(status) }
}

/// Creates a handle in the current context.
pub(in crate::library) fn create() -> Outcome<cublasLtHandle_t> {
    let mut handle = ptr::null_mut();
    // SAFETY: the function writes one handle of this frame.
    checked(unsafe { sys::cublasLtCreate(&mut handle) })?;
    Ok(handle)
}

/// # Safety
/// The handle is alive, and not used after this.
pub(in crate::library) unsafe fn destroy(handle: cublasLtHandle_t) -> Outcome<()> {
    // SAFETY: as the caller guarantees.
    checked(unsafe { sys::cublasLtDestroy(handle) })
}

/// Creates the description of a product whose factors `alpha` and `beta` are `f32`; neither matrix is transposed.
pub(in crate::library) fn operation_create(compute: sys::cublasComputeType_t) -> Outcome<cublasLtMatmulDesc_t> {
    let mut made = ptr::null_mut();
    // SAFETY: the function writes one handle of this frame.
    checked(unsafe { sys::cublasLtMatmulDescCreate(&mut made, compute, sys::cudaDataType::CUDA_R_32F) })?;
    Ok(made)
}

/// # Safety
/// The description is alive, and not used after this.
pub(in crate::library) unsafe fn operation_destroy(operation: cublasLtMatmulDesc_t) -> Outcome<()> {
    // SAFETY: as the caller guarantees.
    checked(unsafe { sys::cublasLtMatmulDescDestroy(operation) })
}

/// Creates the description of a column-major matrix with a leading dimension.
pub(in crate::library) fn layout_create(
    data: sys::cudaDataType,
    rows: i64,
    columns: i64,
    leading: i64,
) -> Outcome<cublasLtMatrixLayout_t> {
    let mut made = ptr::null_mut();
    let (rows, columns) = (rows.unsigned_abs(), columns.unsigned_abs());
    // SAFETY: the function writes one handle of this frame.
    checked(unsafe { sys::cublasLtMatrixLayoutCreate(&mut made, data, rows, columns, leading) })?;
    Ok(made)
}

/// # Safety
/// The description is alive, and not used after this.
pub(in crate::library) unsafe fn layout_destroy(layout: cublasLtMatrixLayout_t) -> Outcome<()> {
    // SAFETY: as the caller guarantees.
    checked(unsafe { sys::cublasLtMatrixLayoutDestroy(layout) })
}

/// Creates a preference, which restricts the choice of algorithms.
pub(in crate::library) fn preference_create() -> Outcome<cublasLtMatmulPreference_t> {
    let mut made = ptr::null_mut();
    // SAFETY: the function writes one handle of this frame.
    checked(unsafe { sys::cublasLtMatmulPreferenceCreate(&mut made) })?;
    Ok(made)
}

/// Sets an attribute of a preference. `value` has the type that the attribute's documentation gives; the library checks
/// its size.
///
/// # Safety
/// The preference is alive.
pub(in crate::library) unsafe fn preference_set<T: Copy>(
    preference: cublasLtMatmulPreference_t,
    attribute: cublasLtMatmulPreferenceAttributes_t,
    value: &T,
) -> Outcome<()> {
    // SAFETY: as the caller guarantees; the library reads the value, whose size is passed, before the call returns.
    checked(unsafe {
        sys::cublasLtMatmulPreferenceSetAttribute(preference, attribute, from_ref(value).cast(), size_of::<T>())
    })
}

/// # Safety
/// The preference is alive, and not used after this.
pub(in crate::library) unsafe fn preference_destroy(preference: cublasLtMatmulPreference_t) -> Outcome<()> {
    // SAFETY: as the caller guarantees.
    checked(unsafe { sys::cublasLtMatmulPreferenceDestroy(preference) })
}

/// Queries the algorithm that the library expects to be fastest.
///
/// # Safety
/// Handle, descriptors and preference are alive.
pub(in crate::library) unsafe fn heuristic(
    handle: cublasLtHandle_t,
    Descriptors { operation, a, b, c }: Descriptors,
    preference: cublasLtMatmulPreference_t,
) -> Outcome<cublasLtMatmulHeuristicResult_t> {
    let mut found = MaybeUninit::<cublasLtMatmulHeuristicResult_t>::zeroed();
    let (mut count, room) = (0, found.as_mut_ptr());
    // SAFETY: as the caller guarantees; one result is requested, and `found` has space for one.
    checked(unsafe {
        sys::cublasLtMatmulAlgoGetHeuristic(handle, operation, b, a, c, c, preference, 1, room, &mut count)
    })?;
    if count < 1 {
        return Err(cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED);
    }
    // SAFETY: zeros are a valid value of the type, and the library has overwritten them.
    let found = unsafe { found.assume_init() };
    checked(found.state).map(|()| found)
}

/// Enqueues a matrix product.
///
/// # Safety
/// All handles are alive, and stream and workspace are of one context; the matrices match the descriptors and the
/// product, and stay valid until the stream has passed the product; the workspace is at least as large as the algorithm
/// needs.
pub(in crate::library) unsafe fn matmul(
    handle: cublasLtHandle_t,
    descriptors: Descriptors,
    algorithm: &cublasLtMatmulAlgo_t,
    product: &Product,
    workspace: DeviceSlice,
    stream: CUstream,
) -> Outcome<()> {
    let Descriptors { operation, a, b, c } = descriptors;
    let (one, zero) = (1.0f32, 0.0f32);
    let (start, bytes) = (ptr::without_provenance_mut(workspace.address() as usize), workspace.bytes() as usize);
    // SAFETY: as the caller guarantees; the library reads the factors before the call returns.
    checked(unsafe {
        sys::cublasLtMatmul(
            handle,
            operation,
            from_ref(&one).cast(),
            product.b(),
            b,
            product.a(),
            a,
            from_ref(&zero).cast(),
            product.c(),
            c,
            product.c(),
            c,
            algorithm,
            start,
            bytes,
            stream.cast(),
        )
    })
}
